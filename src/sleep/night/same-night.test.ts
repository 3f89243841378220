import { expect, it } from 'vitest'
import { type NightOutcome, type NightPlan, nightFormat } from '../model/night-record.js'
import type { Night } from '../nights/nights.js'
import { nothingNew } from './plan.js'

const plan: NightPlan = {
  format: nightFormat,
  tasks: [],
  commits: {},
  targets: [],
  skipped: [],
  models: {},
  roots: [],
  memory: [],
  sessions: 3,
  fingerprint: 'same',
}

function night(outcome: Partial<NightOutcome> | undefined, more: Partial<Night> = {}): Night {
  const at = '2026-01-31T08:00:00Z'
  const ended: NightOutcome = {
    format: nightFormat,
    outcome: 'nothing-learned',
    reason: '',
    endedAt: at,
    simulated: false,
    sessions: 3,
    tasks: 3,
    targets: [],
    spent: { calls: 0, tokens: 0, cost: 0, unknownUsage: 0, unknownCost: 0, activeMs: 0 },
    ...outcome,
  }
  return {
    number: 4,
    folder: '/nights/004',
    plan,
    proposal: undefined,
    begun: { format: nightFormat, number: 4, project: '/shop', at },
    outcome: outcome === undefined ? undefined : ended,
    ...more,
  }
}

const capped = { cap: 'maxCalls', limit: 40 } as const

it.each([
  ['no night before', [], undefined],
  ['one over something else', [night({}, { plan: { ...plan, fingerprint: 'other' } })], undefined],
  ['one that found nothing', [night({})], 'night 4, which found nothing better'],
  ['one whose proposal waits', [night({ outcome: 'proposed' }, { proposal: '/p' })], 'proposal waits'],
  ['one whose proposal was removed', [night({ outcome: 'proposed' })], undefined],
  ['one that was given up', [night({ outcome: 'given-up' })], undefined],
  ['one whose document was changed meanwhile', [night({ outcome: 'refused' })], undefined],
  ['one that was not planned since', [night({}), night({}, { plan: undefined })], 'found nothing better'],
])('after %s', (_name, earlier, expected) => {
  const reason = nothingNew(earlier, 'same', {})
  if (expected === undefined) expect(reason).toBeUndefined()
  else expect(reason).toContain(expected)
})

it('repeats a capped night only with a higher cap or none', () => {
  const earlier = [night({ capped })]
  for (const maxCalls of [40, 30])
    expect(nothingNew(earlier, 'same', { maxCalls })).toContain('which its cap ended')
  expect(nothingNew(earlier, 'same', { maxCalls: 41 })).toBeUndefined()
  expect(nothingNew(earlier, 'same', { maxTime: 5 })).toBeUndefined()
})

it('repeats a capped night with the same cap if mining used part of it', () => {
  const earlier = [night({ capped }, { plan: { ...plan, mining: '/nights/004/runs/mining' } })]
  expect(nothingNew(earlier, 'same', { maxCalls: 40 })).toBeUndefined()
})
