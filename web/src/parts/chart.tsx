import { lazy, memo, Suspense, useMemo } from 'react'
import {
  alignSeries,
  type ChartSeries,
  type ChartTable,
  plainNumber,
  pointText,
  type TextOf,
} from './chart-data.js'
import { DataTable } from './table.js'

export type { ChartPoint, ChartSeries, ChartTone } from './chart-data.js'

const Canvas = lazy(() => import('./chart-canvas.js'))

/**
 * A line chart with a legend, and the same figures as a table. `xText` and `yText` format values; the default
 * is a plain number.
 */
export const Chart = memo(function Chart({
  title,
  xName,
  yName,
  series,
  height = 260,
  xText = plainNumber,
  yText = plainNumber,
  xSteps,
}: {
  readonly title: string
  readonly xName: string
  readonly yName: string
  readonly series: readonly ChartSeries[]
  readonly height?: number
  readonly xText?: TextOf
  readonly yText?: TextOf
  /** Distances allowed between ticks, for axes such as time on which decimal steps are not round. */
  readonly xSteps?: readonly number[]
}) {
  const shown = useMemo(() => series.filter(({ points }) => points.length > 0), [series])
  const table = useMemo(() => alignSeries(shown), [shown])
  return (
    <figure className="chart">
      <figcaption>
        <span className="chart-title">{title}</span>
        <Legend series={shown} />
      </figcaption>
      {table.xs.length === 0 ? (
        <p className="chart-empty" style={{ minHeight: height }}>
          Nothing measured yet.
        </p>
      ) : (
        <>
          <Suspense fallback={<div style={{ height }} />}>
            <Canvas {...{ title, xName, yName, series: shown, table, height, xText, yText, xSteps }} />
          </Suspense>
          <details className="chart-table">
            <summary>Figures of “{title}” as a table</summary>
            <Figures {...{ title, xName, yName, series: shown, table, xText, yText }} />
          </details>
        </>
      )}
    </figure>
  )
})

function Legend({ series }: { readonly series: readonly ChartSeries[] }) {
  return (
    <ul className="chart-legend">
      {series.map(({ name, tone }) => (
        <li key={name}>
          <svg className={`chart-mark tone-${tone}`} viewBox="0 0 26 6" aria-hidden="true">
            <line x1="1" y1="3" x2="25" y2="3" />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  )
}

function Figures({
  title,
  xName,
  yName,
  series,
  table,
  xText,
  yText,
}: {
  readonly title: string
  readonly xName: string
  readonly yName: string
  readonly series: readonly ChartSeries[]
  readonly table: ChartTable
  readonly xText: TextOf
  readonly yText: TextOf
}) {
  const columns = [
    { key: 'x', name: xName, header: true, cell: (row: number) => xText(table.xs[row] ?? 0) },
    ...series.map(({ name }, index) => ({
      key: `y ${name}`,
      name: series.length === 1 ? `${name}: ${yName}` : name,
      align: 'end' as const,
      cell: (row: number) => {
        const point = table.columns[index]?.[row]
        return point === undefined ? '' : pointText(point, yText)
      },
    })),
  ]
  return (
    <DataTable
      caption={`${title}: ${yName} by ${xName}`}
      columns={columns}
      rows={table.xs.map((_, index) => index)}
      rowKey={String}
    />
  )
}
