/** Something the person said or did that shows how a request turned out. */
export interface RequestEvidence {
  readonly kind: 'correction' | 'undo' | 'again' | 'praise' | 'asked-again' | 'broken-off'
  readonly text: string
  readonly at: number | undefined
}

export interface ToolUse {
  readonly name: string
  readonly calls: number
  readonly failures: number
}

/** A person's request with everything that followed until their next one. All texts are redacted. */
export interface SessionRequest {
  readonly id: string
  /** Source and session id, because ids of different agents may collide. */
  readonly session: string
  /** The file or database that it was read from. */
  readonly file: string
  readonly project: string | undefined
  readonly branch: string | undefined
  readonly at: number | undefined
  readonly text: string
  /** Earlier requests of the session, latest last. They explain words such as "it" and "there". */
  readonly before: readonly string[]
  /** The agent's last message about this request. */
  readonly answer: string | undefined
  readonly tools: readonly ToolUse[]
  readonly evidence: readonly RequestEvidence[]
  /** Names of the skills used in the session. */
  readonly skills: readonly string[]
}

const rework: ReadonlySet<RequestEvidence['kind']> = new Set([
  'correction',
  'undo',
  'again',
  'asked-again',
  'broken-off',
])

export const isRework = ({ kind }: RequestEvidence): boolean => rework.has(kind)

/** True if the person had to correct, undo, repeat or stop the work. */
export function wasReworked({ evidence }: SessionRequest): boolean {
  return evidence.some(isRework)
}
