import { expect, it } from 'vitest'
import { readCursor } from './output.js'

const said = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const made = (subtype: string, call: object, id = 'a') => ({
  type: 'tool_call',
  subtype,
  call_id: id,
  tool_call: { toolCallId: id, ...call },
})
const end = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' }

function read(records: readonly object[]) {
  return readCursor({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode: 0,
  })
}

it('answers with the last words alone, though its result holds all of them', () => {
  const reading = read([said('I look.'), said('Two pears.'), { ...end, result: 'I look.Two pears.' }])
  expect(reading).toMatchObject({ stop: 'answered', answer: 'Two pears.', usage: {} })
})

it('reads a call once, among ids and times, even if only its end is reported', () => {
  const call = { readToolCall: { args: { path: 'a' } } }
  const done = { readToolCall: { args: { path: 'a' }, result: { success: { content: 'pears' } } } }
  const reading = read([
    made('started', call),
    made('completed', done),
    made('completed', done, 'b'),
    said('Done.'),
    end,
  ])
  expect(reading.messages).toMatchObject([
    { role: 'assistant', toolCalls: [{ id: 'a', name: 'read', arguments: '{"path":"a"}' }] },
    { role: 'tool', toolCallId: 'a', text: 'pears' },
    { role: 'assistant', toolCalls: [{ id: 'b' }] },
    { role: 'tool', toolCallId: 'b', text: 'pears' },
    { role: 'assistant', text: 'Done.' },
  ])
})

it.each([
  [{ success: { stdout: 'out', stderr: 'err', exitCode: 1 } }, 'out\nerr'],
  [{ success: { path: 'a', linesCreated: 3 } }, '{"path":"a","linesCreated":3}'],
  [{ success: { content: [{ text: { text: 'one' } }, { type: 'text', text: 'two' }] } }, 'one\ntwo'],
  [{ error: { errorMessage: 'no such file' } }, 'error: no such file'],
  [{ spawnError: { error: 'no shell' } }, 'spawnError: no shell'],
  [{ success: {} }, '{}'],
  [undefined, 'nothing: '],
])('says what came of a call: %j', (result, text) => {
  const call = { shellToolCall: { args: {}, ...(result === undefined ? {} : { result }) } }
  expect(read([made('completed', call), end]).messages.at(-1)).toMatchObject({ role: 'tool', text })
})

it('skips calls of unknown kinds', () => {
  const calls = [made('started', { function: { name: 'x' } }), made('started', { readToolCall: 'what?' })]
  expect(read([...calls, said('Done.'), end])).toMatchObject({
    stop: 'answered',
    messages: [{ text: 'Done.' }],
  })
})

it('fails if its own record says so, however it ended', () => {
  const failed = { ...end, is_error: true, result: 'Rate limit exceeded' }
  expect(read([said('Do'), failed])).toMatchObject({
    failure: { kind: 'rate-limit', message: 'Rate limit exceeded', retryable: true },
  })
  expect(read([said('Do'), { ...end, subtype: 'error_during_execution', result: undefined }])).toMatchObject({
    failure: { message: 'error_during_execution' },
  })
})
