import { element, fragment, Markup } from '../../src/report/blocks/markup.js'
import { label, type Plot, plotOf, stairs, ticks, valueAxis } from '../../src/report/charts/frame.js'
import { mean, points } from '../figures.js'
import { count } from '../table.js'
import type { PeerRun } from './run.js'

/**
 * The surrounding page is unknown, so the chart has its own background; the browser's colour scheme selects
 * the colours.
 */
const styles = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #5f5b55; }
.title { font-weight: 600; fill: #1d1c1a; } .figure { fill: #1d1c1a; font-variant-numeric: tabular-nums; }
.paper-back { fill: #fbfaf8; } .rule { stroke: #e5e1da; }
path, .mark { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.line-0 { stroke: #0b7a5c; } .line-1 { stroke: #946000; stroke-dasharray: 6 4; } .line-2 { stroke: #5b5bd6; stroke-dasharray: 2 3; }
circle { stroke: none; } circle.line-0 { fill: #0b7a5c; } circle.line-1 { fill: #946000; } circle.line-2 { fill: #5b5bd6; }
@media (prefers-color-scheme: dark) {
  text { fill: #b3afa6; } .title, .figure { fill: #ecebe7; }
  .paper-back { fill: #161614; } .rule { stroke: #35342f; }
  .line-0 { stroke: #4cc39a; } .line-1 { stroke: #e0ac4b; } .line-2 { stroke: #9d9df5; }
  circle.line-0 { fill: #4cc39a; } circle.line-1 { fill: #e0ac4b; } circle.line-2 { fill: #9d9df5; }
}
`

const panel = { width: 640, height: 300 }
const margin = 18
const rowHeight = 20

interface Line {
  readonly trainer: string
  readonly className: string
  readonly curve: PeerRun['curve']
  readonly end: PeerRun['curve'][number]
}

/** True score of the skill that would ship, by target calls so far: mean over each trainer's runs. */
export function scoreChart(runs: readonly PeerRun[], trainers: readonly string[], about: string): string {
  const lines = trainers.flatMap((trainer, index) => {
    const line = meanCurve(runs.filter(run => run.trainer === trainer).map(({ curve }) => curve))
    return line === undefined ? [] : [{ trainer, className: `line-${index}`, ...line }]
  })
  const top = 64
  const width = panel.width + 2 * margin
  const height = top + panel.height + lines.length * rowHeight + 2 * margin
  const title = 'True score of the skill, in points, over the target calls that training made'
  const ends = lines.map(
    ({ trainer, end }) => `${trainer}: ${points(end.score)} points after ${count(end.calls)} calls.`,
  )
  const drawing = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, role: 'img' },
    element('title', {}, title),
    element('desc', {}, `${about}. ${ends.join(' ')}`),
    // Not escaped: its quotes must stay quotes.
    element('style', {}, new Markup(styles)),
    element('rect', { width: '100%', height: '100%', rx: 8, class: 'paper-back' }),
    label({ x: margin, y: 30 }, title, { anchor: 'start', className: 'title' }),
    label({ x: margin, y: 50 }, about),
    element('g', { transform: `translate(${margin} ${top})` }, plotOfLines(lines)),
  )
  return `${drawing.text}\n`
}

function plotOfLines(lines: readonly Line[]): Markup {
  const scores = lines.flatMap(({ curve }) => curve.map(({ score }) => score))
  const bottom = Math.floor(Math.min(...scores) * 10) / 10
  const ceiling = Math.min(1, Math.ceil(Math.max(...scores) * 10) / 10)
  const most = Math.max(...lines.map(({ end }) => end.calls))
  const plot = plotOf(
    { width: panel.width, height: panel.height },
    { x: [0, most * 1.04], y: [bottom, ceiling] },
  )
  const row = (index: number) => panel.height + 20 + rowHeight * index
  return fragment(
    valueAxis(plot, ticks([bottom, ceiling], 5), value => String(Math.round(100 * value))),
    callAxis(plot, most),
    // The first trainer is drawn last, above the others.
    lines.toReversed().map(({ className, curve, end }) => [
      stairs(
        curve.map(({ calls, score }) => [plot.x(calls), plot.y(score)]),
        plot.x(end.calls),
        className,
      ),
      element('circle', { cx: plot.x(end.calls), cy: plot.y(end.score), r: 4.5, class: className }),
    ]),
    lines.map(({ trainer, className, end }, index) => [
      element('line', {
        x1: plot.left,
        y1: row(index) - 4,
        x2: plot.left + 28,
        y2: row(index) - 4,
        class: `mark ${className}`,
      }),
      label({ x: plot.left + 36, y: row(index) }, trainer),
      label({ x: plot.right - 70, y: row(index) }, `${count(end.calls)} calls`, {
        anchor: 'end',
        className: 'figure',
      }),
      label({ x: plot.right, y: row(index) }, points(end.score), { anchor: 'end', className: 'figure' }),
    ]),
  )
}

function callAxis(plot: Plot, most: number): Markup {
  return fragment(
    ticks([0, most], 5, 1).map(value =>
      label({ x: plot.x(value), y: plot.bottom + 18 }, count(value), {
        anchor: value === 0 ? 'start' : 'middle',
      }),
    ),
  )
}

/** Ends at the mean end of the runs. A run that ended earlier keeps its final score. */
function meanCurve(curves: readonly PeerRun['curve'][]): Pick<Line, 'curve' | 'end'> | undefined {
  if (curves.length === 0) return undefined
  const ends = curves.flatMap(curve => curve.at(-1) ?? [])
  const end = { calls: mean(ends.map(({ calls }) => calls)), score: mean(ends.map(({ score }) => score)) }
  // Runs change at many moments; 100 points over the width are as fine as the eye can see.
  const moments = Array.from({ length: 100 }, (_, index) => Math.round((end.calls * index) / 100))
  const curve = moments.map(calls => ({ calls, score: mean(curves.map(one => scoreAt(one, calls))) }))
  const changes = curve.filter(({ score }, index) => index === 0 || score !== curve[index - 1]?.score)
  return { curve: [...changes, end], end }
}

function scoreAt(curve: PeerRun['curve'], moment: number): number {
  return curve.findLast(({ calls }) => calls <= moment)?.score ?? 0
}
