/** A person's session with a coding agent, as recorded by the agent. Its texts are already redacted. */
export interface Transcript {
  /** Id of the source that it was read from. */
  readonly source: string
  readonly id: string
  /** The file or database that the session was read from. */
  readonly file: string
  /** Absolute path of the project folder; undefined if not recorded. */
  readonly project: string | undefined
  readonly branch: string | undefined
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly entries: readonly TranscriptEntry[]
  /** Names of the skills used in the session. */
  readonly skills: readonly string[]
}

/** Entries in order. `at` is the recorded time, if there is one. */
export type TranscriptEntry = { readonly at?: number } & (
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'tool'
      readonly name: string
      /** JSON or text, as the agent recorded it. */
      readonly input?: string
      readonly output?: string
      readonly failed?: boolean
    }
  /** The person interrupted the agent, or its model failed. */
  | { readonly kind: 'broken-off'; readonly text: string }
)

/** Why a session or record is left out of the transcripts. */
export type SkipReason =
  /** The session was not started by a person: sub-agents, side chains, warm-ups. */
  | 'sub-agent'
  /** The session was made by this product: a training attempt, a replay, an optimizer call. */
  | 'own'
  /** The session contains no request by a person. */
  | 'no-request'
  | 'other-project'
  | 'too-old'
  /** The session is a duplicate of one that is read in another form. */
  | 'copy'
  /** The session is not in the expected format. */
  | 'unreadable'
  /** Some records of a session are truncated or unknown; the others are read. */
  | 'record'

export interface Skipped {
  readonly source: string
  readonly file: string
  readonly reason: SkipReason
  readonly count: number
  /** Description for the user, redacted. */
  readonly detail: string
}

export interface TranscriptUser {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/** Location of a text. */
export interface TextPlace {
  readonly file: string
  /**
   * Record number, counted from 1: the line, in a file of lines. Undefined if it belongs to no single
   * record.
   */
  readonly record: number | undefined
}

export interface HarvestQuery {
  readonly user: TranscriptUser
  /** Overrides the source's default folders and databases. */
  readonly places?: readonly string[]
  /** Reads only sessions with activity after this time, in milliseconds since the Unix epoch. */
  readonly after?: number
  /** Whether to read a session of this project folder. Undefined stands for an unrecorded folder. */
  isWanted(project: string | undefined): boolean
  /** Applied to every text before any other processing, including shortening. */
  redact(text: string, place: TextPlace): string
  skip(skipped: Skipped): void
  readonly signal: AbortSignal
}

/** A file that can be read separately: `read` accepts its path among the `places`. */
export interface TranscriptFile {
  readonly path: string
  readonly bytes: number
}

/**
 * The transcripts of one agent, read-only. Sessions are read one at a time, so that a large one does not fill
 * the memory. Records that are truncated, unknown or too new are skipped and reported, and never stop the
 * reading.
 */
export interface TranscriptSource {
  readonly id: string
  /** Display name. */
  readonly title: string
  /** This user's default folders or databases, whether they exist or not. */
  places(user: TranscriptUser): readonly string[]
  read(query: HarvestQuery): AsyncIterable<Transcript>
  /**
   * The files that `read` would open, so that several can be read in parallel. Files that are excluded by
   * name or age are reported here.
   */
  files(query: HarvestQuery): Promise<readonly TranscriptFile[]>
}
