import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../api/client.js'

/** A message that data is loading. Screen readers announce it once. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="state" role="status">
      Loading {what}…
    </p>
  )
}

/** Says that there is nothing to show, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <section className="state state-empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** An error with the server's message and a hint. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error)
  const hint = error instanceof ApiError ? error.hint : undefined
  return (
    <section className="state state-failed" role="alert">
      <h2>{message}</h2>
      {hint !== undefined && <p>{hint}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </section>
  )
}

export function NotFound() {
  return (
    <Empty title="There is nothing at this address.">
      <p>
        <Link href="~/">All runs</Link> are a good place to go on from.
      </p>
    </Empty>
  )
}
