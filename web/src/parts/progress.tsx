import { count } from './format.js'

/** A progress bar; without a total, only a count. */
export function Progress({
  label,
  done,
  total,
}: {
  readonly label: string
  readonly done: number
  /** 0 if unknown. */
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
