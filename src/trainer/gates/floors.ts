import type { Config } from '../../core/config/config.js'
import type { GateFactory, Seen } from '../../core/ports/gate.js'
import { mean } from '../../core/statistics/repeats.js'
import { missingAttempts, pairsIn } from '../../core/task/metric.js'
import type { Row } from '../../core/task/task.js'
import { count, points } from '../../core/text/format.js'
import { replayTo } from './replay.js'

/**
 * A decorator for any gate: rejects an accepted candidate that falls below a floor set by the user. A gain
 * in the metric may cost accuracy, tokens or time; a floor limits how much.
 */
export function withFloors(createGate: GateFactory, floors: Floors): GateFactory {
  return context => {
    const gate = createGate(context)
    const replay = replayTo(gate)
    const everyTask = context.tasks.map(task => ({ side: 'candidate', task, sample: 0 }) as const)
    return {
      id: gate.id,
      score: gate.score,
      next(seen) {
        const answer = replay(seen)
        if ('run' in answer || answer.decision !== 'accept') return answer
        // A floor applies to the whole split, and a gate may accept before it has seen every task.
        const unseen = missingAttempts(seen, everyTask)
        if (unseen.length > 0) return { run: unseen }
        const broken = brokenFloors(rowsOf(seen, 'current'), rowsOf(seen, 'candidate'), floors)
        if (broken.length === 0) return { ...answer, complete: true }
        const reason = `Below a floor: ${broken.join('; ')}. Without the floor it would have been accepted: ${answer.reason}`
        return { ...answer, complete: true, decision: 'reject', reason }
      },
    }
  }
}

const rowsOf = (seen: readonly Seen[], side: Seen['side']) =>
  seen.filter(one => one.side === side).map(({ row }) => row)

export type Floors = Config['evaluation']['floors']

/** Means that differ by less than this are equal up to rounding. */
const roundingNoise = 1e-9

/** A metric with a floor. A skill must stay above the floor, whatever else it gains. */
interface FlooredMetric {
  readonly floor: number | undefined
  readonly measure: (row: Row) => number | undefined
  /** How much worse the first value is than the second; negative if it is better. */
  readonly worse: (value: number, than: number) => number
  readonly describe: (candidate: number, current: number, floor: number) => string
}

const lessIsWorse: FlooredMetric['worse'] = (value, than) => than - value
const moreIsWorse: FlooredMetric['worse'] = (value, than) => value - than
const tenths = (value: number) => String(Math.round(10 * value) / 10)

function flooredMetrics({ accuracy, tokens, seconds }: Floors): readonly FlooredMetric[] {
  return [
    {
      floor: accuracy,
      measure: row => row.hard,
      worse: lessIsWorse,
      describe: (candidate, current, floor) =>
        `accuracy is ${points(candidate)}, below ${points(floor)} (${points(current)} with the current skill)`,
    },
    {
      floor: tokens,
      measure: row => row.tokens,
      worse: moreIsWorse,
      describe: (candidate, current, floor) =>
        `${count(Math.round(candidate))} tokens per attempt, at most ${count(floor)} allowed (${count(Math.round(current))} with the current skill)`,
    },
    {
      floor: seconds,
      measure: ({ ms }) => (ms === undefined ? undefined : ms / 1000),
      worse: moreIsWorse,
      describe: (candidate, current, floor) =>
        `${tenths(candidate)} seconds per attempt, at most ${tenths(floor)} allowed (${tenths(current)} with the current skill)`,
    },
  ]
}

/**
 * Describes the floors that a candidate breaks; empty if it keeps all. If the current skill is below a floor
 * too, the candidate only has to be no worse in that metric; otherwise training could never recover. The
 * comparison uses the first attempts at tasks that have a score under both skills.
 */
export function brokenFloors(
  current: readonly Row[],
  candidate: readonly Row[],
  floors: Floors,
): readonly string[] {
  const first = (side: 'current' | 'candidate', rows: readonly Row[]) =>
    rows.filter(({ sample }) => sample === 0).map(row => ({ side, row }))
  const pairs = pairsIn([...first('current', current), ...first('candidate', candidate)]).filter(
    pair => pair.current.hard !== undefined && pair.candidate.hard !== undefined,
  )
  return flooredMetrics(floors).flatMap(({ floor, measure, worse, describe }) => {
    if (floor === undefined || pairs.length === 0) return []
    const [before, after] = [pairs.map(pair => pair.current), pairs.map(pair => pair.candidate)].map(rows =>
      mean(rows.map(row => requireValue(measure(row)))),
    ) as [number, number]
    const isBelow = (value: number) => worse(value, floor) > roundingNoise
    const isNoWorse = isBelow(before) && worse(after, before) <= roundingNoise
    return !isBelow(after) || isNoWorse ? [] : [describe(after, before, floor)]
  })
}

/** Returns the value that a floor limits. With a floor, attempts without that value are never scored. */
function requireValue(value: number | undefined): number {
  if (value === undefined) throw new Error('An attempt lacks the value that a floor limits.')
  return value
}
