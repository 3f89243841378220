import { ApiError } from '../../api/client.js'

/** What the server would not do, in its words, and what to do instead. */
export function Refused({ error }: { readonly error: unknown }) {
  return (
    <div className="launch-refused" role="alert">
      <strong>{error instanceof Error ? error.message : String(error)}</strong>
      {error instanceof ApiError && error.hint !== undefined && <p>{error.hint}</p>}
    </div>
  )
}
