import { describe, expect, it } from 'vitest'
import { tableOf } from '../../../../test/support/attempt-table.js'
import { attemptSorts } from '../../contract/attempts.js'
import {
  facetValues,
  outcomeOf,
  type ResolvedFilter,
  type Selection,
  selectAttempts,
  sortedIndices,
} from './selection.js'

const { signal } = new AbortController()
const table = tableOf([
  { task: 't1', skill: 'a', hard: 0, stage: 'rollout', step: 1 },
  { task: 't2', skill: 'a', hard: 1, stage: 'rollout', step: 1, type: 'date' },
  { task: 't1', skill: 'b', hard: 1, stage: 'rollout', step: 2 },
  { task: 't2', skill: 'b', hard: 0, soft: 0.5, stage: 'rollout', step: 2, type: 'date', stop: 'turn-limit' },
  { task: 'v1', skill: 'b', status: 'failed', failure: 'timeout', stage: 'gate', step: 2, type: '' },
  { task: 'v1', skill: 'b', hard: 1, stage: 'gate', step: 10, sample: 1 },
])
const splitOf = ({ stage }: { readonly stage: string }) => (stage === 'gate' ? 'val' : 'train')
const select = (filter: ResolvedFilter) => selectAttempts(table, splitOf, filter, signal)
const counted = ({ counts }: Selection, facet: 'outcome' | 'step' | 'type' | 'split' | 'failure' | 'skill') =>
  Object.fromEntries(counts.get(facet) ?? [])

it.each([
  [{ status: 'scored', hard: 1, soft: 0 }, 'right'],
  [{ status: 'scored', hard: 0.5, soft: 0 }, 'partial'],
  [{ status: 'scored', hard: 0, soft: 0.1 }, 'partial'],
  [{ status: 'scored', hard: 0, soft: 0 }, 'wrong'],
  [{ status: 'failed' }, 'failed'],
] as const)('%j is %s', (row, outcome) => {
  expect(outcomeOf(tableOf([row]).row(0))).toBe(outcome)
})

describe('attempts', () => {
  it.each([
    [{}, [0, 1, 2, 3, 4, 5]],
    [{ task: 't1' }, [0, 2]],
    [{ outcome: 'right' }, [1, 2, 5]],
    [{ outcome: 'partial' }, [3]],
    [{ outcome: 'failed' }, [4]],
    [{ failure: 'timeout' }, [4]],
    [{ stop: 'turn-limit' }, [3]],
    [{ type: 'date' }, [1, 3]],
    [{ type: '' }, [4]],
    [{ stage: 'gate' }, [4, 5]],
    [{ split: 'train' }, [0, 1, 2, 3]],
    [{ split: 'test' }, []],
    [{ step: 2 }, [2, 3, 4]],
    [{ skill: 'a' }, [0, 1]],
    [{ sample: 1 }, [5]],
    [{ sample: 0 }, [0, 1, 2, 3, 4]],
    [{ until: 3 }, [0, 1, 2]],
    [{ until: 100 }, [0, 1, 2, 3, 4, 5]],
    [{ skill: 'b', outcome: 'right', split: 'train' }, [2]],
    [{ q: ' t2 ' }, [1, 3]],
    [{ q: 't2', until: 2 }, [1]],
    [{ q: 't2', skill: 'b' }, [3]],
    [{ q: '   ' }, [0, 1, 2, 3, 4, 5]],
  ] as const)('of %j', async (filter, indices) => {
    expect((await select(filter)).indices).toEqual(indices)
  })

  it('of a pair of skills are limited to tasks scored with both', async () => {
    const found = await select({ pair: ['a', 'b'] })
    expect(found.indices).toEqual([0, 1, 2, 3])
    expect(found.changes).toEqual({ better: 1, worse: 1, same: 0 })
    expect((await select({ pair: ['a', 'b'], change: 'better' })).indices).toEqual([0, 2])
    expect((await select({ pair: ['b', 'a'], change: 'better' })).indices).toEqual([1, 3])
    expect((await select({ pair: ['a', 'b'], change: 'same' })).indices).toEqual([])
    // The change counts do not depend on which tasks are shown.
    expect((await select({ pair: ['a', 'b'], change: 'same' })).changes).toEqual(found.changes)
  })
})

