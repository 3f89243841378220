import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Gate, GateFactory, Seen, Verdict } from '../../src/core/ports/gate.js'
import { meanOf, pairsIn, scoredPairs } from '../../src/core/task/metric.js'
import { createGate as always } from '../../src/trainer/gates/always.js'
import { withFloors } from '../../src/trainer/gates/floors.js'
import { createGate as guarded } from '../../src/trainer/gates/guarded.js'
import { withNoRegression } from '../../src/trainer/gates/no-regression.js'
import { createGate as paired } from '../../src/trainer/gates/paired.js'
import { createGate as strict } from '../../src/trainer/gates/strict.js'
import { hardScore, usualSettings } from '../support/gate-play.js'
import { failures } from './check.js'
import { gateChecks } from './gate.js'

/** Gates that accept everything by design. */
const ungated = ['always']

/** Gates for skills whose edits were judged one by one, which accept ties. */
const acceptsTies = ['not-worse']

const folder = new URL('../../src/trainer/gates/', import.meta.url)
const files = readdirSync(folder).filter(name => /^[^.]+\.ts$/.test(name))

for (const file of files) {
  const name = file.replace(/\.ts$/, '')
  const { createGate } = (await import(new URL(file, folder).href)) as { createGate?: GateFactory }
  // Gate decorators are not gates themselves.
  if (createGate === undefined) continue
  describe(`gate: ${name}`, () => {
    it('is called like its file', () => {
      expect(createGate({ tasks: [], score: hardScore, settings: usualSettings }).id).toBe(name)
    })
    for (const check of gateChecks(createGate, {
      ungated: ungated.includes(name),
      acceptsTies: acceptsTies.includes(name),
    }))
      it(check.name, check.run)
  })
}

const ridden = [
  ['strict', strict],
  ['guarded', guarded],
  ['paired', paired],
  ['always', always],
] as const

describe.each(ridden)('no-regression over %s', (name, createGate) => {
  for (const by of ['task', 'type'] as const)
    describe(`by ${by}`, () => {
      for (const check of gateChecks(withNoRegression(createGate, by), { ungated: ungated.includes(name) }))
        it(check.name, check.run)
    })
})

describe.each(ridden)('floors over %s', (name, createGate) => {
  // The floor is low enough for every world of the suite, so the gate decides while the decorator requests
  // all it may.
  const floored = withFloors(createGate, { accuracy: 0 })
  for (const check of gateChecks(floored, { ungated: ungated.includes(name) })) it(check.name, check.run)
})

/** The strict gate without its early stop. */
const whole: GateFactory = context =>
  strict({ ...context, settings: { ...context.settings, earlyStop: false } })

describe('strict without an early stop', () => {
  for (const check of gateChecks(whole)) it(check.name, check.run)
})

type Context = Parameters<GateFactory>[0]

/** A gate that sees every task and decides strictly, with one defect. */
function spoiled(spoil: (gate: Gate, context: Context) => Partial<Gate>): GateFactory {
  return context => {
    const gate = whole(context)
    return { ...gate, ...spoil(gate, context) }
  }
}

/** The same, with altered verdicts. */
const tampering = (change: (verdict: Verdict, seen: readonly Seen[], context: Context) => Verdict) =>
  spoiled((gate, context) => ({
    next: seen => {
      const answer = gate.next(seen)
      return 'run' in answer ? answer : change(answer, seen, context)
    },
  }))

