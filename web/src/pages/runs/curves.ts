import type { ComparedRun, CurvePoint } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { type ChartSeries, type ChartTone, chartTones, plainNumber } from '../../parts/chart-data.js'
import { count, duration, plural, shortCount, visibleLine } from '../../parts/format.js'
import { costIn, isTimed, tokensIn } from './figures.js'

/** The x-axes to choose from, by their names in the URL. */
export const axes = ['step', 'tokens', 'cost', 'time'] as const
export type Axis = (typeof axes)[number]

export const curveKinds = ['best', 'validation'] as const
export type CurveKind = (typeof curveKinds)[number]

export function axisIn(query: URLSearchParams): Axis {
  return axes.find(axis => axis === query.get('by')) ?? 'step'
}

export function curveKindIn(query: URLSearchParams): CurveKind {
  return curveKinds.find(kind => kind === query.get('score')) ?? 'best'
}

export interface AxisWords {
  readonly choice: string
  readonly name: string
  readonly text: (value: number) => string
  readonly steps?: readonly number[]
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

export const axisWords: Readonly<Record<Axis, AxisWords>> = {
  step: { choice: 'Step', name: 'step', text: count, steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
  tokens: { choice: 'Tokens', name: 'tokens', text: shortCount },
  cost: { choice: 'Money', name: 'cost', text: price },
  time: {
    choice: 'Time',
    name: 'time at work',
    text: time,
    steps: [
      1,
      2,
      5,
      10,
      20,
      50,
      100,
      200,
      500,
      ...[1, 2, 5, 10, 15, 30].map(seconds => seconds * second),
      ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * minute),
      ...[1, 2, 3, 6, 12].map(hours => hours * hour),
      ...[1, 2, 5, 10, 20, 50].map(days => days * day),
    ],
  },
}

export const curveWords: Readonly<Record<CurveKind, string>> = {
  best: 'Best so far',
  validation: 'Measured at each step',
}

/** Formats a price. Small amounts show fractions of a cent, because whole cents could not tell them apart. */
function price(dollars: number): string {
  const digits = Math.abs(dollars) < 1 ? 4 : 2
  return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: dollars === 0 ? 0 : 2, maximumFractionDigits: digits })}`
}

function time(milliseconds: number): string {
  if (milliseconds === 0) return '0 s'
  if (milliseconds < second) return `${Math.round(milliseconds)} ms`
  return milliseconds < minute ? `${plainNumber(milliseconds / second)} s` : duration(milliseconds)
}

/** The tone of a run, which is the same on the chart and in the tables. */
export function toneAt(index: number): ChartTone {
  return chartTones[index % chartTones.length] ?? 'best'
}

/** Distinct names for the runs. Runs of the same name are distinguished by folder. */
export function namesOf(summaries: readonly Pick<RunSummary, 'name' | 'directory'>[]): readonly string[] {
  return summaries.map(({ name, directory }) => {
    const isAlone = summaries.filter(other => other.name === name).length === 1
    return visibleLine(isAlone ? name : `${name} (${directory})`)
  })
}

export interface Curves {
  readonly series: readonly ChartSeries[]
  /** Notes on which lines or points are missing, and why. */
  readonly notes: readonly string[]
}

export function curvesOf(runs: readonly ComparedRun[], by: Axis, kind: CurveKind): Curves {
  const names = namesOf(runs.map(({ summary }) => summary))
  const drawn = runs.map((run, index): { readonly series: ChartSeries; readonly note?: string } => {
    const name = names[index] ?? run.summary.name
    const points = run.points.flatMap(point => {
      const y = point[kind]
      return y === undefined ? [] : [{ x: placeOf(point, by), y }]
    })
    const series = { name, tone: toneAt(index), points, step: kind === 'best' }
    const absence = points.length === 0 ? 'It has no validation score.' : whyAbsent(run.summary, by)
    if (absence !== undefined) return { series: { ...series, points: [] }, note: `${name}: ${absence}` }
    const note = whatIsMissing(run.summary, by) ?? whyInOnePlace(series, by)
    return note === undefined ? { series } : { series, note: `${name}: ${note}` }
  })
  return {
    series: drawn.map(({ series }) => series).filter(({ points }) => points.length > 0),
    notes: drawn.flatMap(({ note }) => note ?? []),
  }
}

function placeOf({ step, tokens, cost, activeMs }: CurvePoint, by: Axis): number {
  return { step, tokens, cost, time: activeMs }[by]
}

function whyAbsent(run: RunSummary, by: Axis): string | undefined {
  if (by === 'tokens' && tokensIn(run) === undefined) return 'How many tokens it used is not known.'
  if (by === 'cost' && costIn(run) === undefined) return 'What it cost is not known.'
  if (by === 'time' && !isTimed(run)) return 'How long it took was not recorded.'
  return undefined
}

/** Describes what is missing from a sum. The sum is too small if some values are unknown. */
function whatIsMissing({ calls, unknownUsage, unknownCost }: RunSummary, by: Axis): string | undefined {
  const unknown = { step: 0, tokens: unknownUsage, cost: unknownCost, time: 0 }[by]
  if (unknown === 0) return undefined
  const what = by === 'tokens' ? 'tokens' : 'price'
  return `The ${what} of ${count(unknown)} of its ${plural(calls, 'call')} ${by === 'tokens' ? 'are' : 'is'} not known, so it belongs further to the right.`
}

function whyInOnePlace({ points }: ChartSeries, by: Axis): string | undefined {
  const isFree = by === 'cost' && points.length > 1 && points.every(({ x }) => x === 0)
  return isFree ? 'It cost nothing, so all of it stands at $0.' : undefined
}
