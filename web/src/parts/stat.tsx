import type { ReactNode } from 'react'

/** Labelled figures side by side. */
export function Stats({ children }: { readonly children: ReactNode }) {
  return <dl className="stats">{children}</dl>
}

export function Stat({
  label,
  value,
  note,
}: {
  readonly label: string
  readonly value: ReactNode
  /** A note in small print below the value. */
  readonly note?: ReactNode
}) {
  return (
    <div className="stat">
      <dt>{label}</dt>
      <dd className="stat-value">{value}</dd>
      {note !== undefined && <dd className="stat-note">{note}</dd>}
    </div>
  )
}
