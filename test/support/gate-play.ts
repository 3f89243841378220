import assert from 'node:assert/strict'
import type { Gate, GateFactory, GateSettings, Seen, Side, Verdict } from '../../src/core/ports/gate.js'
import type { Row } from '../../src/core/task/task.js'

/** Score of each skill on a task; `undefined` is an external failure. */
export interface GateWorld {
  current(task: string, sample: number): number | undefined
  candidate(task: string, sample: number): number | undefined
  /** The task's type; no types by default. */
  type?(task: string): string
}

export interface Trace {
  /** One entry per requested attempt. */
  readonly asked: readonly string[]
  readonly seen: readonly Seen[]
  readonly verdict: Verdict
}

export const usualSettings: GateSettings = { earlyStop: true, falseAccepts: 0.05, smallestGain: 0.05 }

export const hardScore: Gate['score'] = ({ hard }) => hard

/** Far more than any gate needs: beyond this, it does not terminate. */
const roundLimit = 500

export function taskNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `task-${index}`)
}

/** Plays a gate against a world, as the training loop does, and checks the protocol. */
export function play(
  createGate: GateFactory,
  tasks: readonly string[],
  world: GateWorld,
  {
    settings = usualSettings,
    score = hardScore,
    row = bothScores,
  }: { settings?: GateSettings; score?: Gate['score']; row?: (value: number) => Partial<Row> } = {},
): Trace {
  const gate = createGate({ tasks: Object.freeze([...tasks]), score, settings })
  const asked: string[] = []
  const seen: Seen[] = []
  for (let round = 0; round < roundLimit; round += 1) {
    const answer = gate.next(Object.freeze([...seen]))
    if (!('run' in answer)) return { asked, seen, verdict: answer }
    assert.notEqual(answer.run.length, 0, 'asked to run nothing')
    for (const { side, task, sample } of answer.run) {
      asked.push(`${side} ${task}#${sample}`)
      seen.push(seenOf(side, task, world[side](task, sample), sample, world.type?.(task), row))
    }
  }
  throw new assert.AssertionError({ message: `no verdict after ${roundLimit} rounds` })
}

const bothScores = (value: number): Partial<Row> => ({ hard: value, soft: value })

export function seenOf(
  side: Side,
  task: string,
  value: number | undefined,
  sample = 0,
  type = '',
  rowOf = bothScores,
): Seen {
  const row: Row = Object.freeze({ task, type, sample, ...(value === undefined ? {} : rowOf(value)) })
  return Object.freeze({ side, row })
}

/** Number of attempts under a skill. */
export function attemptsOf({ seen }: Pick<Trace, 'seen'>, side: Side): number {
  return seen.filter(one => one.side === side).length
}
