import { expect, it } from 'vitest'
import { PythonRandom } from '../../../core/statistics/random.js'
import { estimateEffects } from './estimate.js'
import { smallEffects } from './small-effects.js'
import type { Trial, TrialEdit } from './types.js'

const tasks = Array.from({ length: 160 }, (_, index) => `task-${index}`)

function edit(id: string): TrialEdit {
  const recorded = { op: 'append' as const, content: id, id, why: '', support: 1, tasks: [] }
  return {
    edit: { ...recorded, from: 'failure' as const },
    slot: id,
    concerned: new Set(tasks),
    status: 'pending',
    since: 1,
  }
}

/** Attempts that include each edit in a third of the cases, with the given effects on the pass rate. */
function judge(effects: Readonly<Record<string, number>>, count: number, seed: number) {
  const random = new PythonRandom(seed)
  const uniform = () => random.getRandomBits(30) / 2 ** 30
  const trials: Trial[] = Array.from({ length: count }, (_, index) => {
    const edits = Object.keys(effects).filter(() => uniform() < 0.35)
    const chance = edits.reduce((sum, id) => sum + (effects[id] ?? 0), 0.45)
    return { round: 1, task: tasks[index % 160] ?? '', score: uniform() < chance ? 1 : 0, edits }
  })
  const edits = Object.keys(effects).map(edit)
  const { everywhere } = estimateEffects(trials, edits, { local: [], global: edits })
  const before = edits.map(() => 0)
  return smallEffects(everywhere, { seed, before, burnIn: 30, sweeps: 60 })
}

const named = (prefix: string, count: number, effect: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, effect]))

it('tells small effects of many edits apart', () => {
  const effects = { ...named('good', 6, 0.08), ...named('none', 20, 0), ...named('bad', 10, -0.08) }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const found = judge(effects, 600, 3)
  const of = (from: number, to: number) => mean(found.slice(from, to).map(({ effect }) => effect))
  expect(of(0, 6)).toBeGreaterThan(0.03)
  expect(Math.abs(of(6, 26))).toBeLessThan(0.015)
  expect(of(26, 36)).toBeLessThan(-0.03)
})

it('expects next to nothing of any edit where none of them has an effect', () => {
  const found = [1, 2, 3].flatMap(seed => judge(named('none', 40, 0), 600, seed))
  const sizes = found.map(({ effect }) => Math.abs(effect))
  expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThan(0.015)
  expect(found.filter(({ helps }) => helps > 0.9)).toEqual([])
})

it('is the same for the same seed, and empty without edits', () => {
  const effects = { a: 0.1, b: 0 }
  expect(judge(effects, 100, 1)).toEqual(judge(effects, 100, 1))
  expect(judge({}, 10, 1)).toEqual([])
})
