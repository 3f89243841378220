import { describe, expect, it } from 'vitest'
import { facetValues, filterOf, isFiltered, matching, sortOf, sortRuns } from './filters.js'
import { testRun } from './test-run.js'

const asked = (text: string) => filterOf(new URLSearchParams(text))
const ids = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id)

const runs = [
  testRun({ id: 'a', name: 'Invoices', environment: 'qa', models: { target: 'openai/gpt-5' } }),
  testRun({ id: 'b', name: 'letters', environment: 'qa', state: 'running', simulated: true }),
  testRun({ id: 'c', name: 'letters', environment: 'alfworld', kind: 'eval', state: 'failed' }),
  testRun({ id: 'd', environment: 'sleep-tasks', sleep: { project: '/home/ada/site', night: 3 } }),
  testRun({ id: 'e', environment: '', state: 'unreadable', problem: 'Its first line is cut off.' }),
]

describe('filters of the list', () => {
  it('shows all runs when nothing is asked', () => {
    expect(matching(runs, asked(''))).toHaveLength(5)
    expect(isFiltered(asked('sort=-cost&run=a'))).toBe(false)
    expect(isFiltered(asked('kind=eval'))).toBe(true)
  })

  it('finds runs in which every word occurs somewhere, in any case', () => {
    expect(ids(matching(runs, asked('q=GPT+invoices')))).toEqual(['a'])
    expect(ids(matching(runs, asked('q=invoices+letters')))).toEqual([])
    expect(ids(matching(runs, asked('q=simulated')))).toEqual(['b'])
    expect(ids(matching(runs, asked('q=night+3')))).toEqual(['d'])
    expect(ids(matching(runs, asked('q=cut+off')))).toEqual(['e'])
  })

  it('takes a value only as a whole, and all filters together', () => {
    expect(ids(matching(runs, asked('environment=q')))).toEqual([])
    expect(ids(matching(runs, asked('environment=qa&state=running')))).toEqual(['b'])
    expect(ids(matching(runs, asked('q=letters&kind=eval')))).toEqual(['c'])
  })

  it('counts each value under the other filters, and keeps those that they hide', () => {
    expect(facetValues(runs, asked('environment=qa'), 'state')).toEqual([
      { value: 'running', count: 1 },
      { value: 'failed', count: 0 },
      { value: 'unreadable', count: 0 },
      { value: 'finished', count: 1 },
    ])
    // The kind of an unreadable run is unknown.
    expect(facetValues(runs, asked(''), 'kind')).toEqual([
      { value: 'train', count: 3 },
      { value: 'eval', count: 1 },
    ])
    // The counts of a facet ignore its own selection.
    expect(facetValues(runs, asked('environment=qa'), 'environment')).toEqual([
      { value: 'alfworld', count: 1 },
      { value: 'qa', count: 2 },
      { value: 'sleep-tasks', count: 1 },
    ])
  })

  it('does not classify a run before its log is read', () => {
    const unread = testRun({ id: 'f', state: 'running', reading: { bytes: 1, of: 2 } })
    expect(matching([unread], asked('state=running'))).toEqual([])
    expect(matching([unread], asked('kind=train'))).toEqual([])
    expect(matching([unread], asked('q=running'))).toEqual([])
    expect(matching([unread], asked('q=f'))).toEqual([unread])
    expect(facetValues([unread], asked(''), 'state')).toEqual([])
  })

  it('offers a chosen value that no run has, so that it can be seen and left', () => {
    expect(facetValues(runs, asked('environment=gone'), 'environment')).toContainEqual({
      value: 'gone',
      count: 0,
    })
  })
})

describe('order of the list', () => {
  const by = (text: string) => sortOf(new URLSearchParams(text))
  const some = [
    testRun({ id: 'old', startedAt: 1, best: 0.9, cost: 3 }),
    testRun({ id: 'new', startedAt: 3, best: 0.2, cost: 0, calls: 4, unknownCost: 4 }),
    testRun({ id: 'mid', startedAt: 2, initial: 0.5, cost: 1, state: 'running' }),
    testRun({ id: 'unread', startedAt: 4, best: 0.95, cost: 9, reading: { bytes: 1, of: 2 } }),
  ]

  it('has the latest first, also when the address names a column that there is not', () => {
    expect(ids(sortRuns(some, by('')))).toEqual(['unread', 'new', 'mid', 'old'])
    expect(by('sort=-toString')).toEqual({ key: 'started', descending: true })
  })

  it('treats a run that is still being read as new, and one without a start as unknown', () => {
    const more = [...some, testRun({ id: 'empty', startedAt: 0, state: 'killed' })]
    const unread = testRun({ id: 'first', startedAt: 0, reading: { bytes: 0, of: 9 } })
    expect(ids(sortRuns([...more, unread], by('')))).toEqual([
      'first',
      'unread',
      'new',
      'mid',
      'old',
      'empty',
    ])
  })

  it('reverses the order', () => {
    expect(ids(sortRuns(some, by('sort=started')))).toEqual(['old', 'mid', 'new', 'unread'])
  })

  it('puts runs of which the figure is unknown or not read yet last, both ways', () => {
    expect(ids(sortRuns(some, by('sort=-cost')))).toEqual(['old', 'mid', 'unread', 'new'])
    expect(ids(sortRuns(some, by('sort=cost')))).toEqual(['mid', 'old', 'unread', 'new'])
  })

  it('takes the initial score where there is no better one', () => {
    expect(ids(sortRuns(some, by('sort=-validation')))).toEqual(['old', 'mid', 'new', 'unread'])
  })

  it('has running runs first by state, and the latest first among equals', () => {
    expect(ids(sortRuns(some, by('sort=state')))).toEqual(['mid', 'new', 'old', 'unread'])
  })

  it('reads numbers in names as numbers', () => {
    const named = ['run 10', 'Run 9', 'run 1'].map(id => testRun({ id }))
    expect(ids(sortRuns(named, by('sort=name')))).toEqual(['run 1', 'Run 9', 'run 10'])
  })

  it('finds and sorts among a thousand', () => {
    const many = Array.from({ length: 1000 }, (_, index) => testRun({ id: `run ${index}`, startedAt: index }))
    const found = sortRuns(matching(many, asked('q=run+99')), by('sort=-name'))
    expect(ids(found).slice(0, 2)).toEqual(['run 999', 'run 998'])
    expect(found).toHaveLength(19)
  })
})
