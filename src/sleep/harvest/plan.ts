import type { OwnPattern } from '../../core/redaction/redact.js'
import type { Skipped, TextPlace, TranscriptFile, TranscriptUser } from '../../core/transcript/transcript.js'
import type { SessionRequest } from '../model/session-request.js'

/** Which sessions are wanted, by the folder that they were at. */
export type Scope =
  | { readonly kind: 'all' }
  /** Those at these folders or below them, as full paths. */
  | { readonly kind: 'folders'; readonly folders: readonly string[] }

/** What is to be read. Nothing but data, for it goes to other processes. */
export interface HarvestPlan {
  /** By their ids. */
  readonly sources: readonly string[]
  /** By the id of a source: in place of where it would look. */
  readonly places?: Readonly<Record<string, readonly string[]>>
  /** Only sessions that went on after this, in milliseconds since 1970. */
  readonly after?: number
  readonly scope: Scope
  /** What is to be hidden besides what is known. */
  readonly patterns: readonly OwnPattern[]
  readonly user: TranscriptUser
}

export interface HarvestedSession {
  readonly source: string
  readonly id: string
  /** The source and its id, as requests name it. */
  readonly session: string
  readonly file: string
  readonly project: string | undefined
  readonly branch: string | undefined
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  /** How many of the requests are from it. */
  readonly requests: number
}

/** That something was hidden, and where. What it was is told nowhere. */
export interface Redacted extends TextPlace {
  readonly source: string
  readonly kind: string
  readonly count: number
}

export interface Harvest {
  /** By when they began; those that do not say it last. */
  readonly sessions: readonly HarvestedSession[]
  /** In the order of the sessions; what was asked once and written down twice is there once. */
  readonly requests: readonly SessionRequest[]
  readonly skipped: readonly Skipped[]
  readonly redacted: readonly Redacted[]
  /** The size of what was read. */
  readonly bytes: number
}

/** A file that is to be read. */
export interface SourceFile extends TranscriptFile {
  readonly source: string
}

/** What came of a file. */
export interface Gathered {
  readonly sessions: readonly Omit<HarvestedSession, 'requests'>[]
  readonly requests: readonly SessionRequest[]
  readonly skipped: readonly Skipped[]
  readonly redacted: readonly Redacted[]
}
