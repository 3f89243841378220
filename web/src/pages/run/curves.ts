import { wilsonInterval } from '../../../../src/core/statistics/intervals.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { ChartPoint, ChartSeries } from '../../parts/chart.js'

type Scored = Pick<RunView, 'series' | 'baseline' | 'steps' | 'tests' | 'best'>

/** Scores by step: what was tried on validation with its interval, the best so far, train batches and tests. */
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
    { name: 'validation', tone: 'validation', points: validationOf(view) },
    { name: 'train batch', tone: 'train', points: trainOf(view) },
    { name: 'test', tone: 'test', points: testsOf(view, last) },
  ]
}

/** An evaluation that was stopped early has no interval: its score is a bound. */
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

/** A batch is small, and its interval wide: that is what it is worth as a measure. */
function trainOf({ series, steps }: Scored): ChartPoint[] {
  const sizes = new Map(steps.map(({ step, rollout }) => [step, rollout?.scored ?? 0]))
  return series.train.map(({ step, value }) => around(step, value, sizes.get(step) ?? 0))
}

/** Without an interval where nobody knows how many were scored, or where the score is no share. */
function around(step: number, value: number, scored: number): ChartPoint {
  if (scored === 0 || value < 0 || value > 1) return { x: step, y: value }
  const { low, high } = wilsonInterval(value, scored)
  return { x: step, y: value, low, high }
}

/** The skills of the test at the steps that they came from. */
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
