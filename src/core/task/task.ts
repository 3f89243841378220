/** A task of an environment. Environments extend it; everything in it must be JSON. */
export interface Task {
  readonly id: string
  /** Groups tasks in reports: "no skill, initial, best, last, per task type". */
  readonly type?: string
  /** Files in the task's prompt, checked against the model's limits before anything is spent. */
  readonly attachments?: readonly Attachment[]
}

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type MediaType = (typeof imageTypes)[number] | 'application/pdf'

/**
 * A file's metadata without its content. The name is only for people: no key depends on it, and no model sees
 * it.
 */
export interface Attachment {
  readonly name: string
  /** Text files are sent as text, all others as files. */
  readonly mediaType: MediaType | 'text/plain'
  readonly bytes: number
  /** Pages of a document, if they can be counted. */
  readonly pages?: number
  /** Hash of the content: a task with another picture is another task. */
  readonly hash: string
  readonly detail?: ImageDetail
}

/** Image detail, for providers that let the caller choose; otherwise the provider chooses. */
export const imageDetails = ['low', 'high'] as const
export type ImageDetail = (typeof imageDetails)[number]

export interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** A file as sent to a model. */
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

/** Score of an attempt. Both numbers are from 0 to 1; fractions are allowed, and 0 is a score. */
export interface Score {
  readonly hard: number
  readonly soft: number
  /** Feedback for reflection: what was expected, and what was wrong. */
  readonly feedback: string
  /** Votes of the judge model, if one scored the attempt. */
  readonly votes?: readonly { readonly score: number; readonly reason: string }[]
}

/** Why the agent stopped. Every reason but `answered` is the agent's own failure and is scored. */
export type StopReason =
  | 'answered'
  | 'turn-limit'
  | 'time-limit'
  | 'output-limit'
  | 'context-overflow'
  | 'refusal'
  /** Only in imported runs that did not record the reason. */
  | 'unknown'

/**
 * Token usage as reported by the provider. `undefined` means not reported: it is shown as "unknown" and never
 * guessed.
 */
export interface Usage {
  readonly input?: number | undefined
  readonly output?: number | undefined
  /** Part of `input` that was read from the provider's prompt cache. */
  readonly cachedInput?: number | undefined
  /** Part of `input` that was written to the provider's prompt cache, if writing has its own price. */
  readonly cacheWrite?: number | undefined
  /** Part of `output` that was used for reasoning. */
  readonly reasoning?: number | undefined
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Text for people and the optimizer; a file appears by its name, type and size. */
  readonly text: string
  /** Parts that are sent to the model instead of the text, if there are files. */
  readonly parts?: readonly Part[]
  readonly toolCalls?: readonly ToolCall[]
  readonly toolCallId?: string
}

/** Everything an attempt did, in order, as read by reflection and scorers. */
export interface Trajectory {
  readonly messages: readonly Message[]
  /** The agent's last message, which most scorers judge. */
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

/** Result of an attempt. An external failure is never a score; a failure of the agent is one. */
export type Outcome =
  | { readonly status: 'scored'; readonly score: Score; readonly stop: StopReason }
  | {
      readonly status: 'failed'
      readonly failure: { readonly kind: WorldFailureKind; readonly message: string }
    }

/** Content hash of a text in the run's blob store. */
export type BlobRef = string

/** Part of a stored message. A file's content is stored once, however many messages contain it. */
export type StoredPart =
  | { readonly type: 'text'; readonly blob: BlobRef }
  | (Omit<FilePart, 'data'> & { readonly bytes: number; readonly blob: BlobRef })

/** A message whose text is in the blob store, or inline if it is short and not stored elsewhere. */
export interface StoredMessage extends Omit<Message, 'text' | 'parts'> {
  readonly text?: string
  readonly blob?: BlobRef
  /** Replaces `text` and `blob` if there are files. */
  readonly parts?: readonly StoredPart[]
}

/** An attempt without its texts, which are in the blob store. It is small, so that 100,000 fit in memory. */
export interface Attempt {
  readonly task: string
  readonly type: string
  readonly sample: number
  readonly messages: readonly StoredMessage[]
  readonly outcome: Outcome
  /** Text for reflection only, never shown to the target (a proof sketch, reference notes). */
  readonly hidden?: BlobRef
  /**
   * Input and output tokens over all calls of the target; absent if a call did not report them. Logged only
   * if the run scores or limits tokens.
   */
  readonly tokens?: number
  /** Response time of the target in milliseconds. Logged only if the run scores or limits time. */
  readonly ms?: number
  /** Reward from score, tokens and time, if that is the metric. */
  readonly reward?: number
}

/** Scores of one attempt, or means over many. */
export interface Scores {
  readonly hard: number
  readonly soft: number
  /** Present if the reward is the metric. */
  readonly reward?: number | undefined
}

/** One row of an evaluation: the data of an attempt that gates and reports need. */
export interface Row {
  readonly task: string
  readonly type: string
  readonly sample: number
  /** Absent after an external failure. Such a row is counted and shown, but not part of any average. */
  readonly hard?: number
  readonly soft?: number
  /** `reward`, `tokens` and `ms` are present if the run records them, as in the attempt. */
  readonly reward?: number
  readonly tokens?: number
  readonly ms?: number
}
