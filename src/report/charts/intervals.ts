import type { Interval } from '../../core/statistics/interval.js'
import { points } from '../../core/text/format.js'
import type { Chart } from '../blocks/blocks.js'
import { element, fragment, type Markup } from '../blocks/markup.js'
import { label, line, scale } from './frame.js'

export interface IntervalRow {
  readonly name: string
  readonly score: number
  readonly interval: Interval
  readonly strong: boolean
}

/** Scores as dots on a scale from 0 to 100%, each with its 95% confidence interval. */
export function intervalChart(rows: readonly IntervalRow[], title: string): Chart {
  const texts = rows.map(
    ({ name, score, interval }) =>
      `${name} ${points(score)}, ${points(interval.low)} to ${points(interval.high)}`,
  )
  return {
    kind: 'chart',
    title,
    description: `With 95% intervals: ${texts.join('; ')}.`,
    legend: [],
    draw: width => {
      const rowHeight = 34
      const bottom = rows.length * rowHeight + 6
      const left = 12 + 7.2 * Math.max(...rows.map(({ name }) => name.length))
      const x = scale([0, 1], [left, width - 62])
      const content = fragment(
        [0, 0.25, 0.5, 0.75, 1].map(value => [
          line({ x1: x(value), y1: 4, x2: x(value), y2: bottom }, 'rule'),
          label({ x: x(value), y: bottom + 16 }, `${value * 100}%`, { anchor: 'middle' }),
        ]),
        rows.map((row, index) => dot(row, index * rowHeight + 22, { left, width, x })),
      )
      return { width, height: bottom + 22, content }
    },
  }
}

function dot(
  row: IntervalRow,
  y: number,
  { left, width, x }: { left: number; width: number; x: (value: number) => number },
): Markup {
  const { name, score, interval, strong } = row
  const className = strong ? 'strong' : 'plain'
  return element(
    'g',
    { class: className },
    element('title', {}, `${name}: ${points(score)} (${points(interval.low)} to ${points(interval.high)})`),
    label({ x: left - 12, y: y + 4 }, name, { anchor: 'end', className: 'name' }),
    element('rect', {
      x: x(interval.low),
      y: y - 4,
      width: Math.max(1, x(interval.high) - x(interval.low)),
      height: 8,
      rx: 4,
      class: 'range',
    }),
    element('circle', { cx: x(score), cy: y, r: 6, class: 'dot' }),
    label({ x: width - 2, y: y + 4 }, points(score), { anchor: 'end', className: 'value' }),
  )
}
