import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { TestedDetails } from '../../../../src/dashboard/contract/details.js'
import { finish, sampleLog } from '../../../../test/support/sample-run.js'
import { trialsLog } from '../../../../test/support/trials-run.js'
import { Answer } from './answer.js'

function answer(view: RunView, tested?: TestedDetails): string {
  const client = new QueryClient()
  if (tested !== undefined) client.setQueryData(['tested', 'r', view.tests.length], tested)
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Answer run="r" view={view} />
    </QueryClientProvider>,
  )
}

it('answers for a training by steps from the test split, task by task', () => {
  const difference = { mean: 0.5, low: 0.1, high: 0.8 }
  const html = answer(finish(sampleLog()).view(), { tested: { tasks: 10, better: 6, worse: 1, difference } })
  expect(html).toContain(
    'Better: +50 points on 10 unseen test tasks (95% interval +10 to +80), 6 fixed, 1 broken.',
  )
})

it('answers for a training by trials from the final test where there is no other', () => {
  expect(answer({ ...trialsLog().view(), outcome: 'finished' })).toContain(
    'Better: +73 points on 15 validation tasks in the final test',
  )
})

it('says nothing before it knows', () => {
  expect(answer(finish(sampleLog()).view())).toBe('')
  expect(answer(sampleLog().view())).toBe('')
})
