import type { Point } from '../../../src/core/view/run-view.js'

const width = 96
const height = 24
const edge = 3

/** A word-sized chart of a figure. */
export function Sparkline({ points, label }: { readonly points: readonly Point[]; readonly label: string }) {
  const placed = place(points)
  const last = placed.at(-1)
  if (last === undefined) return <span className="muted">–</span>
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <polyline points={placed.map(({ x, y }) => `${x},${y}`).join(' ')} />
      <circle cx={last.x} cy={last.y} r="2.5" />
    </svg>
  )
}

/** Scales the points to the chart, with the lowest value at the bottom. Constant values are centred. */
function place(points: readonly Point[]): readonly { readonly x: number; readonly y: number }[] {
  const steps = points.map(point => point.step)
  const values = points.map(point => point.value)
  const along = scale(Math.min(...steps), Math.max(...steps), edge, width - edge)
  const up = scale(Math.min(...values), Math.max(...values), height - edge, edge)
  return points.map(({ step, value }) => ({ x: round(along(step)), y: round(up(value)) }))
}

function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  return to === from
    ? () => (start + end) / 2
    : value => start + ((value - from) / (to - from)) * (end - start)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
