import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { type ChartSeries, type ChartTable, type ChartTone, pointText, type TextOf } from './chart-data.js'
import { createPalette, onThemeChange, type Palette } from './palette.js'

interface Drawing {
  readonly title: string
  readonly xName: string
  readonly yName: string
  readonly series: readonly ChartSeries[]
  readonly table: ChartTable
  readonly height: number
  readonly xText: TextOf
  readonly yText: TextOf
  readonly xSteps: readonly number[] | undefined
}

const hint = 'Point at the chart for its values; drag to zoom in, double-click to zoom out.'

/** Draws the chart on a canvas. This file is loaded with the first chart. */
export default function ChartCanvas(drawing: Drawing) {
  const { title, series, table, height } = drawing
  const box = useRef<HTMLDivElement>(null)
  const readout = useRef<HTMLParagraphElement>(null)
  const plot = useRef<UPlot>(undefined)
  const latest = useRef(drawing)
  latest.current = drawing
  const shape = JSON.stringify(series.map(({ name, tone, step, scatter }) => [name, tone, step, scatter]))

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const palette = createPalette(element)
    const made = new UPlot(
      optionsOf(latest, palette, element, readout),
      dataOf(latest.current.table),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: latest.current.height }),
    )
    observer.observe(element)
    const stop = onThemeChange(() => {
      palette.forget()
      made.redraw(false, true)
    })
    return () => {
      stop()
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [shape, height])

  useEffect(() => plot.current?.setData(dataOf(table)), [table])

  return (
    <>
      <div
        ref={box}
        className="chart-canvas"
        role="img"
        aria-label={`${title}, drawn. The table below has the figures.`}
      />
      <p ref={readout} className="chart-readout" aria-hidden="true">
        {hint}
      </p>
    </>
  )
}

function dataOf({ xs, columns }: ChartTable): UPlot.AlignedData {
  return [[...xs], ...columns.map(column => column.map(point => point?.y ?? null))]
}

const dashes: Readonly<Record<ChartTone, number[]>> = {
  best: [],
  validation: [7, 4],
  train: [2, 4],
  test: [10, 4, 2, 4],
  fifth: [14, 4],
  sixth: [4, 2],
  seventh: [1, 3],
  eighth: [12, 3, 5, 3],
  ninth: [3, 7],
  tenth: [8, 2, 2, 2],
  eleventh: [5, 5],
  twelfth: [16, 3, 2, 3],
}

function optionsOf(
  latest: { readonly current: Drawing },
  palette: Palette,
  element: HTMLElement,
  readout: { readonly current: HTMLParagraphElement | null },
): UPlot.Options {
  const { series, height, xName, yName, xSteps } = latest.current
  const axis = (label: string, text: () => TextOf): UPlot.Axis => ({
    label,
    labelSize: 22,
    labelFont: '12px system-ui, sans-serif',
    font: '12px system-ui, sans-serif',
    stroke: () => palette.of('--muted'),
    grid: { stroke: () => palette.of('--line'), width: 1 },
    ticks: { stroke: () => palette.of('--line'), width: 1, size: 5 },
    values: (_plot, splits) => splits.map(split => text()(split).replace(/\.0%$/, '%')),
  })
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { points: { size: 7 }, y: false },
    scales: {
      x: { time: false, range: padded },
      y: { range: (plot, min, max) => roomFor(plot, min, max, latest.current) },
    },
    axes: [
      {
        ...axis(xName, () => latest.current.xText),
        size: 34,
        space: 70,
        ...(xSteps === undefined ? {} : { incrs: [...xSteps] }),
      },
      { ...axis(yName, () => latest.current.yText), size: 56 },
    ],
    series: [
      {},
      ...series.map(({ name, tone, step, scatter }): UPlot.Series => {
        const stepped = step === true ? UPlot.paths.stepped?.({ align: 1 }) : undefined
        return {
          label: name,
          stroke: () => palette.of(`--series-${tone}`),
          width: 2,
          dash: dashes[tone],
          spanGaps: true,
          points: { size: 6, dash: [], ...(scatter === true ? { show: true } : {}) },
          ...(stepped === undefined ? {} : { paths: stepped }),
          ...(scatter === true ? { paths: () => null } : {}),
        }
      }),
    ],
    hooks: {
      draw: [plot => drawIntervals(plot, latest.current, palette)],
      setCursor: [
        plot => {
          if (readout.current !== null) readout.current.textContent = readoutOf(plot, latest.current)
        },
      ],
    },
  }
}

