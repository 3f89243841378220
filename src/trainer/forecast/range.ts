/** An estimate: lower bound, most likely value, and upper bound. */
export interface Range {
  readonly low: number
  readonly likely: number
  readonly high: number
}

export const exactly = (value: number): Range => ({ low: value, likely: value, high: value })

export const plus = (a: Range, b: Range): Range => combine(a, b, (one, other) => one + other)

export const times = (a: Range, b: Range | number): Range =>
  combine(a, typeof b === 'number' ? exactly(b) : b, (one, other) => one * other)

export const mapRange = ({ low, likely, high }: Range, of: (value: number) => number): Range => ({
  low: of(low),
  likely: of(likely),
  high: of(high),
})

export const sumRanges = (ranges: readonly Range[]): Range => ranges.reduce(plus, exactly(0))

function combine(a: Range, b: Range, join: (one: number, other: number) => number): Range {
  return { low: join(a.low, b.low), likely: join(a.likely, b.likely), high: join(a.high, b.high) }
}
