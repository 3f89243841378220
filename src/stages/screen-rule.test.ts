import { describe, expect, it } from 'vitest'
import { randomStream } from '../core/repeats.js'
import type { Attempt, Row } from '../core/task.js'
import { type ScreenTask, screenPlan, unsettledTasks } from './screen-plan.js'
import { type Screened, screenFinding } from './screen-rule.js'

const batch = { failed: 20, solved: 20 }
const train = (before: number, after: number | undefined, restsOn = false): Screened => ({
  ...{ split: 'train', task: 't', before, restsOn, after },
})
const validation = (before: number, after: number): Screened => ({
  ...{ split: 'val', task: 'v', before, restsOn: false, after },
})
const times = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item)
const open: ScreenTask = { split: 'train', task: 'o', before: 0, restsOn: false }

describe('the rule of the screen', () => {
  it('kills what repairs none of many tasks that it rests on', () => {
    const idle = (count: number) => screenFinding(times(count, train(0, 0, true)), [], batch, 1)
    // (2/3)^12 is 0.8%, (2/3)^11 is 1.2%.
    expect(idle(12)).toMatchObject({ verdict: 'killed', gained: 0, lost: 0 })
    expect(idle(12).reason).toContain(
      'It is idle: 0 tasks repaired, after a run on 12 failed ones that its edits rest on.',
    )
    expect(idle(11).verdict).toBe('passed')
    const others = screenFinding(times(20, train(0, 0, false)), [], batch, 1)
    expect(others.verdict).toBe('passed')
    const elsewhere = screenFinding([...times(12, train(0, 0, true)), train(0, 1)], [], batch, 1)
    expect(elsewhere.verdict).toBe('passed')
  })

  it('looks closer at each of several rounds', () => {
    expect(screenFinding(times(12, train(0, 0, true)), [], batch, 3).verdict).toBe('passed')
    expect(screenFinding(times(15, train(0, 0, true)), [], batch, 3).verdict).toBe('killed')
  })

  it('kills what breaks more than it repairs, beyond chance', () => {
    const seen = (broken: number, repaired: number) => [
      ...times(broken, train(1, 0)),
      ...times(10 - broken, train(1, 1)),
      ...times(repaired, train(0, 1)),
      ...times(10 - repaired, train(0, 0)),
    ]
    const verdict = (broken: number, repaired: number) =>
      screenFinding(seen(broken, repaired), [], batch, 1).verdict
    // As with a coin: 5 of 5 in 3.1% of cases, 4 of 4 in 6.3%, 6 of 7 in 6.3%, 7 of 8 in 3.5%.
    expect(verdict(5, 0)).toBe('killed')
    expect(verdict(4, 0)).toBe('passed')
    expect(verdict(6, 1)).toBe('passed')
    expect(verdict(7, 1)).toBe('killed')
    expect(screenFinding(seen(7, 1), [], batch, 1)).toMatchObject({ gained: 1, lost: 7 })
    expect(screenFinding(seen(7, 1), [], batch, 1).reason).toContain('1 gained and 7 lost of 20 train tasks')
  })

  it('knows that where more of the solved tasks were run, more of them break by luck', () => {
    const seen = [...times(5, train(1, 0)), ...times(5, train(1, 1)), ...times(10, train(0, 0))]
    expect(screenFinding(seen, [], { failed: 20, solved: 20 }, 1).verdict).toBe('killed')
    expect(screenFinding(seen, [], { failed: 40, solved: 10 }, 1).verdict).toBe('passed')
  })

  it('has an eye for damage also where the current skill fails nothing', () => {
    const seen = (broken: number) => [...times(broken, train(1, 0)), ...times(8 - broken, train(1, 1))]
    expect(screenFinding(seen(1), [], { failed: 0, solved: 40 }, 1).verdict).toBe('passed')
    expect(screenFinding(seen(3), [], { failed: 0, solved: 40 }, 1).verdict).toBe('killed')
  })

  it('counts validation tasks against what is to be expected of them', () => {
    const seen = (solved: number, broken: number) => [
      ...times(solved, validation(0.8, 1)),
      ...times(8 - solved, validation(0.8, 0)),
      ...times(broken, train(1, 0)),
      ...times(2 - broken, train(1, 1)),
      ...times(2, train(0, 0)),
    ]
    const verdict = (solved: number, broken: number) =>
      screenFinding(seen(solved, broken), [], batch, 1).verdict
    // Of 8 tasks at 80%, four or fewer are solved in 5.6% of cases; one broken task more makes it 3.3%.
    expect(verdict(5, 1)).toBe('passed')
    expect(verdict(4, 1)).toBe('killed')
    expect(screenFinding(seen(4, 1), [], batch, 1).reason).toContain(
      '4 solved of 8 validation tasks on which the skills so far differ, 6.4 expected',
    )
    // Without a sign of harm on train tasks, validation alone does not do.
    expect(verdict(0, 0)).toBe('passed')
  })

  it('takes a fraction for what it gains, and not for damage', () => {
    const worse = screenFinding(times(12, train(1, 0.6)), [], batch, 1)
    expect(worse).toMatchObject({ verdict: 'passed', lost: 0 })
    const better = screenFinding(times(12, train(0, 0.1, true)), [], batch, 1)
    expect(better).toMatchObject({ verdict: 'passed', gained: 12 })
  })

  it('counts nothing that the world failed, and kills nobody where little is left', () => {
    const harm = times(7, train(1, 0))
    const mostlySolved = { failed: 2, solved: 38 }
    const failures = (count: number) => times(count, train(1, undefined))
    expect(screenFinding([...harm, ...failures(7)], [], mostlySolved, 1)).toMatchObject({
      verdict: 'killed',
      lost: 7,
    })
    const little = screenFinding([...harm, ...failures(8)], [], mostlySolved, 1)
    expect(little).toMatchObject({
      verdict: 'passed',
      reason: 'Too little to tell: 7 of 15 attempts were scored.',
    })
    expect(screenFinding(times(5, train(1, 0)), [], mostlySolved, 1).verdict).toBe('passed')
    expect(screenFinding([...harm, ...failures(8)], [open], mostlySolved, 1).verdict).toBeUndefined()
  })

  it('goes on while it is in doubt, and lets go of what is not behind', () => {
    const behind = [...times(2, train(1, 0)), ...times(3, train(1, 1)), ...times(3, train(0, 0))]
    expect(screenFinding(behind, [open], batch, 2).verdict).toBeUndefined()
    expect(screenFinding(behind, [], batch, 2).verdict).toBe('passed')
    expect(screenFinding([...behind, train(0, 1), train(0, 1)], [open], batch, 2).verdict).toBe('passed')
    const level = times(8, train(0, 0))
    expect(screenFinding(level, [open], batch, 2).verdict).toBe('passed')
    // Repairs that it rests on are still to come, and without them it is idle.
    expect(screenFinding(level, times(16, { ...open, restsOn: true }), batch, 2).verdict).toBeUndefined()
  })
})

