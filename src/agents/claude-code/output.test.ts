import { expect, it } from 'vitest'
import { readClaudeCode } from './output.js'

const result = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' }

function assistant(id: string, content: object, rest: object = {}) {
  return { type: 'assistant', message: { id, content: [content] }, parent_tool_use_id: null, ...rest }
}

function read(records: readonly object[], exitCode = 0) {
  return readClaudeCode({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode,
  })
}

it('puts the blocks of one message together and leaves thoughts and sub-agents out', () => {
  const { messages } = read([
    assistant('1', { type: 'thinking', thinking: 'hm' }),
    assistant('1', { type: 'text', text: 'I ask.' }),
    assistant('1', { type: 'tool_use', id: 't', name: 'Task', input: { prompt: 'look' } }),
    assistant('2', { type: 'text', text: 'a sub-agent' }, { parent_tool_use_id: 't' }),
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'a lamp' }] } },
    assistant('3', { type: 'text', text: 'Done.' }),
    result,
  ])
  expect(messages).toEqual([
    {
      role: 'assistant',
      text: 'I ask.',
      toolCalls: [{ id: 't', name: 'Task', arguments: '{"prompt":"look"}' }],
    },
    { role: 'tool', text: 'a lamp', toolCallId: 't' },
    { role: 'assistant', text: 'Done.' },
  ])
})

it('treats an error as a failure whatever the exit code and the subtype', () => {
  const words = assistant('1', { type: 'text', text: 'API Error: 529 Overloaded' })
  const failed = { ...result, is_error: true, result: 'API Error: 529 Overloaded' }
  expect(read([words, failed])).toMatchObject({ failure: { kind: 'server' } })
  const unfinished = {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: false,
    errors: ['It broke.'],
  }
  expect(read([words, unfinished])).toMatchObject({ failure: { kind: 'harness', message: 'It broke.' } })
})

it('adds up the models of sub-agents and helpers', () => {
  const modelUsage = {
    large: { inputTokens: 10, outputTokens: 2, cacheReadInputTokens: 5, cacheCreationInputTokens: 1 },
    small: { inputTokens: 3, outputTokens: 1 },
  }
  const usage = { input_tokens: 10, output_tokens: 2 }
  const reading = read([assistant('1', { type: 'text', text: 'Done.' }), { ...result, usage, modelUsage }])
  expect(reading.usage).toEqual({ input: 19, output: 3, cachedInput: 5, cacheWrite: 1 })
})

it('reports no tokens if the result has none', () => {
  const reading = read([assistant('1', { type: 'text', text: 'Done.' }), result])
  expect(reading).toEqual({
    messages: [{ role: 'assistant', text: 'Done.' }],
    usage: {},
    skipped: 0,
    answer: 'Done.',
    stop: 'answered',
  })
})

it.each([
  ['max_tokens', 'output-limit'],
  ['refusal', 'refusal'],
  ['end_turn', 'answered'],
])('reads why the model stopped: %s', (stop_reason, stop) => {
  const said = assistant('1', { type: 'text', text: 'Done.' })
  expect(read([said, { ...result, stop_reason }])).toMatchObject({ answer: 'Done.', stop })
})

it('treats a denied tool as a failure, except for a file outside the workspace', () => {
  const ended = (tool_name: string) => ({
    ...result,
    permission_denials: [{ tool_name, tool_use_id: 't' }],
  })
  const words = assistant('1', { type: 'text', text: 'Done.' })
  expect(read([words, ended('Bash')])).toMatchObject({ failure: { kind: 'harness' } })
  expect(read([words, ended('mcp__task__look')])).toMatchObject({ failure: { kind: 'harness' } })
  expect(read([words, ended('Read')])).toMatchObject({ answer: 'Done.', stop: 'answered' })
})
