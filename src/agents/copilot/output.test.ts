import { expect, it } from 'vitest'
import { readCopilot } from './output.js'

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

it('treats a session error as a failure, even with text after it and exit code 0', () => {
  const error = { type: 'session.error', data: { errorType: 'quota', message: 'You have no quota left.' } }
  expect(read([error, said, result])).toMatchObject({ failure: { kind: 'quota', retryable: false } })
})

const refused = (name: string) => [
  {
    type: 'assistant.message',
    data: { content: '', toolRequests: [{ toolCallId: 'a', name, arguments: {} }] },
  },
  {
    type: 'tool.execution_complete',
    data: { toolCallId: 'a', error: { message: 'Permission denied.', code: 'denied' } },
  },
  said,
  result,
]

it('treats a path outside the task’s folder as the agent’s own mistake, and a refused shell as a failure', () => {
  expect(read(refused('view'))).toMatchObject({ stop: 'answered', answer: 'Done.' })
  expect(read(refused('bash'))).toMatchObject({ failure: { kind: 'harness' } })
})

it('reads what it used from its report, all models together', () => {
  const usage = { inputTokens: 100, outputTokens: 11, cacheReadTokens: 40, cacheWriteTokens: 0 }
  const modelMetrics = { a: { usage }, b: { usage: { ...usage, reasoningTokens: 3 } } }
  const stdout = [said, result].map(record => JSON.stringify(record)).join('\n')
  const output = { stdout, stderr: '', exitCode: 0 }
  const report = JSON.stringify({ modelMetrics }, null, 2)
  expect(readCopilot({ ...output, report }).usage).toEqual({
    input: 200,
    output: 22,
    cachedInput: 80,
    cacheWrite: 0,
    reasoning: 3,
  })
  expect(readCopilot({ ...output, report: '{}' }).usage).toEqual({})
  expect(readCopilot(output).usage).toEqual({})
})
