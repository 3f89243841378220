import { expect, it } from 'vitest'
import { readGemini } from './output.js'

const said = { type: 'message', role: 'assistant', content: 'The ', delta: true }

function read(records: readonly object[], exitCode: number, stderr = '') {
  return readGemini({ stdout: records.map(record => JSON.stringify(record)).join('\n'), stderr, exitCode })
}

it.each([
  [145, 'login'],
  [148, 'not-found'],
  [173, 'rate-limit'],
  [244, 'server'],
  [247, 'server'],
  [1, 'harness'],
])('takes exit code %i for what is left of a status', (exitCode, kind) => {
  const result = { type: 'result', status: 'error', error: { message: '[API Error: no]' } }
  expect(read([said, result], exitCode)).toMatchObject({ failure: { kind, message: '[API Error: no]' } })
})

it('knows its own exit codes', () => {
  expect(read([said], 53)).toMatchObject({ stop: 'turn-limit' })
  expect(read([], 41, 'Please set an Auth method.')).toMatchObject({
    failure: { kind: 'login', message: 'Please set an Auth method.' },
  })
})

it('joins the pieces of an answer, and begins a new one after a tool', () => {
  const { messages } = read(
    [
      said,
      { ...said, content: 'lamp.' },
      { type: 'tool_use', tool_name: 'look', tool_id: 'a', parameters: {} },
      { type: 'tool_result', tool_id: 'a', status: 'error', error: { message: 'dark' } },
      { ...said, content: 'Done.' },
      { type: 'result', status: 'success' },
    ],
    0,
  )
  expect(messages).toEqual([
    { role: 'assistant', text: 'The lamp.', toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
    { role: 'tool', text: 'dark', toolCallId: 'a' },
    { role: 'assistant', text: 'Done.' },
  ])
})
