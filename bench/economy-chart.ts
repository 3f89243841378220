import { label, type Plot, plotOf, stairs, ticks, valueAxis } from '../src/report/charts/frame.js'
import { element, fragment, Markup } from '../src/report/markup.js'
import { type Compared, compared, type MeasuredRun } from './economy-run.js'
import { mean, points } from './figures.js'
import { count } from './table.js'

/** What stands around the figure is not known, so it brings its own paper; the browser says which. */
const styles = `
text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; fill: #5f5b55; }
.title { font-weight: 600; fill: #1d1c1a; } .figure { fill: #1d1c1a; font-variant-numeric: tabular-nums; }
.paper-back { fill: #fbfaf8; } .rule { stroke: #e5e1da; }
path, .mark { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
.paper { stroke: #946000; stroke-dasharray: 6 4; } .default { stroke: #0b7a5c; }
circle { stroke: none; } circle.paper { fill: #946000; } circle.default { fill: #0b7a5c; }
@media (prefers-color-scheme: dark) {
  text { fill: #b3afa6; } .title, .figure { fill: #ecebe7; }
  .paper-back { fill: #161614; } .rule { stroke: #35342f; }
  .paper { stroke: #e0ac4b; } .default { stroke: #4cc39a; }
  circle.paper { fill: #e0ac4b; } circle.default { fill: #4cc39a; }
}
`

const panel = { width: 300, height: 250 }
const margin = 18
const [top, below] = [84, 32]

/** The true score of the current skill over the target's calls made so far: one plot per world, mean over the seeds. */
export function economyChart(runs: readonly MeasuredRun[]): string {
  const worlds = [...new Set(runs.map(({ world }) => world))]
  const width = worlds.length * panel.width + 2 * margin
  const height = top + panel.height + below + margin
  const low = Math.min(...runs.flatMap(({ curve }) => curve.map(({ score }) => score)))
  const bottom = Math.floor(low * 10) / 10
  const title = 'True score of the skill, in points, over the calls of the target that training made'
  const drawing = element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, role: 'img' },
    element('title', {}, title),
    element('desc', {}, worlds.map(world => described(world, runs)).join(' ')),
    // Not a text for readers: its quotes have to stay quotes.
    element('style', {}, new Markup(styles)),
    element('rect', { width: '100%', height: '100%', rx: 8, class: 'paper-back' }),
    label(margin, 30, title, 'start', 'title'),
    legend(),
    worlds.map((world, index) =>
      element(
        'g',
        { transform: `translate(${margin + index * panel.width} ${top})` },
        worldPlot(world, runs, bottom),
      ),
    ),
  )
  return `${drawing.text}\n`
}

function legend(): Markup {
  const names = { paper: 'preset paper', default: 'preset default' }
  return fragment(
    compared.map((preset, index) =>
      element(
        'g',
        { transform: `translate(${margin + index * 150} 52)` },
        element('line', { x1: 0, y1: -4, x2: 28, y2: -4, class: `mark ${preset}` }),
        label(36, 0, names[preset]),
      ),
    ),
  )
}

function worldPlot(world: string, runs: readonly MeasuredRun[], bottom: number): Markup {
  const lines = compared.flatMap(preset => {
    const line = meanCurve(runs, world, preset)
    return line === undefined ? [] : [{ preset, ...line }]
  })
  const most = Math.max(...lines.map(({ end }) => end.calls))
  const plot = plotOf(panel.width, panel.height, { x: [0, most * 1.04], y: [bottom, 1] })
  const row = (index: number) => panel.height + 14 + 18 * index
  return fragment(
    label(plot.left, 0, world, 'start', 'title'),
    valueAxis(plot, ticks(bottom, 1, 5), value => String(Math.round(100 * value))),
    callAxis(plot, most),
    // Dashes over a whole line can be seen, and not the other way round.
    lines.toReversed().map(({ preset, curve, end }) => [
      stairs(
        curve.map(({ calls, score }) => [plot.x(calls), plot.y(score)]),
        plot.x(end.calls),
        preset,
      ),
      element('circle', { cx: plot.x(end.calls), cy: plot.y(end.score), r: 4.5, class: preset }),
    ]),
    lines.map(({ preset, end }, index) => [
      label(plot.left, row(index), preset),
      label(plot.right - 60, row(index), `${count(end.calls)} calls`, 'end', 'figure'),
      label(plot.right, row(index), points(end.score), 'end', 'figure'),
    ]),
  )
}

function callAxis(plot: Plot, most: number): Markup {
  return fragment(
    ticks(0, most, 4, 1).map(value =>
      label(plot.x(value), plot.bottom + 18, count(value), value === 0 ? 'start' : 'middle'),
    ),
  )
}

interface MeanCurve {
  readonly curve: MeasuredRun['curve']
  readonly end: MeasuredRun['curve'][number]
}

/** Up to where the runs ended in the mean. A run that ended before keeps the score that it ended with. */
function meanCurve(runs: readonly MeasuredRun[], world: string, preset: Compared): MeanCurve | undefined {
  const curves = runs.filter(run => run.world === world && run.preset === preset).map(({ curve }) => curve)
  if (curves.length === 0) return undefined
  const ends = curves.flatMap(curve => curve.at(-1) ?? [])
  const end = {
    calls: mean(ends.map(({ calls }) => calls)),
    score: mean(ends.map(({ score }) => score)),
  }
  const moments = new Set(curves.flatMap(curve => curve.map(({ calls }) => calls)))
  const curve = [...moments]
    .filter(calls => calls < end.calls)
    .sort((left, right) => left - right)
    .map(calls => ({ calls, score: mean(curves.map(one => scoreAt(one, calls))) }))
  return { curve: [...curve, end], end }
}

function scoreAt(curve: MeasuredRun['curve'], moment: number): number {
  return curve.findLast(({ calls }) => calls <= moment)?.score ?? 0
}

function described(world: string, runs: readonly MeasuredRun[]): string {
  const ends = compared.flatMap(preset => {
    const end = meanCurve(runs, world, preset)?.end
    return end === undefined ? [] : [`${preset} ${points(end.score)} points after ${count(end.calls)} calls`]
  })
  return `World ${world}: ${ends.join(', ')}.`
}
