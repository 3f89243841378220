/** A person's session with a coding agent, as the agent wrote it down. Everything in it has been redacted. */
export interface Transcript {
  /** The source that it is from. */
  readonly source: string
  readonly id: string
  /** Where it was read: the file, or the database. */
  readonly file: string
  /** The folder that it was about, as an absolute path; undefined where it does not say. */
  readonly project: string | undefined
  readonly branch: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly entries: readonly TranscriptEntry[]
  /** Names of skills that were used in it. */
  readonly skills: readonly string[]
}

/** What happened, in order. Times are those of the record, where it has one. */
export type TranscriptEntry = { readonly at?: number } & (
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'tool'
      readonly name: string
      /** As JSON or as text, however the agent wrote it. */
      readonly input?: string
      readonly output?: string
      readonly failed?: boolean
    }
  /** The person broke off, or the agent's model failed. */
  | { readonly kind: 'broken-off'; readonly text: string }
)

/** Why something that is there is not among the transcripts. */
export type SkipReason =
  /** Not begun by a person: sub-agents, side chains, warm-ups. */
  | 'sub-agent'
  /** Made by this product: an attempt of a training, a replay, a question to an optimizer. */
  | 'own'
  /** Nothing that a person asked. */
  | 'no-request'
  | 'other-project'
  | 'too-old'
  /** The same session is there in another form, and read from that. */
  | 'copy'
  /** It cannot be read as what it should be. */
  | 'unreadable'
  /** Lines or records, of a transcript that is taken otherwise: torn, or of a kind that is not known. */
  | 'record'

export interface Skipped {
  readonly source: string
  readonly file: string
  readonly reason: SkipReason
  readonly count: number
  /** For people: what was seen. Redacted. */
  readonly detail: string
}

export interface TranscriptUser {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/** Where a text stands. */
export interface TextPlace {
  readonly file: string
  /** The number of the record, counted from 1: the line, in a file of lines. Undefined where it is of no single one. */
  readonly record: number | undefined
}

export interface HarvestQuery {
  readonly user: TranscriptUser
  /** In place of where the source would look. */
  readonly places?: readonly string[]
  /** Only sessions that went on after this, in milliseconds since 1970. */
  readonly after?: number
  /** Whether a session at this folder is wanted; one that does not say its folder is asked with undefined. */
  isWanted(project: string | undefined): boolean
  /** Applied to every text before anything else is done with it, shortening included. */
  redact(text: string, place: TextPlace): string
  skip(skipped: Skipped): void
  readonly signal: AbortSignal
}

/** What can be read by itself: `read` takes it as a place. */
export interface TranscriptFile {
  readonly path: string
  readonly bytes: number
}

/**
 * One agent's transcripts. Read only; one session at a time, so that a large one does not fill the memory; whatever is
 * torn, unknown or newer than what is known is skipped and told, and never an end to reading.
 */
export interface TranscriptSource {
  readonly id: string
  /** As people call it. */
  readonly title: string
  /** The folders or databases of this user, whether they exist or not. */
  places(user: TranscriptUser): readonly string[]
  read(query: HarvestQuery): AsyncIterable<Transcript>
  /**
   * The files that `read` would open, so that several can be read at once. What is left out by its name or its age is told
   * here.
   */
  files(query: HarvestQuery): Promise<readonly TranscriptFile[]>
}
