/** A task as an environment hands it out. Environments extend it; everything in it must be JSON. */
export interface Task {
  readonly id: string
  /** Groups tasks in reports: "no skill, initial, best, last, per task type". */
  readonly type?: string
  /** Files that go with its prompt: by this they are checked against what the model takes, before anything is spent. */
  readonly attachments?: readonly Attachment[]
}

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type MediaType = (typeof imageTypes)[number] | 'application/pdf'

/** What is known of a file without its content. The name is for people: no key depends on it, and no model sees it. */
export interface Attachment {
  readonly name: string
  /** Text goes to the model as text; the rest as it is. */
  readonly mediaType: MediaType | 'text/plain'
  readonly bytes: number
  /** Of a document, where they can be counted. */
  readonly pages?: number
  /** Of the content: a task with another picture is another task. */
  readonly hash: string
  readonly detail?: ImageDetail
}

/** How closely a model looks at an image, for providers that let one choose; it is theirs to choose if not given. */
export const imageDetails = ['low', 'high'] as const
export type ImageDetail = (typeof imageDetails)[number]

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A file as a model gets it. */
export interface FilePart {
  readonly type: 'image' | 'document'
  readonly name: string
  readonly mediaType: MediaType
  readonly pages?: number
  readonly detail?: ImageDetail
  /** Base64. */
  readonly data: string
}

export type Part = TextPart | FilePart

export type Split = 'train' | 'val' | 'test'

/** Both numbers are in 0..1; fractions are kept, and 0 is a score. */
export interface Score {
  readonly hard: number
  readonly soft: number
  /** What reflection is told about this attempt: what was expected, what was wrong. */
  readonly feedback: string
  /** Where a judge model scored: each of its votes. */
  readonly votes?: readonly { readonly score: number; readonly reason: string }[]
}

/** Why the agent stopped. Every reason but `answered` is the agent's own failure, and is scored. */
export type StopReason =
  | 'answered'
  | 'turn-limit'
  | 'time-limit'
  | 'output-limit'
  | 'context-overflow'
  | 'refusal'
  /** Only in runs that were imported: it was not recorded. */
  | 'unknown'

/** What a provider said a call used. `undefined` means that it did not say: shown as "unknown", never guessed. */
export interface Usage {
  readonly input?: number | undefined
  readonly output?: number | undefined
  /** The part of `input` that came from the provider's prompt cache. */
  readonly cachedInput?: number | undefined
  /** The part of `input` that was written to the provider's prompt cache, where that has a price of its own. */
  readonly cacheWrite?: number | undefined
  /** The part of `output` that was spent on reasoning. */
  readonly reasoning?: number | undefined
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** What people and the optimizer read; a file stands in it by its name, type and size. */
  readonly text: string
  /** What the model gets in place of the text, where there are files. */
  readonly parts?: readonly Part[]
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: string
}

/** Everything an attempt did, in order. What reflection reads and scorers judge. */
export interface Trajectory {
  readonly messages: readonly Message[]
  /** The agent's last words: what most scorers look at. */
  readonly answer: string
  readonly stop: StopReason
}

export type WorldFailureKind =
  | 'transport'
  | 'timeout'
  | 'rate-limit'
  | 'server'
  | 'malformed'
  | 'login'
  | 'quota'
  | 'not-found'
  | 'rejected'
  | 'harness'
  | 'judge'

/** A failure of the world is never a score; a failure of the agent is one. */
export type Outcome =
  | { readonly status: 'scored'; readonly score: Score; readonly stop: StopReason }
  | {
      readonly status: 'failed'
      readonly failure: { readonly kind: WorldFailureKind; readonly message: string }
    }

/** Names a text in the run's blob store by its content. */
export type BlobRef = string

/** A file's content is kept once, as base64, however many messages carry it. */
export type StoredPart =
  | { readonly type: 'text'; readonly blob: BlobRef }
  | (Omit<FilePart, 'data'> & { readonly bytes: number; readonly blob: BlobRef })

/** A message whose text is in the blob store, or inline when it is short and stands nowhere else. */
export interface StoredMessage extends Omit<Message, 'text' | 'parts'> {
  readonly text?: string
  readonly blob?: BlobRef
  /** In place of both, where there are files. */
  readonly parts?: readonly StoredPart[]
}

/** Light on purpose: 100,000 of these fit in memory. The texts are in the blob store. */
export interface Attempt {
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly messages: readonly StoredMessage[]
  readonly outcome: Outcome
  /** Text for reflection only, never shown to the target (a proof sketch, reference notes). */
  readonly hidden?: BlobRef
  /** In and out, over all calls of the target; absent where one of them did not say. In a log only where they count. */
  readonly tokens?: number
  /** How long the target took for its replies. In a log only where it counts. */
  readonly ms?: number
  /** What the run makes of score, tokens and time, where that is its metric. */
  readonly reward?: number
}

/** What an attempt scored, or many of them in the mean. */
export interface Scores {
  readonly hard: number
  readonly soft: number
  /** Where it is the metric. */
  readonly reward?: number | undefined
}

/** One row of an evaluation: what a gate and a report need to know of an attempt. */
export interface Row {
  readonly task: string
  readonly type: string
  readonly sample: number
  /** Absent when the world failed: such a row is counted and shown, never averaged. */
  readonly hard?: number
  readonly soft?: number
  /** These three as in the attempt: where the run counts them. */
  readonly reward?: number
  readonly tokens?: number
  readonly ms?: number
}
