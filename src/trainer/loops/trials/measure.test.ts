import { describe, expect, it } from 'vitest'
import { headroom, measure } from './measure.js'
import { emptyPool, type Pool } from './pool.js'
import type { Trial, TrialEdit } from './types.js'

const tasks = Array.from({ length: 40 }, (_, index) => `task-${index}`)
const near = tasks.slice(0, 8)
const far = tasks.slice(20, 28)
const settings = {
  slots: 16,
  alternatives: 3,
  accept: 0.85,
  drop: 0.7,
  confirm: 0.97,
  tasks: tasks.length,
}

function trialEdit(id: string, changed: Partial<TrialEdit>): TrialEdit {
  const edit = {
    op: 'append' as const,
    content: `- ${id}`,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: [],
    cause: id,
  }
  return { edit, slot: id, concerned: new Set(near), status: 'pending', since: 1, ...changed }
}

const older = trialEdit('older', { status: 'accepted', decided: 4 })
const newer = trialEdit('newer', { since: 2 })

const poolOf = (...edits: readonly TrialEdit[]): Pool => ({
  ...emptyPool,
  edits,
  accepted: edits.filter(({ status }) => status === 'accepted').map(({ edit }) => edit.id),
})

const attempts = (where: readonly string[], score: number, ...edits: string[]): Trial[] =>
  where.map(task => ({ round: 1, task, score, edits }))

describe('measuring an edit beside an accepted remedy for the same tasks', () => {
  const before = attempts(near, 0)
  const since = [...attempts(near, 1, 'older'), ...attempts(near, 1, 'older', 'newer')]

  it('does not count attempts from before the other remedy was accepted', () => {
    const trials = [
      ...before,
      ...attempts(near, 1, 'newer'),
      ...attempts(near.slice(0, 3), 1, 'older', 'newer'),
    ]
    const found = measure(poolOf(older, newer), trials, settings).estimates.get('newer')
    expect(found).toMatchObject({ trials: 3, tasks: 3 })
  })

  it('counts them if the other remedy concerns other tasks', () => {
    const trials = [
      ...before,
      ...attempts(near, 1, 'newer'),
      ...attempts(near.slice(0, 3), 1, 'older', 'newer'),
    ]
    const elsewhere = { ...older, concerned: new Set(far) }
    const found = measure(poolOf(elsewhere, newer), trials, settings).estimates.get('newer')
    expect(found).toMatchObject({ trials: 11, tasks: 8 })
  })

  it('credits the newer edit with less if the other remedy explains the gain', () => {
    const trials = [...before, ...since]
    // As in a training, the belief about the remedy comes from an earlier round.
    const ratio = (pool: Pool) =>
      measure(measure(pool, trials, settings), trials, settings).beliefs.get('newer')?.ratio
    const elsewhere = { ...older, concerned: new Set(far) }
    const [beside, alone] = [ratio(poolOf(older, newer)) ?? 0, ratio(poolOf(elsewhere, newer)) ?? 0]
    expect(alone).toBeGreaterThan(20)
    expect(beside).toBeLessThan(alone / 2)
  })

  it('still compares the accepted remedy with the attempts from before it', () => {
    const trials = [...before, ...attempts(near, 1, 'older')]
    const found = measure(poolOf(older, newer), trials, settings).beliefs.get('older')
    expect(found?.helps).toBeGreaterThan(0.85)
  })
})

describe('the headroom of an edit', () => {
  const remote = trialEdit('remote', { concerned: new Set(far) })
  const failing = [...attempts(near, 0), ...attempts(near, 0), ...attempts(far, 0), ...attempts(far, 0)]
  const roomIn = (pool: Pool, trials: readonly Trial[]) => headroom(pool, trials, tasks.length)

  it('is about the number of its tasks that fail', () => {
    const room = roomIn(poolOf(newer, remote), failing)
    expect(room(newer)).toBeGreaterThan(7)
    expect(room(newer)).toBeLessThanOrEqual(8)
    expect(room(trialEdit('half', { concerned: new Set(near.slice(0, 4)) }))).toBeCloseTo(room(newer) / 2, 9)
  })

  it('is small where its tasks pass', () => {
    const passing = [...attempts(near, 1), ...attempts(near, 1), ...attempts(near, 1), ...attempts(far, 0)]
    const room = roomIn(poolOf(newer, remote), passing)
    expect(room(newer)).toBeLessThan(room(remote) / 2)
  })

  it('is small if an accepted edit serves its tasks, whatever earlier attempts showed', () => {
    const trials = [...failing, ...attempts(near, 1, 'older'), ...attempts(near, 1, 'older')]
    const pool = measure(poolOf(older, newer, remote), trials, settings)
    const room = roomIn(pool, trials)
    expect(room(newer)).toBeLessThan(2.5)
    expect(room(remote)).toBeGreaterThan(6)
  })

  it('is smaller for a served task even if it was not tried since', () => {
    const [seen, unseen] = [near.slice(0, 6), near.slice(6)]
    const trials = [...failing, ...attempts(seen, 1, 'older')]
    const pool = measure(poolOf(older, newer, remote), trials, settings)
    const room = roomIn(pool, trials)
    const served = trialEdit('served', { concerned: new Set(unseen) })
    const open = trialEdit('open', { concerned: new Set(far.slice(6)) })
    expect(room(served)).toBeLessThan(0.6 * room(open))
  })
})
