import type { Interval } from '../../../../src/core/statistics/intervals.js'

/** A value with its interval on an axis from `from` to `to`, with a mark at zero if zero is in range. */
export function IntervalBar({
  mean,
  low,
  high,
  from,
  to,
  text,
}: Interval & {
  readonly from: number
  readonly to: number
  readonly text: (value: number) => string
}) {
  const at = (value: number) =>
    `${round(((Math.min(to, Math.max(from, value)) - from) / (to - from)) * 100)}%`
  const hasZero = from < 0 && to > 0
  const tone = !hasZero ? 'plain' : low > 0 ? 'good' : high < 0 ? 'bad' : 'plain'
  return (
    <span className="interval">
      <svg className={`interval-bar interval-${tone}`} aria-hidden="true" height="14" width="100%">
        <line className="interval-axis" x1="0" x2="100%" y1="7" y2="7" />
        {hasZero && <line className="interval-zero" x1={at(0)} x2={at(0)} y1="0" y2="14" />}
        <line className="interval-range" x1={at(low)} x2={at(high)} y1="7" y2="7" />
        <circle cx={at(mean)} cy="7" r="4" />
      </svg>
      <span className="figures small">
        {text(low)} to {text(high)}
      </span>
    </span>
  )
}

const round = (value: number) => Math.round(value * 10) / 10
