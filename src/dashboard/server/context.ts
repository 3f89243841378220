import type { RunLibrary } from './runs/types.js'

/** Dependencies of the routes. */
export interface ServerContext {
  readonly runs: RunLibrary
  /**
   * Where the dashboard was started. Displayed paths are relative to it, and new runs are created below it.
   */
  readonly cwd: string
  /** The chosen folders, absolute and with symlinks resolved. The dashboard shows nothing outside them. */
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted when the server closes. */
  readonly signal: AbortSignal
}
