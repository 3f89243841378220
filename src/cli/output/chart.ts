import * as asciichart from 'asciichart'
import type { Point, RunView } from '../../core/view/fold.js'
import { type Colors, points } from './text.js'

const labelWidth = 6
const symbols = ['┤', '┤', '╶', '╴', '─', '╰', '╭', '╮', '╯', '│']

/** Plots the scores of the steps so far, with a legend. Returns an empty string if there are none. */
export function scoreChart(
  view: RunView,
  options: { width: number; height: number; colors: Colors },
): readonly string[] {
  const { colors, height } = options
  // The x-axis is the skill version. A step's rollout measures the version before it, its gate the new one.
  const train = view.series.train.map(({ step, value }) => ({ step: step - 1, value }))
  const all = [
    { name: 'train', points: train, color: asciichart.blue, paint: colors.blue },
    { name: 'validation', points: view.series.validation, color: asciichart.magenta, paint: colors.magenta },
    { name: 'best', points: view.series.best, color: asciichart.green, paint: colors.green },
  ].filter(series => series.points.length > 0)
  const lastStep = Math.max(...all.flatMap(series => series.points.map(point => point.step)))
  if (all.length === 0) return []
  const legend = all
    .map(series => `${series.paint('──')} ${series.name} ${points(series.points.at(-1)?.value ?? 0)}`)
    .join('   ')
  if (lastStep < 1) return [`${' '.repeat(labelWidth)}${legend}`]

  const values = all.flatMap(series => series.points.map(point => point.value))
  const low = Math.max(0, Math.floor(Math.min(...values) * 10 - 0.5) / 10)
  const high = Math.min(1, Math.ceil(Math.max(...values) * 10 + 0.5) / 10)
  const scale = (value: number) => ((value - low) / (high - low)) * height
  const columns = Math.max(2, options.width - labelWidth - 2)
  const perStep = Math.max(1, Math.min(8, Math.floor(columns / lastStep)))
  const wanted = Math.min(columns, lastStep * perStep + 1)
  const plot = asciichart.plot(
    all.map(series => resample(series.points, lastStep, wanted).map(scale)),
    {
      height,
      min: 0,
      max: height,
      offset: 2,
      symbols,
      format: (_, row) =>
        `${Math.round((high - ((high - low) * row) / height) * 100)}`
          .padStart(labelWidth - 2)
          .padEnd(labelWidth),
      colors: colors.isColorSupported ? all.map(series => series.color) : undefined,
    },
  )
  return [...plot.split('\n').map(line => line.trimEnd()), `${' '.repeat(labelWidth)}${legend}`]
}

/** The score at each column of the chart. A score holds until the next one is known. */
function resample(series: readonly Point[], lastStep: number, columns: number): number[] {
  return Array.from({ length: columns }, (_, column) => {
    const step = (column / (columns - 1)) * lastStep
    const known = series.findLast(point => point.step <= step + 1e-9) ?? series[0]
    return known?.value ?? 0
  })
}
