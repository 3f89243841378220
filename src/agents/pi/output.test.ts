import { expect, it } from 'vitest'
import { readPi } from './output.js'

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: { total: 0.1 } }

function reply(text: string, stopReason: string, rest: object = {}) {
  const message = { role: 'assistant', content: [{ type: 'text', text }], stopReason, usage, ...rest }
  return { type: 'message_end', message }
}

function read(records: readonly object[]) {
  return readPi({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode: 0,
  })
}

const end = { type: 'agent_end', messages: [] }

it('takes the answer of a retry, and counts the cost of the failed try', () => {
  const failed = reply('The no', 'error', { errorMessage: 'terminated' })
  const reading = read([failed, end, { type: 'auto_retry_start' }, reply('The notes.', 'stop'), end])
  expect(reading).toMatchObject({
    stop: 'answered',
    answer: 'The notes.',
    usage: { input: 2, output: 2 },
    cost: 0.2,
  })
  expect(reading.messages).toHaveLength(1)
})

it('fails if the last reply failed, whatever came before', () => {
  const aborted = reply('', 'aborted', { errorMessage: 'Request was aborted.' })
  expect(read([reply('The notes.', 'stop'), end, aborted, end])).toMatchObject({
    failure: { kind: 'harness', message: 'Request was aborted.' },
  })
  expect(read([reply('I look.', 'toolUse'), end])).toMatchObject({ failure: { kind: 'malformed' } })
})
