import { describe, expect, it } from 'vitest'
import { createConcern } from './concern.js'
import { type DesignInput, designRound, type PlannedTrial } from './design.js'
import type { Trial, TrialEdit } from './types.js'

const tasks = Array.from({ length: 60 }, (_, index) => `task-${index}`)

/** An edit proposed from the first of the tasks that it concerns. */
function edit(id: string, slot: string, concerned: readonly string[]): TrialEdit {
  const recorded = {
    op: 'append' as const,
    content: id,
    id,
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: [concerned[0] ?? ''],
  }
  return { edit: recorded, slot, concerned: new Set(concerned), status: 'pending', since: 1 }
}

const [a1, a2] = [edit('a1', 'a', tasks.slice(0, 10)), edit('a2', 'a', tasks.slice(0, 10))]
const b1 = edit('b1', 'b', tasks.slice(10, 20))

const attempt = (task: string, ...edits: string[]): Trial => ({ round: 1, task, score: 0, edits })
/** Every task was tried once without any edit, so no task is new and no cause needs a control. */
const triedOnce = tasks.map(task => attempt(task))

const input: DesignInput = {
  round: 3,
  seed: 1,
  size: 16,
  explore: 0.25,
  tasks,
  trials: [],
  running: [],
  pending: [a1, a2, b1],
  probation: [],
  helps: () => 0.2,
  inclusion: () => 0.4,
  headroom: () => 4,
  isViable: () => true,
  rival: () => undefined,
}

/** The attempts of many rounds. */
const designs = (changed: Partial<DesignInput>, rounds = 20): PlannedTrial[] =>
  Array.from({ length: rounds }, (_, index) => designRound({ ...input, ...changed, round: index + 1 })).flat()

/** Number of attempts of a round that try each edit. */
function triedIn(changed: Partial<DesignInput>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { variant } of designRound({ ...input, ...changed }))
    for (const id of variant.pending) counts[id] = (counts[id] ?? 0) + 1
  return counts
}

describe('the design of a round', () => {
  it('is deterministic for the same state', () => {
    expect(designRound(input)).toEqual(designRound(input))
    expect(designRound({ ...input, round: 4 })).not.toEqual(designRound(input))
    expect(designRound({ ...input, seed: 2 })).not.toEqual(designRound(input))
  })

  it('has the requested number of attempts, each at a different task', () => {
    for (let round = 1; round <= 20; round++) {
      const planned = designRound({ ...input, round })
      expect(planned).toHaveLength(16)
      expect(new Set(planned.map(({ task }) => task)).size).toBe(16)
    }
  })

  it('never puts two alternatives of one cause into one skill', () => {
    for (const helps of [0.2, 0.7])
      for (const trials of [[], triedOnce]) {
        const skills = designs({ trials, size: 40, helps: () => helps }).map(({ variant }) => variant.pending)
        const alternatives = skills.map(on => on.filter(id => id.startsWith('a')).length)
        expect(Math.max(...alternatives)).toBe(1)
      }
  })

  it('runs the current skill alone while nothing is on trial', () => {
    const planned = designRound({ ...input, pending: [] })
    expect(planned).toHaveLength(16)
    for (const { variant } of planned) expect(variant).toEqual({ pending: [], without: [] })
  })
})

describe('an edit for some tasks', () => {
  const alone = { pending: [b1], trials: triedOnce, explore: 0 }

  it('is tried on tasks that it concerns and was not proposed from', () => {
    for (let round = 1; round <= 20; round++) {
      const planned = designRound({ ...input, ...alone, round, size: 9 })
      expect(planned.map(({ task }) => task).sort()).toEqual(tasks.slice(11, 20).sort())
      for (const { variant } of planned) expect(variant.pending).toEqual(['b1'])
    }
  })

  it('is tried first on untried tasks, and at most three times per task', () => {
    const some = tasks.slice(11, 15).map(task => attempt(task, 'b1'))
    const next = designRound({ ...input, ...alone, trials: [...triedOnce, ...some], size: 5 })
    expect(next.map(({ task }) => task).sort()).toEqual(tasks.slice(15, 20).sort())
    const all = tasks.slice(11, 20).flatMap(task => [1, 2, 3].map(() => attempt(task, 'b1')))
    const after = designRound({ ...input, ...alone, trials: [...triedOnce, ...all], size: 5 })
    expect(after.filter(({ task }) => b1.concerned.has(task) && task !== 'task-10')).toEqual([])
  })

  it('is left out for tasks that do not share its cause', () => {
    const planned = designs({ trials: triedOnce, pending: [a1, b1], size: 40 })
    for (const one of [a1, b1]) {
      const carrying = planned.filter(({ variant }) => variant.pending.includes(one.edit.id))
      expect(carrying.length).toBeGreaterThan(100)
      expect(carrying.filter(({ task }) => !one.concerned.has(task))).toEqual([])
    }
  })

  it('is in a quarter of the other attempts once it is promising', () => {
    const planned = designs({
      trials: triedOnce,
      pending: [a1, b1],
      size: 40,
      helps: id => (id === 'a1' ? 0.6 : 0.2),
    })
    const elsewhere = planned.filter(({ task }) => tasks.indexOf(task) >= 20)
    const share = (id: string) =>
      elsewhere.filter(({ variant }) => variant.pending.includes(id)).length / elsewhere.length
    expect(elsewhere.length).toBeGreaterThan(300)
    expect(share('a1')).toBeGreaterThan(0.18)
    expect(share('a1')).toBeLessThan(0.32)
    expect(share('b1')).toBe(0)
  })

  it('gets attempts first if it has more headroom', () => {
    const two = { pending: [a1, b1], trials: triedOnce, explore: 0, size: 2 }
    expect(triedIn(two)).toEqual({ a1: 1, b1: 1 })
    expect(triedIn({ ...two, headroom: one => (one === b1 ? 8 : 1) })).toEqual({ b1: 2 })
    expect(triedIn({ ...two, headroom: one => (one === a1 ? 8 : 1) })).toEqual({ a1: 2 })
  })

  it('gets attempts first if it is likely to help, and last if the evidence is against it', () => {
    const two = { pending: [a1, b1], trials: triedOnce, explore: 0, size: 2 }
    expect(triedIn({ ...two, helps: id => (id === 'b1' ? 0.9 : 0.1) })).toEqual({ b1: 2 })
    expect(triedIn({ ...two, isViable: one => one !== a1 })).toEqual({ b1: 2 })
    expect(triedIn({ ...two, pending: [a1], isViable: () => false })).toEqual({ a1: 2 })
  })

  it('counts running trials only at tasks that it concerns', () => {
    const two = { pending: [a1, b1], trials: triedOnce, explore: 0, size: 2 }
    const underWay = (from: number) => tasks.slice(from, from + 3).map(task => attempt(task, 'b1'))
    expect(triedIn({ ...two, running: underWay(11) })).toEqual({ a1: 2 })
    expect(triedIn({ ...two, running: underWay(30) })).toEqual({ a1: 1, b1: 1 })
  })
})

