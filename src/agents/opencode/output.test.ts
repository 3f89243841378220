import { expect, it } from 'vitest'
import { readOpencode } from './output.js'

const tokens = { input: 5, output: 2, reasoning: 1, cache: { read: 3, write: 4 } }

function finish(reason: string, cost = 0) {
  return { type: 'step_finish', part: { reason, cost, tokens } }
}

function read(records: readonly object[]) {
  return readOpencode({
    stdout: records.map(record => JSON.stringify(record)).join('\n'),
    stderr: '',
    exitCode: 0,
  })
}

const said = { type: 'text', part: { messageID: 'm', text: 'Done.' } }

it('adds up the steps, with cache in the input and reasoning in the output', () => {
  const reading = read([finish('tool-calls', 0.25), said, finish('stop', 0.5)])
  expect(reading).toMatchObject({ stop: 'answered', cost: 0.75 })
  expect(reading.usage).toEqual({ input: 24, output: 6, cachedInput: 6, cacheWrite: 8, reasoning: 2 })
})

it('judges by the last step alone', () => {
  expect(read([said, finish('length'), finish('stop')])).toMatchObject({ stop: 'answered' })
  expect(read([said, finish('stop'), finish('tool-calls')])).toMatchObject({ failure: { kind: 'malformed' } })
})

it('names an error that comes without words', () => {
  const error = { type: 'error', error: { name: 'ProviderAuthError' } }
  expect(read([said, finish('stop'), error])).toMatchObject({ failure: { message: 'ProviderAuthError' } })
})

it('treats a path outside the task’s folder as the agent’s own mistake, and a refused shell as a failure', () => {
  const refused = (tool: string) => ({
    type: 'tool_use',
    part: { callID: 'a', tool, state: { input: {}, error: 'There is a rule which prevents you from this.' } },
  })
  expect(read([refused('read'), said, finish('stop')])).toMatchObject({ stop: 'answered' })
  expect(read([refused('bash'), said, finish('stop')])).toMatchObject({ failure: { kind: 'harness' } })
})
