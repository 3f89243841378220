import { type Facet, facets, taskChanges } from '../../../../src/dashboard/contract/attempts.js'

/** Query parameters that are sent to the server. All other parameters only concern the page. */
export const filterNames = ['q', 'task', ...facets, 'change', 'from', 'to'] as const

export const facetTitles: Readonly<Record<Facet, string>> = {
  outcome: 'Outcome',
  failure: 'Failure of the world',
  stop: 'Ended by',
  type: 'Task type',
  stage: 'Stage',
  split: 'Split',
  step: 'Step',
  skill: 'Skill',
  sample: 'Sample',
}

export function filterOf(query: URLSearchParams): URLSearchParams {
  const filter = new URLSearchParams()
  for (const name of filterNames) {
    const value = query.get(name)
    if (value !== null) filter.set(name, value)
  }
  // The change filter needs two skills; until both are chosen, it is not sent.
  if (filter.get('from') === null || filter.get('to') === null)
    for (const name of ['from', 'to', 'change']) filter.delete(name)
  if (!taskChanges.some(change => change === filter.get('change'))) filter.delete('change')
  return filter
}

export const attemptsPath = (run: string) => `/api/runs/${encodeURIComponent(run)}/attempts`
