import type { Verdict } from '../ports/gate.js'
import type { Interval } from '../statistics/intervals.js'
import { points, signedPoints } from './figures.js'
import type { GateView } from './run-view.js'

/**
 * The candidate's score as readers show it. A gate that stopped early records an upper bound, which is no
 * score: readers show the gate's estimate instead, and nothing if the gate makes none.
 */
export function shownScore({
  current,
  score,
  verdict,
}: {
  readonly current: number
  readonly score: number
  readonly verdict: Verdict
}): number | undefined {
  if (verdict.complete) return score
  return verdict.effect === undefined ? undefined : within(current + verdict.effect.mean)
}

type Shown = Pick<GateView, 'current' | 'score' | 'verdict'>

/** 95% interval of an estimated score; undefined for a measured score, which has its own interval. */
export function estimateInterval({ current, verdict }: Shown): Interval | undefined {
  const { complete, effect } = verdict
  if (complete || effect === undefined) return undefined
  return {
    mean: within(current + effect.mean),
    low: within(current + effect.low),
    high: within(current + effect.high),
  }
}

export function gateChange({ current, score }: Shown): number | undefined {
  return score === undefined ? undefined : score - current
}

/** "72.0%", "about 50.2% (45.3% to 55.1%)" if the evaluation was stopped early, or "not measured". */
export function gateScoreText(gate: Shown): string {
  if (gate.score === undefined) return 'not measured'
  const interval = estimateInterval(gate)
  if (interval === undefined) return points(gate.score)
  return `about ${points(gate.score)} (${points(interval.low)} to ${points(interval.high)})`
}

/** Change such as "+22.0", "about +0.2" if the evaluation was stopped early, or "–". */
export function gateChangeText(gate: Shown): string {
  const change = gateChange(gate)
  if (change === undefined) return '–'
  return `${gate.verdict.complete ? '' : 'about '}${signedPoints(change)}`
}

function within(score: number): number {
  return Math.min(1, Math.max(0, score))
}
