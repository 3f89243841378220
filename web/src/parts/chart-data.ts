/** Line styles by meaning. Each has its own dash pattern, so that nobody depends on colour. */
export const chartTones = [
  'best',
  'validation',
  'train',
  'test',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
  'tenth',
  'eleventh',
  'twelfth',
] as const
export type ChartTone = (typeof chartTones)[number]

export interface ChartPoint {
  readonly x: number
  readonly y: number
  /** Lower end of the confidence interval; `high` is the upper end. */
  readonly low?: number
  readonly high?: number
}

export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  readonly points: readonly ChartPoint[]
  /** Draws a line that keeps its value until the next point, for example for the best score so far. */
  readonly step?: boolean
  /** Draws points without a line, because nothing was measured between them. */
  readonly scatter?: boolean
}

export type TextOf = (value: number) => string

export interface ChartTable {
  readonly xs: readonly number[]
  /** The points of each series at `xs`; undefined where a series has none. */
  readonly columns: readonly (readonly (ChartPoint | undefined)[])[]
}

/** Aligns all series to the same x values, for the chart and for the table. */
export function alignSeries(series: readonly ChartSeries[]): ChartTable {
  const xs = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const columns = series.map(({ points }) => {
    const byX = new Map(points.map(point => [point.x, point]))
    return xs.map(x => byX.get(x))
  })
  return { xs, columns }
}

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

export function plainNumber(value: number): string {
  return plain.format(value)
}

export function pointText({ y, low, high }: ChartPoint, text: TextOf): string {
  return low === undefined || high === undefined ? text(y) : `${text(y)} (${text(low)} to ${text(high)})`
}
