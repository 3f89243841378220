import { expect, it } from 'vitest'
import { readQwen } from './output.js'

function read(result: object, text = 'Done.') {
  const records = [
    { type: 'assistant', message: { id: '1', content: [{ type: 'text', text }] } },
    { type: 'result', subtype: 'success', is_error: false, result: text, ...result },
  ]
  return readQwen({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode: 0,
  })
}

it('treats an answer about an error as an answer, and one that ends as an error as a failure', () => {
  const about = 'The log says [API Error: 500 broken] twice.'
  expect(read({}, about)).toMatchObject({ stop: 'answered', answer: about })
  expect(read({}, 'The log[API Error: 503 gone]\n')).toMatchObject({
    failure: { kind: 'server', message: '503 gone' },
    messages: [{ role: 'assistant', text: 'The log' }],
  })
})

it.each([
  'Possible quota limitations in place or slow response times detected. Please wait and try again later.',
  'Please wait and try again later. To increase your limits, request a quota increase through Vertex, or switch to another /auth method',
])('takes no advice after an error for an answer: %s', advice => {
  expect(read({}, `[API Error: 429 Rate limit reached]\n${advice}`)).toMatchObject({
    failure: { kind: 'rate-limit', message: '429 Rate limit reached' },
    messages: [],
  })
})

it('knows when its own login is worth nothing any more', () => {
  const said = 'Qwen OAuth free tier has been discontinued as of 2026-04-15.'
  expect(read({}, said)).toMatchObject({ failure: { kind: 'quota', message: said } })
})

it('reads a result that says what went wrong', () => {
  const failed = {
    subtype: 'error_during_execution',
    is_error: true,
    error: { message: 'No auth type is selected.' },
  }
  expect(read(failed)).toMatchObject({ failure: { message: 'No auth type is selected.' } })
  expect(read({ subtype: 'error_max_turns', is_error: true })).toMatchObject({ stop: 'turn-limit' })
})

it('treats a denied tool as a failure, unless it was not offered or the file is outside the workspace', () => {
  const start = { type: 'system', subtype: 'init', cwd: '/work', tools: ['read_file', 'write_file'] }
  const text = { type: 'assistant', message: { id: '1', content: [{ type: 'text', text: 'Done.' }] } }
  const ended = (tool_name: string, tool_input: object) => {
    const permission_denials = [{ tool_name, tool_use_id: '1', tool_input }]
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      permission_denials,
    }
    const stdout = [start, text, result].map(record => JSON.stringify(record)).join('\n')
    return readQwen({ stdout, stderr: '', exitCode: 0 })
  }
  expect(ended('run_shell_command', { command: 'ls' })).toMatchObject({ stop: 'answered' })
  expect(ended('read_file', { file_path: '/etc/hosts' })).toMatchObject({ stop: 'answered' })
  expect(ended('write_file', { file_path: '/work/../x' })).toMatchObject({ stop: 'answered' })
  expect(ended('write_file', { file_path: '/work/..x' })).toMatchObject({ failure: { kind: 'harness' } })
  expect(ended('write_file', {})).toMatchObject({ failure: { kind: 'harness' } })
})

it('counts the calls of a run that ended at its turn limit, without a result', () => {
  const usage = { input_tokens: 100, output_tokens: 11, cache_read_input_tokens: 40 }
  const call = { type: 'assistant', message: { id: '1', content: [{ type: 'text', text: 'On it.' }], usage } }
  const stdout = [call, call].map(record => JSON.stringify(record)).join('\n')
  expect(readQwen({ stdout, stderr: 'Reached max session turns', exitCode: 53 })).toMatchObject({
    stop: 'turn-limit',
    usage: { input: 200, output: 22, cachedInput: 80 },
  })
})