const broken: readonly {
  readonly what: string
  readonly caughtBy: string
  readonly createGate: GateFactory
}[] = [
  {
    what: 'asks for the first task twice',
    caughtBy: 'asks only for known tasks, whole samples, and nothing twice',
    createGate: spoiled((gate, { tasks }) => ({
      next: seen =>
        seen.length === tasks.length
          ? { run: tasks.slice(0, 1).map(task => ({ side: 'current', task, sample: 0 })) }
          : gate.next(seen),
    })),
  },
  {
    what: 'asks for a task that is not there',
    caughtBy: 'asks only for known tasks, whole samples, and nothing twice',
    createGate: spoiled(gate => ({
      next: seen =>
        seen.length === 0
          ? { run: [{ side: 'current', task: 'task-99', sample: 0 }] }
          : gate.next(seen.slice(1)),
    })),
  },
  {
    what: 'asks for half a sample',
    caughtBy: 'asks only for known tasks, whole samples, and nothing twice',
    createGate: spoiled((gate, { tasks }) => ({
      next: seen =>
        seen.length === 0
          ? { run: [{ side: 'current', task: tasks[0] ?? 'task-0', sample: 0.5 }] }
          : gate.next(seen.slice(1)),
    })),
  },
  {
    what: 'never comes to a verdict',
    caughtBy: 'comes to a verdict in every world, also without tasks',
    createGate: spoiled((_, { tasks }) => ({
      next: seen => ({ run: [{ side: 'candidate', task: tasks[0] ?? 'task-0', sample: seen.length }] }),
    })),
  },
  {
    what: 'gives no reason',
    caughtBy: 'comes to a verdict in every world, also without tasks',
    createGate: tampering(verdict => ({ ...verdict, reason: '' })),
  },
  {
    what: 'changes its mind when it is asked again',
    caughtBy: 'keeps no state: the same attempts give the same answer, again and from a fresh gate',
    createGate: context => {
      let decided = 0
      return tampering(verdict => {
        decided += 1
        return decided < 2 ? verdict : { ...verdict, decision: 'reject', reason: 'Tired.' }
      })(context)
    },
  },
  {
    what: 'draws lots',
    caughtBy: 'is deterministic',
    createGate: tampering(verdict => ({ ...verdict, reason: `Lot ${Math.random()}.` })),
  },
  {
    what: 'takes a missing score for zero',
    caughtBy: 'abstains when the world failed more often on one side',
    createGate: tampering((_, seen, { score }) => {
      const pairs = pairsIn(seen)
      const mean = (side: 'current' | 'candidate') =>
        pairs.reduce((sum, pair) => sum + (pair[side].hard ?? 0), 0) / Math.max(1, pairs.length)
      const better = score({ hard: mean('candidate'), soft: 0 }) > score({ hard: mean('current'), soft: 0 })
      return { decision: better ? 'accept' : 'reject', complete: true, reason: 'Means compared.' }
    }),
  },
  {
    what: 'averages whatever is left',
    caughtBy: 'abstains when most pairs were lost',
    createGate: tampering((verdict, seen) => (verdict.decision === 'abstain' ? forced(seen) : verdict)),
  },
  {
    what: 'accepts without a score',
    caughtBy: 'accepts nothing when nothing was scored',
    createGate: tampering((verdict, seen) =>
      scoredPairs(pairsIn(seen)).pairs.length > 0 ? verdict : { ...verdict, decision: 'accept' },
    ),
  },
  {
    what: 'accepts a tie',
    caughtBy: 'does not accept what is worse or the same',
    createGate: tampering((verdict, seen) => {
      const { pairs } = scoredPairs(pairsIn(seen))
      const tie = meanOf(pairs, 'candidate').hard === meanOf(pairs, 'current').hard
      return verdict.decision === 'reject' && tie ? { ...verdict, decision: 'accept' } : verdict
    }),
  },
  {
    what: 'goes by the hard score, whatever the metric',
    caughtBy: 'compares the rewards of attempts where that is the metric',
    createGate: context => ({ ...whole({ ...context, score: hardScore }), score: context.score }),
  },
  {
    what: 'compares sums to the last bit',
    caughtBy: 'is not moved by the rounding of sums',
    createGate: tampering((verdict, seen) => (verdict.decision === 'reject' ? forced(seen) : verdict)),
  },
  {
    what: 'scores by a metric of its own',
    caughtBy: 'scores with the metric it was given, and rises with it',
    createGate: spoiled(() => ({ score: hardScore })),
  },
  {
    what: 'stops early and calls it complete',
    caughtBy: 'calls an evaluation complete only when every task was run',
    createGate: context => strict({ ...context, tasks: context.tasks.slice(0, 10) }),
  },
  {
    what: 'takes attempts of the current skill for the candidate’s',
    caughtBy: 'calls an evaluation complete only when every task was run',
    createGate: context => {
      const gate = strict(context)
      return {
        ...gate,
        next: seen => {
          const answer = gate.next(seen)
          const tried = new Set(seen.map(({ row }) => row.task)).size
          return 'run' in answer ? answer : { ...answer, complete: tried === context.tasks.length }
        },
      }
    },
  },
  {
    what: 'looks at the candidate alone',
    caughtBy: 'sets every attempt of the candidate against one of the current skill',
    createGate: spoiled((_, { tasks }) => ({
      next: seen => {
        if (seen.length < tasks.length)
          return { run: tasks.map(task => ({ side: 'candidate', task, sample: 0 })) }
        const passed = seen.filter(({ row }) => row.hard === 1).length
        const decision = 2 * passed > tasks.length ? 'accept' : 'reject'
        return { decision, complete: true, reason: `It passed ${passed} tasks.` }
      },
    })),
  },
  {
    what: 'accepts what it never ran',
    caughtBy: 'sets every attempt of the candidate against one of the current skill',
    createGate: spoiled((gate, { tasks }) => ({
      next: seen =>
        seen.length < tasks.length
          ? gate.next(seen)
          : { decision: 'accept', complete: false, reason: 'It will be fine.' },
    })),
  },
  {
    what: 'rejects everything',
    caughtBy: 'accepts a clear improvement',
    createGate: tampering(verdict => ({ ...verdict, decision: 'reject' })),
  },
]

/** A verdict that compares only the two means, to the last bit. */
function forced(seen: readonly Seen[]): Verdict {
  const { pairs } = scoredPairs(pairsIn(seen))
  const better = pairs.length > 0 && meanOf(pairs, 'candidate').hard > meanOf(pairs, 'current').hard
  return { decision: better ? 'accept' : 'reject', complete: true, reason: 'Means compared.' }
}

describe('gates that are broken', () => {
  it.each(broken)('the suite catches one that $what', async ({ caughtBy, createGate }) => {
    expect([...(await failures(gateChecks(createGate))).keys()]).toContain(caughtBy)
  })

  it('leaves no check without a gate that fails it', () => {
    const caught = new Set(broken.map(({ caughtBy }) => caughtBy))
    expect(
      gateChecks(strict)
        .map(({ name }) => name)
        .filter(name => !caught.has(name)),
    ).toEqual([])
  })
})