/** Widens an x-range that consists of a single value. */
function padded(_plot: UPlot, min: number | null, max: number | null): [number, number] {
  const [from, to] = [min ?? 0, max ?? 1]
  return from === to ? [from - 1, to + 1] : [from, to]
}

/** Minimum distance between interval bars in CSS pixels. Closer bars would hide the points. */
const barRoom = 8

/** Whether there is room for interval bars. If not, readers can zoom in or point at a value. */
function hasBars({ width, scales }: UPlot, { table: { xs, columns } }: Drawing): boolean {
  const [from, to] = [scales.x?.min ?? Number.NEGATIVE_INFINITY, scales.x?.max ?? Number.POSITIVE_INFINITY]
  const places = xs.filter(x => x >= from && x <= to).length
  const bars = columns.filter(column => column.some(point => point?.low !== undefined)).length
  return width >= places * (bars + 1) * barRoom
}

const around: UPlot.Range.Config = { min: { pad: 0.1 }, max: { pad: 0.1 } }

/** The y-range that contains all visible intervals, which reach further than the values. */
function roomFor(plot: UPlot, min: number | null, max: number | null, drawing: Drawing): UPlot.Range.MinMax {
  if (min === null || max === null) return [0, 1]
  if (!hasBars(plot, drawing)) return UPlot.rangeNum(min, max, around)
  const { scales } = plot
  const { xs, columns } = drawing.table
  const [from, to] = [scales.x?.min ?? Number.NEGATIVE_INFINITY, scales.x?.max ?? Number.POSITIVE_INFINITY]
  let [low, high] = [min, max]
  for (const column of columns) {
    column.forEach((point, row) => {
      const x = xs[row] ?? 0
      if (point === undefined || x < from || x > to) return
      low = Math.min(low, point.low ?? low)
      high = Math.max(high, point.high ?? high)
    })
  }
  return UPlot.rangeNum(low, high, around)
}

/** Horizontal distance in CSS pixels between the bars of series at the same x, so that both are visible. */
const apart = 3

/** Draws each interval as a thin bar from its lower to its upper end. */
function drawIntervals(plot: UPlot, drawing: Drawing, palette: Palette): void {
  if (!hasBars(plot, drawing)) return
  const { series, table } = drawing
  const { xs, columns } = table
  const { ctx, bbox } = plot
  const withBars = columns.map(column => column.some(point => point?.low !== undefined))
  const bars = withBars.filter(has => has).length
  ctx.save()
  ctx.beginPath()
  ctx.rect(
    bbox.left - apart * bars * UPlot.pxRatio,
    bbox.top,
    bbox.width + 2 * apart * bars * UPlot.pxRatio,
    bbox.height,
  )
  ctx.clip()
  ctx.lineWidth = Math.max(1, UPlot.pxRatio)
  ctx.globalAlpha = 0.6
  series.forEach(({ tone }, index) => {
    const place = withBars.slice(0, index).filter(has => has).length
    const shift = (place - (bars - 1) / 2) * apart * UPlot.pxRatio
    ctx.strokeStyle = palette.of(`--series-${tone}`)
    ctx.beginPath()
    columns[index]?.forEach((point, row) => {
      if (point?.low === undefined || point.high === undefined) return
      const x = plot.valToPos(xs[row] ?? 0, 'x', true) + shift
      ctx.moveTo(x, plot.valToPos(point.low, 'y', true))
      ctx.lineTo(x, plot.valToPos(point.high, 'y', true))
    })
    ctx.stroke()
  })
  ctx.restore()
}

function readoutOf(plot: UPlot, { series, table: { xs, columns }, xName, xText, yText }: Drawing): string {
  const row = plot.cursor.idx
  const x = row === null || row === undefined ? undefined : xs[row]
  if (row === null || row === undefined || x === undefined) return hint
  const values = series.flatMap(({ name }, index) => {
    const point = columns[index]?.[row]
    return point === undefined ? [] : [`${name} ${pointText(point, yText)}`]
  })
  return [`${xName} ${xText(x)}`, ...values].join(' · ')
}