interface World {
  /** The share of tasks that pass as often as not; the others pass always or never. */
  readonly waver: number
  /** What the candidate repairs of whatever fails, and what it breaks of whatever passes. */
  readonly repairs: number
  readonly breaks: number
}

/** A training in which only chance told the skills apart, until this candidate came. */
function isKilled(seed: number, { waver, repairs, breaks }: World): boolean {
  const random = randomStream(seed)
  const draw = (chance: number) => Number(random() < chance)
  const chancesOf = (count: number) =>
    Array.from({ length: count }, () => (random() < waver ? 0.5 : draw(0.5)))
  const chances = { train: chancesOf(40), val: chancesOf(60) }
  const score = ({ hard }: { hard: number }) => hard
  const evaluations = Array.from({ length: 4 }, () =>
    chances.val.map((chance, index): Row => ({ task: `${index}`, type: '', sample: 0, hard: draw(chance) })),
  )
  // The current skill is the one that scored best, so luck was with it.
  const total = (rows: readonly Row[]) => rows.reduce((sum, { hard = 0 }) => sum + hard, 0)
  const [current = []] = evaluations.toSorted((one, other) => total(other) - total(one))
  const passed = chances.train.map(draw)
  const failed = passed.flatMap((pass, index) => (pass === 0 ? [index] : []))
  const evidence = failed.filter(() => random() < 0.5)
  const plan = screenPlan(
    passed.map((hard, index) => attemptAt(`${index}`, hard)),
    [{ tasks: evidence.map(String) }],
    unsettledTasks(evaluations, current, score),
    score,
    24,
  )
  const repaired = new Set(evidence.filter(() => random() < repairs))
  const after = ({ split, task }: ScreenTask): number => {
    if (split === 'train' && repaired.has(Number(task))) return 1
    const chance = chances[split][Number(task)] ?? 0
    return draw((chance + (1 - chance) * repairs) * (1 - breaks))
  }
  const whole = { failed: failed.length, solved: 40 - failed.length }
  for (let seen: Screened[] = []; ; ) {
    const rest = plan.slice(seen.length)
    const { verdict } = screenFinding(seen, rest, whole, Math.ceil(plan.length / 8))
    if (verdict !== undefined) return verdict === 'killed'
    seen = [...seen, ...rest.slice(0, 8).map(task => ({ ...task, after: after(task) }))]
  }
}

function attemptAt(task: string, hard: number): Attempt {
  const outcome = { status: 'scored', score: { hard, soft: hard, feedback: '' }, stop: 'answered' } as const
  return { task, type: '', sample: 0, messages: [], outcome }
}

/** Of 500 candidates. */
const killed = (world: World) =>
  Array.from({ length: 500 }, (_, seed) => isKilled(seed, world)).filter(Boolean).length

describe.each([0, 0.1, 0.3, 0.6, 1])('where %d of the tasks waver', waver => {
  it('kills hardly ever what repairs a third, or a fifth', () => {
    expect(killed({ waver, repairs: 1 / 3, breaks: 0 })).toBeLessThanOrEqual(2)
    expect(killed({ waver, repairs: 1 / 5, breaks: 0 })).toBeLessThanOrEqual(5)
  })

  it('leaves most of those that do nothing to the gate', () => {
    expect(killed({ waver, repairs: 0, breaks: 0 })).toBeLessThanOrEqual(25)
  })

  it('kills nearly all that break nearly everything, and many that break half', () => {
    expect(killed({ waver, repairs: 0, breaks: 0.9 })).toBeGreaterThanOrEqual(490)
    expect(killed({ waver, repairs: 0, breaks: 0.5 })).toBeGreaterThanOrEqual(200)
  })
})
