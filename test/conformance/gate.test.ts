import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { meanOf, scoredPairs } from '../../src/core/metric.js'
import type { Gate, GateFactory, Pair } from '../../src/core/ports.js'
import { createGate as strict } from '../../src/gates/strict.js'
import { failures } from './check.js'
import { gateChecks } from './gate.js'

/** Gates that say openly that they judge nothing. */
const ungated = ['always']

const folder = new URL('../../src/gates/', import.meta.url)
const files = readdirSync(folder).filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))

for (const file of files) {
  const name = file.replace(/\.ts$/, '')
  const { createGate } = (await import(new URL(file, folder).href)) as { createGate: GateFactory }
  describe(`gate: ${name}`, () => {
    it('is called like its file', () => {
      expect(createGate({ tasks: [], score: ({ hard }) => hard }).id).toBe(name)
    })
    for (const check of gateChecks(createGate, { ungated: ungated.includes(name) })) it(check.name, check.run)
  })
}

type Context = Parameters<GateFactory>[0]

/** A strict gate with one thing wrong. */
function spoiled(spoil: (gate: Gate, context: Context) => Partial<Gate>): GateFactory {
  return context => {
    const gate = strict(context)
    return { ...gate, ...spoil(gate, context) }
  }
}

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
          ? { run: tasks.slice(0, 1).map(task => ({ task, sample: 0 })) }
          : gate.next(seen),
    })),
  },
  {
    what: 'asks for a task that is not there',
    caughtBy: 'asks only for known tasks, whole samples, and nothing twice',
    createGate: spoiled(gate => ({
      next: seen => (seen.length === 0 ? { run: [{ task: 'task-99', sample: 0 }] } : gate.next(seen)),
    })),
  },
  {
    what: 'never comes to a verdict',
    caughtBy: 'comes to a verdict in every world, also without tasks',
    createGate: spoiled((_, { tasks }) => ({
      next: seen => ({ run: [{ task: tasks[0] ?? 'task-0', sample: seen.length }] }),
    })),
  },
  {
    what: 'gives no reason',
    caughtBy: 'comes to a verdict in every world, also without tasks',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer ? answer : { ...answer, reason: '' }
      },
    })),
  },
  {
    what: 'changes its mind when it is asked again',
    caughtBy: 'keeps no state: the same pairs give the same answer, again and from a fresh gate',
    createGate: context => {
      const gate = strict(context)
      let asked = 0
      return {
        ...gate,
        next(seen) {
          const answer = gate.next(seen)
          asked += 1
          return 'run' in answer || asked < 2 ? answer : { ...answer, decision: 'reject', reason: 'Tired.' }
        },
      }
    },
  },
  {
    what: 'draws lots',
    caughtBy: 'is deterministic',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer ? answer : { ...answer, reason: `Lot ${Math.random()}.` }
      },
    })),
  },
  {
    what: 'takes a missing score for zero',
    caughtBy: 'abstains when the world failed more often on one side',
    createGate: spoiled((gate, { score }) => ({
      next: seen => {
        const answer = gate.next(seen)
        if ('run' in answer) return answer
        const mean = (side: 'current' | 'candidate') =>
          seen.reduce((sum, pair) => sum + (pair[side].hard ?? 0), 0) / Math.max(1, seen.length)
        const better = score({ hard: mean('candidate'), soft: 0 }) > score({ hard: mean('current'), soft: 0 })
        return { decision: better ? 'accept' : 'reject', complete: true, reason: 'Means compared.' }
      },
    })),
  },
  {
    what: 'averages whatever is left',
    caughtBy: 'abstains when most pairs were lost',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer || answer.decision !== 'abstain' ? answer : forced(seen)
      },
    })),
  },
  {
    what: 'accepts without a score',
    caughtBy: 'accepts nothing when nothing was scored',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer || scoredPairs(seen).pairs.length > 0
          ? answer
          : { ...answer, decision: 'accept' }
      },
    })),
  },
  {
    what: 'accepts a tie',
    caughtBy: 'does not accept what is worse or the same',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        if ('run' in answer || answer.decision !== 'reject') return answer
        const { pairs } = scoredPairs(seen)
        const tie = meanOf(pairs, 'candidate').hard === meanOf(pairs, 'current').hard
        return tie ? { ...answer, decision: 'accept' } : answer
      },
    })),
  },
  {
    what: 'compares sums to the last bit',
    caughtBy: 'is not moved by the rounding of sums',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer || answer.decision !== 'reject' ? answer : forced(seen)
      },
    })),
  },
  {
    what: 'scores by a metric of its own',
    caughtBy: 'scores with the metric it was given, and rises with it',
    createGate: spoiled(() => ({ score: ({ hard }) => hard })),
  },
  {
    what: 'stops early and calls it complete',
    caughtBy: 'calls an evaluation complete only when every task was run',
    createGate: context => strict({ ...context, tasks: context.tasks.slice(0, 10) }),
  },
  {
    what: 'rejects everything',
    caughtBy: 'accepts a clear improvement',
    createGate: spoiled(gate => ({
      next: seen => {
        const answer = gate.next(seen)
        return 'run' in answer ? answer : { ...answer, decision: 'reject' }
      },
    })),
  },
]

/** A verdict on nothing but the two means, to the last bit. */
function forced(seen: readonly Pair[]) {
  const { pairs } = scoredPairs(seen)
  const better = pairs.length > 0 && meanOf(pairs, 'candidate').hard > meanOf(pairs, 'current').hard
  return { decision: better ? 'accept' : 'reject', complete: true, reason: 'Means compared.' } as const
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
