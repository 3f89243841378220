import type { Chart, LegendEntry } from '../blocks/blocks.js'
import { element, fragment, type Markup } from '../blocks/markup.js'
import { label, scale } from './frame.js'

export interface BarRow {
  readonly name: string
  /** Parts of the bar from left to right; `part` names the colour. */
  readonly parts: readonly { readonly part: string; readonly value: number }[]
  readonly text: string
}

export interface BarOptions {
  readonly title: string
  readonly description: string
  readonly parts: readonly { readonly part: string; readonly name: string }[]
}

/** Horizontal stacked bars, with the name before each bar and the value after it. */
export function barChart(rows: readonly BarRow[], { title, description, parts }: BarOptions): Chart {
  const most = Math.max(Number.EPSILON, ...rows.map(sum))
  return {
    kind: 'chart',
    title,
    description,
    legend: parts.length < 2 ? [] : parts.map(legendEntry),
    draw: width => {
      const rowHeight = 28
      const longest = (of: (row: BarRow) => string) => Math.max(...rows.map(row => of(row).length))
      const left = Math.min(width * 0.32, 12 + 7.2 * longest(row => row.name))
      const right = width - Math.min(width * 0.4, 16 + 7 * longest(row => row.text))
      const x = scale([0, most], [left, Math.max(left + 20, right)])
      const content = fragment(rows.map((row, index) => bar(row, index * rowHeight + 4, { left, x })))
      return { width, height: rows.length * rowHeight + 8, content }
    },
  }
}

function bar(row: BarRow, y: number, { left, x }: { left: number; x: (value: number) => number }): Markup {
  let before = 0
  const segments = row.parts.map(({ part, value }) => {
    const from = x(before)
    before += value
    return element('rect', {
      x: from,
      y: y + 3,
      width: Math.max(0, x(before) - from),
      height: 16,
      class: `part ${part}`,
    })
  })
  return element(
    'g',
    {},
    element('title', {}, `${row.name}: ${row.text}`),
    label({ x: left - 10, y: y + 15 }, row.name, { anchor: 'end', className: 'name' }),
    segments,
    label({ x: x(before) + 8, y: y + 15 }, row.text),
  )
}

function legendEntry({ part, name }: BarOptions['parts'][number]): LegendEntry {
  return { name, mark: element('rect', { x: 2, y: 0, width: 12, height: 12, class: `part ${part}` }) }
}

const sum = (row: BarRow) => row.parts.reduce((total, { value }) => total + value, 0)
