import type { ReactNode } from 'react'

/** Figures side by side, each with its name. */
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
  /** What a reader should know of the figure, small below it. */
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
