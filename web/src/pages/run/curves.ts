import { wilsonInterval } from '../../../../src/core/statistics/intervals.js'
import { estimateInterval } from '../../../../src/core/view/gate-estimate.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { ChartPoint, ChartSeries } from '../../parts/chart.js'

type Scored = Pick<RunView, 'series' | 'baseline' | 'steps' | 'tests' | 'best'>

/** Scores by step: validation with confidence interval, best so far, train batches and tests. */
export function curvesOf(view: Scored): ChartSeries[] {
  const { best } = view.series
  const last = Math.max(0, ...view.steps.map(({ step }) => step))
  const held = best.at(-1)
  const bestPoints = best.map(({ step, value }) => ({ x: step, y: value }))
  return [
    {
      name: 'best so far',
      tone: 'best',
      step: true,
      points:
        held !== undefined && held.step < last ? [...bestPoints, { x: last, y: held.value }] : bestPoints,
    },
    { name: 'validation', tone: 'validation', scatter: true, points: validationOf(view) },
    { name: 'stopped early: estimate', tone: 'fifth', scatter: true, points: estimatesOf(view) },
    { name: 'train batch', tone: 'train', points: trainOf(view) },
    { name: 'test', tone: 'test', scatter: true, points: testsOf(view, last) },
  ]
}

function validationOf({ series, baseline, steps }: Scored): ChartPoint[] {
  const sizes = new Map(
    steps.map(({ step, gate, evaluation }) => [
      step,
      gate?.verdict.complete === true ? (evaluation?.scored ?? 0) : 0,
    ]),
  )
  return series.validation.map(({ step, value }) =>
    around(step, value, step === 0 ? (baseline?.scored ?? 0) : (sizes.get(step) ?? 0)),
  )
}

/** Steps whose evaluation was stopped early, with the gate's estimate and its interval. */
function estimatesOf({ steps }: Scored): ChartPoint[] {
  return steps.flatMap(({ step, gate }) => {
    const interval = gate === undefined ? undefined : estimateInterval(gate)
    return interval === undefined
      ? []
      : [{ x: step, y: interval.mean, low: interval.low, high: interval.high }]
  })
}

/** Scores of the train batches. A small batch has a wide interval, which shows how uncertain its score is. */
function trainOf({ series, steps }: Scored): ChartPoint[] {
  const sizes = new Map(steps.map(({ step, rollout }) => [step, rollout?.scored ?? 0]))
  return series.train.map(({ step, value }) => around(step, value, sizes.get(step) ?? 0))
}

/**
 * A chart point with its confidence interval. The interval is omitted if the number of scored tasks is
 * unknown, or if the score is not a proportion.
 */
function around(step: number, value: number, scored: number): ChartPoint {
  if (scored === 0 || value < 0 || value > 1) return { x: step, y: value }
  const { low, high } = wilsonInterval(value, scored)
  return { x: step, y: value, low, high }
}

/** Test scores. Each is placed at the step that produced the tested skill. */
function testsOf({ tests, best }: Scored, last: number): ChartPoint[] {
  const places = { initial: 0, best: best?.version, last } as const
  const points = new Map<number, ChartPoint>()
  for (const which of ['initial', 'last', 'best'] as const) {
    const test = tests.find(one => one.which === which && one.scored > 0)
    const x = places[which]
    if (test === undefined || x === undefined) continue
    points.set(x, { x, y: test.score, low: test.interval.low, high: test.interval.high })
  }
  return [...points.values()].sort((one, other) => one.x - other.x)
}
