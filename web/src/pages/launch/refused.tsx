import { ApiError } from '../../api/client.js'

/** The server's error message and hint. */
export function Refused({ error }: { readonly error: unknown }) {
  return (
    <div className="launch-refused" role="alert">
      <strong>{error instanceof Error ? error.message : String(error)}</strong>
      {error instanceof ApiError && error.hint !== undefined && <p>{error.hint}</p>}
    </div>
  )
}
