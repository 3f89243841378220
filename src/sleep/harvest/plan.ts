import type { OwnPattern } from '../../core/redaction/redact.js'
import type { Skipped, TextPlace, TranscriptFile, TranscriptUser } from '../../core/transcript/transcript.js'
import type { SessionRequest } from '../model/session-request.js'

/** Selects sessions by their working folder. */
export type Scope =
  | { readonly kind: 'all' }
  /** Sessions whose folder is one of these, or below one. The paths are absolute. */
  | { readonly kind: 'folders'; readonly folders: readonly string[] }

/** The input of a harvest. It is plain data, because it is sent to worker processes. */
export interface HarvestPlan {
  /** Source ids. */
  readonly sources: readonly string[]
  /** Overrides the default paths of sources, keyed by source id. */
  readonly places?: Readonly<Record<string, readonly string[]>>
  /** If set, only sessions that were active after this time, in milliseconds since 1970. */
  readonly after?: number
  readonly scope: Scope
  /** Redaction patterns in addition to the built-in ones. */
  readonly patterns: readonly OwnPattern[]
  readonly user: TranscriptUser
}

export interface HarvestedSession {
  readonly source: string
  readonly id: string
  /** Source and session id, written as in requests. */
  readonly session: string
  readonly file: string
  readonly project: string | undefined
  readonly branch: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /** Number of requests from this session. */
  readonly requests: number
}

/** Location of a redaction. The redacted text itself is never reported. */
export interface Redacted extends TextPlace {
  readonly source: string
  readonly kind: string
  readonly count: number
}

export interface Harvest {
  /** Sorted by start time; sessions without one come last. */
  readonly sessions: readonly HarvestedSession[]
  /** Sorted by session. A request that was recorded twice appears once. */
  readonly requests: readonly SessionRequest[]
  readonly skipped: readonly Skipped[]
  readonly redacted: readonly Redacted[]
  /** Total size of the files read. */
  readonly bytes: number
}

/** A file to read. */
export interface SourceFile extends TranscriptFile {
  readonly source: string
}

/** Result of reading one file. */
export interface Gathered {
  readonly sessions: readonly Omit<HarvestedSession, 'requests'>[]
  readonly requests: readonly SessionRequest[]
  readonly skipped: readonly Skipped[]
  readonly redacted: readonly Redacted[]
}
