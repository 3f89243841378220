import { expect, it } from 'vitest'
import { readCopilot } from './copilot.js'

const said = { type: 'assistant.message', data: { content: 'Done.', toolRequests: [] } }
const result = { type: 'result', exitCode: 0 }

function read(records: readonly object[]) {
  return readCopilot({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode: 0,
  })
}

it('leaves out what a sub-agent did on its own', () => {
  const parentToolCallId = 'a'
  const { messages } = read([
    { type: 'assistant.message', data: { content: 'a sub-agent', parentToolCallId } },
    {
      type: 'tool.execution_complete',
      data: {
        toolCallId: 'b',
        result: { content: 'x' },
        error: { message: 'no', code: 'denied' },
        parentToolCallId,
      },
    },
    said,
    result,
  ])
  expect(messages).toEqual([{ role: 'assistant', text: 'Done.' }])
})

it('takes an error of the session for a failure, even with words after it and exit code 0', () => {
  const error = { type: 'session.error', data: { errorType: 'quota', message: 'You have no quota left.' } }
  expect(read([error, said, result])).toMatchObject({ failure: { kind: 'quota', retryable: false } })
})
