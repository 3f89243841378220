import { element, fragment, type Markup } from '../blocks/markup.js'

/** The area of a plot and how values map onto it. */
export interface Plot {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  x(value: number): number
  y(value: number): number
}

export interface Domain {
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
}

export function plotOf({ width, height }: Pick<Plot, 'width' | 'height'>, domain: Domain, left = 44): Plot {
  const [right, top, bottom] = [width - 14, 10, height - 34]
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    x: scale(domain.x, [left, right]),
    y: scale(domain.y, [bottom, top]),
  }
}

export function scale(from: readonly [number, number], to: readonly [number, number]) {
  const width = from[1] - from[0]
  const factor = width === 0 ? 0 : (to[1] - to[0]) / width
  return (value: number) => to[0] + (value - from[0]) * factor
}

/** Round values over a range, about as many as requested. Their spacing is 1, 2 or 5 times a power of ten. */
export function ticks([low, high]: readonly [number, number], about: number, smallest = 0): number[] {
  const rough = Math.max((high - low) / Math.max(1, about), smallest, Number.EPSILON)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find(factor => factor * power >= rough * 0.75) ?? 10)
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  )
}

/** Horizontal grid lines with their values on the left. */
export function valueAxis(plot: Plot, values: readonly number[], format: (value: number) => string): Markup {
  return fragment(
    values.map(value => [
      line({ x1: plot.left, y1: plot.y(value), x2: plot.right, y2: plot.y(value) }, 'rule'),
      label({ x: plot.left - 8, y: plot.y(value) + 4 }, format(value), { anchor: 'end' }),
    ]),
  )
}

/** Whole numbers below the plot, with the axis name. */
export function stepAxis(plot: Plot, [first, last]: readonly [number, number], name: string): Markup {
  const about = Math.max(2, Math.floor((plot.right - plot.left) / 56))
  const values = ticks([first, last], about, 1).filter(value => value >= first && value <= last)
  return fragment(
    line({ x1: plot.left, y1: plot.bottom, x2: plot.right, y2: plot.bottom }, 'axis'),
    values.map(value =>
      label({ x: plot.x(value), y: plot.bottom + 16 }, String(value), { anchor: 'middle' }),
    ),
    label({ x: plot.right, y: plot.bottom + 30 }, name, { anchor: 'end' }),
  )
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface LineEnds {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

export function line(ends: LineEnds, className: string): Markup {
  return element('line', { ...ends, class: className })
}

export function label(
  { x, y }: Point,
  text: string,
  { anchor = 'start', className }: { anchor?: 'start' | 'middle' | 'end'; className?: string } = {},
): Markup {
  return element('text', { x, y, 'text-anchor': anchor, class: className }, text)
}

export function path(points: readonly (readonly [number, number])[], className: string): Markup {
  const d = points
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('')
  return element('path', { d, class: className })
}

/** A staircase line that holds each value until the next one, for best scores and budgets. */
export function stairs(
  points: readonly (readonly [number, number])[],
  end: number,
  className: string,
): Markup {
  const corners = points.flatMap(([x, y], index) => [
    [x, y] as const,
    [points[index + 1]?.[0] ?? Math.max(x, end), y] as const,
  ])
  return path(corners, className)
}

/** A vertical error bar with end caps. */
export function whisker(
  { x, low, high, half }: { x: number; low: number; high: number; half: number },
  className: string,
): Markup {
  return fragment(
    line({ x1: x, y1: low, x2: x, y2: high }, className),
    half < 1.5
      ? undefined
      : [
          line({ x1: x - half, y1: low, x2: x + half, y2: low }, className),
          line({ x1: x - half, y1: high, x2: x + half, y2: high }, className),
        ],
  )
}