describe('controls', () => {
  const fresh = tasks.slice(1, 10)
  const controlsIn = (changed: Partial<DesignInput>) =>
    designRound({ ...input, pending: [a1, a2], explore: 0, size: 6, ...changed }).filter(
      ({ variant }) => variant.pending.length === 0,
    )

  it('are planned for a cause whose tasks were not tried without its remedies', () => {
    const controls = controlsIn({})
    expect(controls).toHaveLength(1)
    expect(fresh).toContain(controls[0]?.task)
  })

  it('are planned only while attempts without its remedies are too few', () => {
    expect(controlsIn({ trials: triedOnce.slice(0, 10) })).toEqual([])
    const trials = fresh.map(task => attempt(task, 'a1'))
    expect(controlsIn({ trials, pending: [a1] }).length).toBeGreaterThan(1)
  })

  it('explore untried tasks without any remedy for some tasks', () => {
    const planned = designRound({ ...input, helps: () => 0.9, explore: 0.5 })
    const elsewhere = planned.filter(({ task }) => tasks.indexOf(task) >= 20)
    expect(elsewhere.length).toBeGreaterThan(0)
    for (const { variant } of elsewhere) expect(variant.pending).toEqual([])
  })
})

describe('an edit for all tasks', () => {
  const globals = ['g1', 'g2', 'g3'].map(id => edit(id, id, tasks))

  it('is in the wanted share of the attempts of every round, whatever else is on trial', () => {
    for (let round = 1; round <= 20; round++) {
      const inclusion = (id: string) => (id === 'g1' ? 0.1 : 0.4)
      const counts = triedIn({ round, size: 20, pending: [...globals, a1, b1], inclusion })
      expect(globals.map(({ edit: one }) => counts[one.id])).toEqual([2, 8, 8])
    }
  })

  it('is drawn independently of the others', () => {
    const planned = designs({ size: 20, pending: globals }, 100)
    const both = planned.filter(({ variant }) => ['g1', 'g2'].every(id => variant.pending.includes(id)))
    expect(both.length / planned.length).toBeGreaterThan(0.13)
    expect(both.length / planned.length).toBeLessThan(0.19)
  })

  it('is left out of the other attempts while it is accepted but not certain', () => {
    const probation = globals.slice(0, 1).map(one => ({ ...one, status: 'accepted' as const }))
    const planned = designs({ pending: [a1], probation, inclusion: () => 0.67 }, 60)
    const without = planned.filter(({ variant }) => variant.without.includes('g1'))
    expect(without.length / planned.length).toBeGreaterThan(0.28)
    expect(without.length / planned.length).toBeLessThan(0.38)
  })
})

describe('the tasks that an edit concerns', () => {
  const texts = [
    { id: '1', type: 'mail', text: 'Write a letter about an invoice for the customer.' },
    { id: '2', type: 'mail', text: 'Write a letter about an invoice, with a discount.' },
    { id: '3', type: 'sums', text: 'Which percentage of the parcels was late?' },
    { id: '4', type: 'sums', text: 'How many parcels were there in all?' },
  ]
  const concern = createConcern(texts)
  const proposal = (content: string, origin: string[]) => ({
    op: 'append' as const,
    content,
    id: 'e',
    why: '',
    support: 1,
    from: 'failure' as const,
    tasks: origin,
  })

  it('are those that share its rare words, in any form', () => {
    expect([...concern(proposal('- State invoices with their number.', ['1']))]).toEqual(['1', '2'])
  })

  it('are those of the same type if no word is shared', () => {
    expect([...concern(proposal('- Round half up.', ['3']))]).toEqual(['4'])
  })
})