describe('counts', () => {
  it('predict the result of choosing the value', async () => {
    const found = await select({ step: 2, outcome: 'right' })
    expect(found.indices).toEqual([2])
    expect(counted(found, 'outcome')).toEqual({ right: 1, partial: 1, failed: 1 })
    expect(counted(found, 'step')).toEqual({ 1: 1, 2: 1, 10: 1 })
    expect(counted(found, 'type')).toEqual({ sum: 1 })
  })

  it('leave out rows that a facet does not apply to', async () => {
    const found = await select({})
    expect(counted(found, 'failure')).toEqual({ timeout: 1 })
    expect(counted(found, 'type')).toEqual({ sum: 3, date: 2, '': 1 })
    expect(counted(found, 'split')).toEqual({ train: 4, val: 2 })
  })

  it('agree with what choosing the value gives', async () => {
    const filter = { skill: 'b', split: 'val' } as const
    for (const [outcome, count] of (await select(filter)).counts.get('outcome') ?? []) {
      const chosen = await select({ ...filter, outcome: outcome as 'right' })
      expect({ outcome, count: chosen.indices.length }).toEqual({ outcome, count })
    }
  })

  it('respect the search words', async () => {
    expect(counted(await select({ q: 't1' }), 'skill')).toEqual({ a: 1, b: 1 })
  })
})

describe('a search', () => {
  it('that stopped early reports after how many matches', async () => {
    const hits = { found: [0, 3], isWhole: false }
    const short = { ...table, search: async () => hits }
    expect(await selectAttempts(short, splitOf, { q: 'x' }, signal)).toMatchObject({
      indices: [0, 3],
      searchedUpTo: 2,
    })
    expect(await select({ q: 't1' })).not.toHaveProperty('searchedUpTo')
  })

  it('is aborted when the server closes', async () => {
    const ended = AbortSignal.abort(new Error('closing'))
    const waiting = {
      ...table,
      search: async (_words: string, _most: number, given: AbortSignal) => {
        given.throwIfAborted()
        return { found: [], isWhole: true }
      },
    }
    await expect(selectAttempts(waiting, splitOf, { q: 'x' }, ended)).rejects.toThrow('closing')
  })
})

describe('the order', () => {
  const scored = tableOf([
    { task: 't10', hard: 1 },
    { task: 't2', hard: 0, soft: 0.5 },
    { task: 'T2', status: 'failed' },
    { task: 't2', hard: 0, soft: 0.7 },
    { task: 't1', hard: 1 },
  ])
  const all = [0, 1, 2, 3, 4]

  it.each([
    ['time', [0, 1, 2, 3, 4]],
    ['-time', [4, 3, 2, 1, 0]],
    ['task', [4, 1, 3, 2, 0]],
    ['-task', [0, 2, 1, 3, 4]],
    ['score', [1, 3, 0, 4, 2]],
    ['-score', [0, 4, 3, 1, 2]],
  ] as const)('by %s', (sort, order) => {
    expect(sortedIndices(scored, all, sort)).toEqual(order)
  })

  it('is one of those that there are', () => {
    for (const sort of attemptSorts) expect(sortedIndices(scored, [3, 4], sort).toSorted()).toEqual([3, 4])
  })
})

it('the values of a facet are the most frequent first, numbers in their order', () => {
  const counts = new Map([
    ['10', 5],
    ['9', 5],
    ['1', 7],
    ['2', 1],
  ])
  const values = (isNumber: boolean) => facetValues(counts, isNumber).map(({ value }) => value)
  expect(values(true)).toEqual(['1', '2', '9', '10'])
  expect(values(false)).toEqual(['1', '9', '10', '2'])
})
