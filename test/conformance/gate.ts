import assert from 'node:assert/strict'
import type { GateFactory, Pair, Verdict } from '../../src/core/ports.js'
import type { Row } from '../../src/core/task.js'
import type { Check } from './check.js'

/** What each skill would score on a task; `undefined` is a failure of the world. */
interface World {
  current(task: string, sample: number): number | undefined
  candidate(task: string, sample: number): number | undefined
}

interface Trace {
  readonly asked: readonly string[]
  readonly seen: readonly Pair[]
  readonly verdict: Verdict
}

/** Far more than any gate may need: past this it does not end. */
const roundLimit = 500

/**
 * What every gate promises. `ungated` is for a gate that says openly that it accepts everything: it is then held to
 * the protocol, not to a judgement.
 */
export function gateChecks(createGate: GateFactory, { ungated = false } = {}): Check[] {
  const create = (tasks: readonly string[]) => createGate({ tasks, score: ({ hard }) => hard })
  const decide = (count: number, world: World) => run(createGate, names(count), world)
  const judging = (checks: Check[]) => (ungated ? [] : checks)
  return [
    {
      name: 'asks only for known tasks, whole samples, and nothing twice',
      run() {
        for (const world of worlds) {
          const { asked, seen } = decide(24, world)
          assert.equal(new Set(asked).size, asked.length, 'the same task and sample was asked for twice')
          for (const { task, sample } of seen) {
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
      name: 'keeps no state: the same pairs give the same answer, again and from a fresh gate',
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
        const gate = createGate({ tasks: names(3), score: ({ hard, soft }) => 0.25 * hard + 0.75 * soft })
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
          const everyTask = new Set(seen.map(({ task }) => task)).size === 24
          if (verdict.complete)
            assert.ok(everyTask, 'the verdict is called complete, but tasks were left out')
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
        name: 'does not accept what is worse or the same',
        run() {
          assert.notEqual(decide(40, constant(1, 0)).verdict.decision, 'accept')
          assert.notEqual(decide(40, constant(0.5, 0.5)).verdict.decision, 'accept')
          assert.notEqual(decide(40, constant(0, 0)).verdict.decision, 'accept')
        },
      },
      {
        name: 'is not moved by the rounding of sums',
        run() {
          // The same scores in another order add up differently in the last bit, one way round or the other.
          const values = [0.1, 0.7, 0.2, 0.3, 0.6, 0.4]
          const forwards = (task: string) => values[indexOf(task) % values.length]
          const backwards = (task: string) => values[values.length - 1 - (indexOf(task) % values.length)]
          for (const [current, candidate] of [
            [forwards, backwards],
            [backwards, forwards],
          ] as const) {
            assert.notEqual(decide(36, { current, candidate }).verdict.decision, 'accept')
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

/** Plays a gate against a world, the way the loop does, and watches the protocol. */
function run(createGate: GateFactory, tasks: readonly string[], world: World): Trace {
  const gate = createGate({ tasks: Object.freeze([...tasks]), score: ({ hard }) => hard })
  const asked: string[] = []
  const seen: Pair[] = []
  for (let round = 0; round < roundLimit; round += 1) {
    const answer = gate.next(Object.freeze([...seen]))
    if (!('run' in answer)) return { asked, seen, verdict: answer }
    assert.notEqual(answer.run.length, 0, 'asked to run nothing')
    for (const { task, sample } of answer.run) {
      asked.push(`${task}#${sample}`)
      const current = row(task, sample, world.current(task, sample))
      const candidate = row(task, sample, world.candidate(task, sample))
      seen.push(Object.freeze({ task, sample, current, candidate }))
    }
  }
  throw new assert.AssertionError({ message: `no verdict after ${roundLimit} rounds` })
}

function row(task: string, sample: number, score: number | undefined): Row {
  return Object.freeze({
    task,
    type: '',
    sample,
    ...(score === undefined ? {} : { hard: score, soft: score }),
  })
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `task-${index}`)
}

function indexOf(task: string): number {
  return Number(task.split('-')[1])
}

function constant(current: number | undefined, candidate: number | undefined): World {
  return { current: () => current, candidate: () => candidate }
}

/** One side fails on every fifth task, and would win by being averaged over the others. */
function lopsided(failing: 'current' | 'candidate'): World {
  const sometimes = (value: number) => (task: string) => (indexOf(task) % 5 === 0 ? undefined : value)
  if (failing === 'current') return { current: sometimes(0), candidate: () => 1 }
  return { current: () => 0, candidate: sometimes(1) }
}

const flaky: World = {
  current: (task, sample) => (indexOf(task) * 7 + sample * 3) % 2,
  candidate: (task, sample) => ((indexOf(task) * 5 + sample) % 3 === 0 ? 0 : 1),
}

const worlds: readonly World[] = [
  flaky,
  constant(0, 1),
  constant(1, 0),
  constant(0.5, 0.5),
  constant(undefined, undefined),
  lopsided('current'),
  lopsided('candidate'),
]
