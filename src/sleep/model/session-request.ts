/** What was heard of a request's outcome, in the person's words or by what they did. */
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

/** What a person asked, with what became of it until they asked for something else. All of it is redacted. */
export interface SessionRequest {
  readonly id: string
  /** The source and its id of the session: an agent's own ids may meet those of another agent. */
  readonly session: string
  /** Where it was read: the file, or the database. */
  readonly file: string
  readonly project: string | undefined
  readonly branch: string | undefined
  readonly at: number | undefined
  readonly text: string
  /** What was asked in the session before it, the last one last: what "it" and "there" mean. */
  readonly before: readonly string[]
  /** The agent's last words on it. */
  readonly answer: string | undefined
  readonly tools: readonly ToolUse[]
  readonly evidence: readonly RequestEvidence[]
  /** Names of skills that were used in the session. */
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

/** Whether the person had to correct it, take it back, have it done again, or stop it. */
export function wasReworked({ evidence }: SessionRequest): boolean {
  return evidence.some(isRework)
}
