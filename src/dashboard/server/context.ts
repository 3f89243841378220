import type { RunLibrary } from './runs/types.js'

/** What the routes know of the world. */
export interface ServerContext {
  readonly runs: RunLibrary
  /** Where the dashboard was started: names on the page, and new runs, start from here. */
  readonly cwd: string
  /** The chosen folders, absolute with links resolved: what lies elsewhere is none of the dashboard's business. */
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted when the server closes. */
  readonly signal: AbortSignal
}
