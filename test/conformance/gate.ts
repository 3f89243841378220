import assert from 'node:assert/strict'
import type { Gate, GateFactory } from '../../src/core/ports/gate.js'
import { metricScore } from '../../src/core/task/metric.js'
import { type GateWorld, hardScore, taskNames as names, play, usualSettings } from '../support/gate-play.js'
import type { Check } from './check.js'

/**
 * Requirements of every gate. `ungated` is for a gate that accepts everything by design: it is checked for
 * the protocol, not for its judgement. `acceptsTies` is for a gate that rejects only worse candidates.
 */
export function gateChecks(createGate: GateFactory, { ungated = false, acceptsTies = false } = {}): Check[] {
  const create = (tasks: readonly string[], score: Gate['score'] = hardScore) =>
    createGate({ tasks, score, settings: usualSettings })
  const decide = (count: number, world: GateWorld) => play(createGate, names(count), world)
  const judging = (checks: Check[]) => (ungated ? [] : checks)
  const assertTie = (decision: string) =>
    acceptsTies ? assert.equal(decision, 'accept') : assert.notEqual(decision, 'accept')
  return [
    {
      name: 'asks only for known tasks, whole samples, and nothing twice',
      run() {
        for (const world of worlds) {
          const { asked, seen } = decide(24, world)
          assert.equal(new Set(asked).size, asked.length, 'the same attempt was asked for twice')
          for (const { task, sample } of seen.map(({ row }) => row)) {
            assert.ok(names(24).includes(task), `asked for the unknown task ${task}`)
            assert.ok(Number.isInteger(sample) && sample >= 0, `asked for the sample ${sample}`)
          }
        }
      },
    },
    {
      name: 'comes to a verdict in every world, also without tasks',
      run() {
        for (const count of [0, 1, 2, 7, 40]) {
          for (const world of worlds) {
            const { verdict } = decide(count, world)
            assert.ok(['accept', 'reject', 'underpowered', 'abstain'].includes(verdict.decision))
            assert.notEqual(verdict.reason.trim(), '', 'the verdict has no reason')
          }
        }
      },
    },
    {
      name: 'is deterministic',
      run() {
        for (const world of worlds) assert.deepEqual(decide(24, world), decide(24, world))
      },
    },
    {
      name: 'keeps no state: the same attempts give the same answer, again and from a fresh gate',
      run() {
        const gate = create(names(24))
        const { seen, verdict } = decide(24, flaky)
        assert.deepEqual(gate.next(seen), verdict)
        assert.deepEqual(gate.next(seen), verdict)
        assert.deepEqual(gate.next([]), create(names(24)).next([]))
      },
    },
    {
      name: 'scores with the metric it was given, and rises with it',
      run() {
        const gate = create(names(3), ({ hard, soft }) => 0.25 * hard + 0.75 * soft)
        const levels = [0, 0.2, 0.5, 0.9, 1]
        for (const [index, level] of levels.entries()) {
          const score = gate.score({ hard: level, soft: level })
          assert.ok(Math.abs(score - level) < 1e-9, `scored ${level} as ${score}`)
          const before = levels[index - 1]
          if (before !== undefined) assert.ok(score > gate.score({ hard: before, soft: before }))
        }
        assert.ok(Math.abs(gate.score({ hard: 0, soft: 1 }) - 0.75) < 1e-9)
      },
    },
    {
      name: 'calls an evaluation complete only when every task was run',
      run() {
        for (const world of worlds) {
          const { seen, verdict } = decide(24, world)
          const first = seen.filter(({ side, row }) => side === 'candidate' && row.sample === 0)
          if (verdict.complete)
            assert.equal(first.length, 24, 'the verdict is called complete, but tasks were left out')
        }
      },
    },
    {
      name: 'sets every attempt of the candidate against one of the current skill',
      run() {
        for (const world of worlds) {
          const { asked, seen, verdict } = decide(24, world)
          for (const { side, row } of seen)
            assert.ok(
              side === 'current' || asked.includes(`current ${row.task}#0`),
              `ran ${row.task} under the candidate only`,
            )
          if (verdict.decision === 'accept')
            assert.ok(
              seen.some(({ side }) => side === 'candidate'),
              'accepted a candidate that it never ran',
            )
        }
      },
    },
    {
      name: 'accepts a clear improvement',
      run() {
        assert.equal(decide(40, constant(0, 1)).verdict.decision, 'accept')
      },
    },
    ...judging([
      {
        name: acceptsTies
          ? 'accepts what is the same, and nothing worse'
          : 'does not accept what is worse or the same',
        run() {
          assert.notEqual(decide(40, constant(1, 0)).verdict.decision, 'accept')
          assertTie(decide(40, constant(0.5, 0.5)).verdict.decision)
          assertTie(decide(40, constant(0, 0)).verdict.decision)
          assertTie(decide(40, constant(1, 1)).verdict.decision)
        },
      },
      {
        name: 'compares the rewards of attempts where that is the metric',
        run() {
          // A higher reward goes with a lower score, so a gate that looks at the scores decides the
          // opposite.
          const row = (value: number) => ({ hard: 1 - value, soft: 1 - value, reward: value })
          const score: Gate['score'] = scores => metricScore(scores, 'reward', 0)
          const decideBy = (world: GateWorld) => play(createGate, names(40), world, { score, row }).verdict
          assert.equal(decideBy(constant(0, 1)).decision, 'accept')
          assert.notEqual(decideBy(constant(1, 0)).decision, 'accept')
          assertTie(decideBy(constant(0.5, 0.5)).decision)
        },
      },
      {
        name: 'is not moved by the rounding of sums',
        run() {
          // The same scores summed in a different order differ in the last bit, in either direction.
          const values = [0.1, 0.7, 0.2, 0.3, 0.6, 0.4]
          const forwards = (task: string) => values[indexOf(task) % values.length]
          const backwards = (task: string) => values[values.length - 1 - (indexOf(task) % values.length)]
          for (const [current, candidate] of [
            [forwards, backwards],
            [backwards, forwards],
          ] as const) {
            assertTie(decide(36, { current, candidate }).verdict.decision)
          }
        },
      },
      {
        name: 'accepts nothing when nothing was scored',
        run() {
          assert.notEqual(decide(0, constant(0, 1)).verdict.decision, 'accept')
          assert.notEqual(decide(12, constant(undefined, undefined)).verdict.decision, 'accept')
          assert.notEqual(decide(12, constant(undefined, 1)).verdict.decision, 'accept')
        },
      },
      {
        name: 'abstains when the world failed more often on one side',
        run() {
          assert.equal(decide(40, lopsided('current')).verdict.decision, 'abstain')
          assert.equal(decide(40, lopsided('candidate')).verdict.decision, 'abstain')
        },
      },
      {
        name: 'abstains when most pairs were lost',
        run() {
          const mostly = (value: number) => (task: string) => (indexOf(task) % 10 === 0 ? value : undefined)
          const verdict = decide(40, { current: mostly(0), candidate: mostly(1) }).verdict
          assert.equal(verdict.decision, 'abstain')
        },
      },
    ]),
  ]
}

function indexOf(task: string): number {
  return Number(task.split('-')[1])
}

function constant(current: number | undefined, candidate: number | undefined): GateWorld {
  return { current: () => current, candidate: () => candidate }
}

/** One side fails on every fifth task, and would win if averaged over the others. */
function lopsided(failing: 'current' | 'candidate'): GateWorld {
  const sometimes = (value: number) => (task: string) => (indexOf(task) % 5 === 0 ? undefined : value)
  if (failing === 'current') return { current: sometimes(0), candidate: () => 1 }
  return { current: () => 0, candidate: sometimes(1) }
}

const flaky: GateWorld = {
  current: (task, sample) => (indexOf(task) * 7 + sample * 3) % 2,
  candidate: (task, sample) => ((indexOf(task) * 5 + sample) % 3 === 0 ? 0 : 1),
}

const worlds: readonly GateWorld[] = [
  flaky,
  constant(0, 1),
  constant(1, 0),
  constant(0.5, 0.5),
  constant(1, 1),
  constant(undefined, undefined),
  lopsided('current'),
  lopsided('candidate'),
]
