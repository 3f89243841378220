import { expect, it } from 'vitest'
import { readQwen } from './qwen.js'

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

it('takes an answer about an error for an answer, and one that ends as an error for a failure', () => {
  const about = 'The log says [API Error: 500 broken] twice.'
  expect(read({}, about)).toMatchObject({ stop: 'answered', answer: about })
  expect(read({}, 'The log[API Error: 503 gone]\n')).toMatchObject({
    failure: { kind: 'server', message: '503 gone' },
    messages: [{ role: 'assistant', text: 'The log' }],
  })
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
