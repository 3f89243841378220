import { describe, expect, it } from 'vitest'
import { apply, emptyPool, isShelved, isViable, type Pool, revive, rivalOf, superfluous } from './pool.js'
import type { TrialEdit } from './types.js'

const tasks = Array.from({ length: 8 }, (_, index) => `task-${index}`)

function trialEdit(id: string, changed: Partial<TrialEdit> = {}, target = ''): TrialEdit {
  const edit = {
    ...(target === '' ? { op: 'append' as const } : { op: 'replace' as const, target }),
    content: `- ${id}`,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: [],
    cause: 'rounding',
  }
  return { edit, slot: 'rounding', concerned: new Set(tasks), status: 'pending', since: 1, ...changed }
}

function poolOf(edits: readonly TrialEdit[], helps: Readonly<Record<string, number>> = {}): Pool {
  const belief = (value: number) => ({ helps: value, harms: 0, ratio: 2, harmsElsewhere: 0 })
  return {
    ...emptyPool,
    edits,
    accepted: edits.filter(({ status }) => status === 'accepted').map(({ edit }) => edit.id),
    beliefs: new Map(Object.entries(helps).map(([id, value]) => [id, belief(value)])),
  }
}

describe('remedies for one cause', () => {
  const accepted = trialEdit('first', { status: 'accepted' })
  const waiting = trialEdit('second')

  it('are shelved behind the accepted one, and return to trial when it is taken back', () => {
    const pool = poolOf([accepted, waiting])
    expect(isShelved(pool, waiting)).toBe(true)
    expect(isViable(pool, waiting, { drop: 0.7 })).toBe(false)
    const verdict = { edit: accepted, decision: 'taken-back', reason: '', isOnTrialAgain: true } as const
    const after = apply(pool, [verdict], 5)
    expect(after.edits.map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect(after.accepted).toEqual([])
    expect(isViable(after, waiting, { drop: 0.7 })).toBe(true)
  })

  it('are revived if dropped for their trials, but not if validation rejected them', () => {
    const dropped = trialEdit('dropped', { status: 'dropped' })
    const out = trialEdit('out', { status: 'dropped', isOut: true })
    const pool = revive(poolOf([dropped, out], { dropped: 0.5, out: 0.5 }), { revive: 1 })
    expect(pool.edits.map(({ status }) => status)).toEqual(['pending', 'dropped'])
  })

  it('are tried without the accepted one in another slot, unless they build on its text', () => {
    const further = trialEdit('further', { slot: 'rounding (2)' })
    const mended = trialEdit('mended', { slot: 'rounding (2)' }, '- first')
    expect(rivalOf(poolOf([accepted, further]), further)).toBe(accepted)
    expect(rivalOf(poolOf([accepted, mended]), mended)).toBeUndefined()
  })
})

describe('accepted edits that say the same', () => {
  const first = trialEdit('first', { status: 'accepted' })
  const second = trialEdit('second', { status: 'accepted', slot: 'rounding (2)' })
  const helps = { first: 0.99, second: 0.95 }

  it('are redundant except the one most likely to help', () => {
    expect([...superfluous(poolOf([first, second], helps), [first, second])]).toEqual([second])
  })

  it('are kept if the attempts show that both help', () => {
    const effect = { mean: 0.3, sd: 0.1 }
    const none = { mean: 0, sd: 1 }
    const estimate = { edit: 'second', effect, elsewhere: none, origin: none, trials: 20, tasks: 8 }
    const pool = { ...poolOf([first, second], helps), estimates: new Map([['second', estimate]]) }
    expect([...superfluous(pool, [first, second])]).toEqual([])
  })

  it('are kept if they concern other tasks, or hold the text that the better one changes', () => {
    const elsewhere = { ...second, concerned: new Set(['task-20', 'task-21']) }
    expect([...superfluous(poolOf([first, elsewhere], helps), [first, elsewhere])]).toEqual([])
    const builder = trialEdit('builder', { status: 'accepted', slot: 'rounding (2)' }, '- second')
    const pair = [builder, second]
    expect([...superfluous(poolOf(pair, { builder: 0.99, second: 0.9 }), pair)]).toEqual([])
  })
})
