import type { Config } from '../../core/config/config.js'
import { mean } from '../../core/statistics/repeats.js'
import { pairsIn } from '../../core/task/metric.js'
import type { Row } from '../../core/task/task.js'
import { count, points } from '../../core/text/format.js'

export type Floors = Config['evaluation']['floors']

/** Means that differ by less than this are equal up to rounding. */
const roundingNoise = 1e-9

/** A measure with a floor that a skill must keep, whatever else it gains. */
interface Respect {
  readonly floor: number | undefined
  readonly figureOf: (row: Row) => number | undefined
  /** By how much one value is worse than another. */
  readonly worse: (value: number, than: number) => number
  readonly told: (candidate: number, current: number, floor: number) => string
}

const lessIsWorse: Respect['worse'] = (value, than) => than - value
const moreIsWorse: Respect['worse'] = (value, than) => value - than
const tenths = (value: number) => String(Math.round(10 * value) / 10)

function respectsOf({ accuracy, tokens, seconds }: Floors): readonly Respect[] {
  return [
    {
      floor: accuracy,
      figureOf: row => row.hard,
      worse: lessIsWorse,
      told: (candidate, current, floor) =>
        `its accuracy is ${points(candidate)}, and the floor is ${points(floor)} (${points(current)} with the current skill)`,
    },
    {
      floor: tokens,
      figureOf: row => row.tokens,
      worse: moreIsWorse,
      told: (candidate, current, floor) =>
        `it takes ${count(Math.round(candidate))} tokens per attempt, and at most ${count(floor)} are allowed (${count(Math.round(current))} with the current skill)`,
    },
    {
      floor: seconds,
      figureOf: ({ ms }) => (ms === undefined ? undefined : ms / 1000),
      worse: moreIsWorse,
      told: (candidate, current, floor) =>
        `it takes ${tenths(candidate)} seconds per attempt, and at most ${tenths(floor)} are allowed (${tenths(current)} with the current skill)`,
    },
  ]
}

/**
 * Describes the floors that a candidate breaks; empty if it keeps all. If the current skill is below a floor
 * too, the candidate only has to be no worse in that measure; otherwise training could never recover. Both
 * are judged by their first attempts at the tasks that both have a score for.
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
  return respectsOf(floors).flatMap(({ floor, figureOf, worse, told }) => {
    if (floor === undefined || pairs.length === 0) return []
    const [before, after] = [pairs.map(pair => pair.current), pairs.map(pair => pair.candidate)].map(rows =>
      mean(rows.map(row => known(figureOf(row)))),
    ) as [number, number]
    const isBelow = (value: number) => worse(value, floor) > roundingNoise
    const isNoWorse = isBelow(before) && worse(after, before) <= roundingNoise
    return !isBelow(after) || isNoWorse ? [] : [told(after, before, floor)]
  })
}

/** In a run with a floor, attempts without the floor's measure are not scored. */
function known(value: number | undefined): number {
  if (value === undefined) throw new Error('An attempt without a figure came to a floor.')
  return value
}
