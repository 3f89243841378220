import { count } from './format.js'

/** A progress bar. If the total is unknown, only the count is shown. */
export function Progress({
  label,
  done,
  total,
}: {
  readonly label: string
  readonly done: number
  /** The total; 0 if it is unknown. */
  readonly total: number
}) {
  const text = total > 0 ? `${count(done)} of ${count(total)}` : `${count(done)} done`
  return (
    <div className="progress">
      <span className="progress-label">{label}</span>
      <progress
        aria-label={`${label}: ${text}`}
        {...(total > 0 ? { value: Math.min(done, total), max: total } : {})}
      />
      <span className="progress-text">{text}</span>
    </div>
  )
}
