import { wilsonInterval } from '../../core/statistics/intervals.js'
import { points } from '../../core/text/format.js'
import type { RunView } from '../../core/view/fold.js'
import { type Decision, decisionOf } from '../../core/view/gate-decisions.js'
import { estimateInterval } from '../../core/view/gate-estimate.js'
import type { Chart } from '../blocks/blocks.js'
import { element, fragment, type Markup } from '../blocks/markup.js'
import { legendOf, mark } from './decisions.js'
import { label, line, type Plot, path, plotOf, stairs, stepAxis, ticks, valueAxis, whisker } from './frame.js'

/** A candidate on validation, or the seed skill as step 0. */
interface Candidate {
  readonly step: number
  readonly score: number
  /** 95% interval of the measured or estimated score; undefined if there is none. */
  readonly interval: { readonly low: number; readonly high: number } | undefined
  readonly decision: Decision | undefined
}

/** Scores by step: every candidate on validation with its interval, the best so far, and the train batches. */
export function scoreChart(view: RunView): Chart | undefined {
  const candidates = candidatesOf(view)
  const { train, best } = view.series
  if (candidates.length === 0 && train.length === 0) return undefined
  const last = Math.max(1, ...[...candidates, ...train].map(({ step }) => step))
  const values = [
    ...candidates.flatMap(({ score, interval }) => [score, interval?.low ?? score, interval?.high ?? score]),
    ...[...train, ...best].map(({ value }) => value),
  ]
  const range: readonly [number, number] = [
    tenth(Math.min(...values), Math.floor),
    tenth(Math.max(...values), Math.ceil),
  ]
  const decisions = candidates.flatMap(({ decision }) => decision ?? [])
  return {
    kind: 'chart',
    title: 'Scores by step',
    description: descriptionOf(view, candidates),
    legend: [
      ...(best.length > 0
        ? [{ name: 'best so far', mark: line({ x1: 0, y1: 6, x2: 16, y2: 6 }, 'best') }]
        : []),
      ...legendOf(decisions).map(entry => ({ ...entry, name: `candidate, ${entry.name}` })),
      ...(view.baseline ? [{ name: 'seed skill', mark: seedMark(8, 6, 4) }] : []),
      ...(train.length > 0
        ? [{ name: 'train batch', mark: line({ x1: 0, y1: 6, x2: 16, y2: 6 }, 'train') }]
        : []),
    ],
    draw: width => {
      const height = width < 500 ? 240 : 320
      const plot = plotOf({ width, height }, { x: [-0.5, last + 0.5], y: spread(range) })
      const size = Math.min(5, Math.max(1.8, ((plot.right - plot.left) / (last + 1)) * 0.3))
      const at = (point: { step: number; value: number }) =>
        [plot.x(point.step), plot.y(point.value)] as const
      const content = fragment(
        valueAxis(plot, ticks(spread(range), 5), value => `${Math.round(value * 100)}%`),
        epochRules(view, plot),
        stepAxis(plot, [0, last], 'step'),
        train.length > 0 ? path(train.map(at), 'train') : undefined,
        best.length > 0 ? stairs(best.map(at), plot.x(last), 'best') : undefined,
        candidates.map(candidate => candidateMark(candidate, plot, size)),
      )
      return { width, height, content }
    },
  }
}

function candidatesOf(view: RunView): Candidate[] {
  const { baseline } = view
  const seed: Candidate[] =
    baseline && baseline.scored > 0
      ? [
          {
            step: 0,
            score: baseline.score,
            interval: wilsonInterval(baseline.score, baseline.scored),
            decision: undefined,
          },
        ]
      : []
  const steps = view.steps.flatMap(({ step, gate, evaluation }): Candidate[] => {
    if (gate?.score === undefined) return []
    const interval =
      evaluation && evaluation.scored > 0
        ? wilsonInterval(gate.score, evaluation.scored)
        : estimateInterval(gate)
    return [{ step, score: gate.score, interval, decision: decisionOf(gate) }]
  })
  return [...seed, ...steps]
}

function candidateMark({ step, score, interval, decision }: Candidate, plot: Plot, size: number): Markup {
  const [x, y] = [plot.x(step), plot.y(score)]
  const between = interval ? ` (${points(interval.low)} to ${points(interval.high)})` : ''
  const title = `${decision === undefined ? 'Seed skill' : `Step ${step}, ${decision}`}: ${points(score)}${between}`
  return element(
    'g',
    {},
    element('title', {}, title),
    // No error bars on small marks: hundreds of them side by side would hide the points.
    interval && size > 2
      ? whisker({ x, low: plot.y(interval.low), high: plot.y(interval.high), half: size * 0.7 }, 'whisker')
      : undefined,
    decision === undefined ? seedMark(x, y, size) : mark(decision, { x, y }, size),
  )
}

function seedMark(x: number, y: number, size: number): Markup {
  return element('rect', { x: x - size, y: y - size, width: 2 * size, height: 2 * size, class: 'mark seed' })
}

/** Marks the start of each epoch, if there is room. */
function epochRules(view: RunView, plot: Plot): Markup {
  const starts = view.steps.filter((step, index) => step.epoch !== view.steps[index - 1]?.epoch)
  const room = (plot.right - plot.left) / Math.max(1, starts.length)
  return fragment(
    starts.map(({ step, epoch }) => [
      epoch === 1
        ? undefined
        : line({ x1: plot.x(step - 0.5), y1: plot.top, x2: plot.x(step - 0.5), y2: plot.bottom }, 'epoch'),
      room > 64
        ? label({ x: plot.x(step - 0.5) + 5, y: plot.top + 10 }, `epoch ${epoch}`, {
            anchor: 'start',
            className: 'faint',
          })
        : undefined,
    ]),
  )
}

function descriptionOf(view: RunView, candidates: readonly Candidate[]): string {
  const [seed] = candidates.filter(({ decision }) => decision === undefined)
  const parts = [
    seed ? `The seed skill scored ${points(seed.score)} on validation.` : '',
    view.best ? `The best skill scored ${points(view.best.score)}, after step ${view.best.version}.` : '',
    `${candidates.filter(({ decision }) => decision === 'accepted').length} of ${candidates.length - (seed ? 1 : 0)} candidates were accepted.`,
    'The whiskers are 95% intervals.',
  ]
  return parts.filter(part => part !== '').join(' ')
}

const tenth = (value: number, round: (value: number) => number) =>
  round(value * 10 + (round === Math.ceil ? -1e-9 : 1e-9)) / 10

/** Widens a narrow range, in which small differences would look large and equal scores lie on the edge. */
function spread([low, high]: readonly [number, number]): [number, number] {
  return high - low >= 0.2 ? [low, high] : [Math.max(0, low - 0.1), Math.min(1, high + 0.1)]
}
