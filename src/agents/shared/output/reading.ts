import type { Message, StopReason, Usage } from '../../../core/task/task.js'
import { oneLine } from '../../../core/text/format.js'
import {
  type AgentFailure,
  type Complaint,
  failureFrom,
  type OwnStop,
  ownStop,
  shortened,
} from './failure.js'

/** The output of an agent's process. */
export interface AgentOutput {
  readonly stdout: string
  readonly stderr: string
  /** Undefined if it was ended by a signal. */
  readonly exitCode: number | undefined
  /** Content of its report file, if it wrote one. */
  readonly report?: string
}

interface Seen {
  /**
   * The agent's messages, tool calls and results, in order, without the prompt, which the caller already
   * has.
   */
  readonly messages: readonly Message[]
  readonly usage: Usage
  /** US dollars, as reported by the agent; absent if it does not know the price. */
  readonly cost?: number
  /** Number of unknown lines and records; a newer version may print them. */
  readonly skipped: number
}

export interface Answered extends Seen {
  readonly answer: string
  readonly stop: StopReason
}

/** A failed attempt may still have cost money, so it keeps its messages and usage. */
export interface Failed extends Seen {
  readonly failure: AgentFailure
}

export type AgentReading = Answered | Failed
export type AgentReader = (output: AgentOutput) => AgentReading

/** How an agent's records end. */
export interface Ending {
  /** Whether it reported completion; without that, its output may be incomplete. */
  readonly finished: boolean
  /** The error that it reported, of its own or of its model. */
  readonly error?: Complaint | undefined
  /** Why it stopped without an answer, if it gives a reason. */
  readonly stop?: OwnStop | undefined
  /** Its messages about tools that it was not allowed to use. */
  readonly denied?: readonly string[]
}

/** The single place that decides between an answer and a failure; when in doubt, it is a failure. */
export function conclude(seen: Seen, ending: Ending, output: AgentOutput): AgentReading {
  const answer = seen.messages.findLast(message => message.role === 'assistant')?.text ?? ''
  const own = ending.stop ?? (ending.error === undefined ? undefined : ownStop(ending.error))
  if (own !== undefined) return { ...seen, answer, stop: own }
  const failure = failureIn(seen, ending, output)
  return failure === undefined ? { ...seen, answer, stop: 'answered' } : { ...seen, failure }
}

function failureIn(seen: Seen, ending: Ending, { stderr, exitCode }: AgentOutput): AgentFailure | undefined {
  if (ending.error !== undefined) return failureFrom(ending.error)
  if (exitCode === undefined) {
    return {
      kind: 'harness',
      message: `It was ended from outside. ${lastWords(stderr)}`.trim(),
      retryable: true,
    }
  }
  if (exitCode !== 0) {
    const last = lastWords(stderr)
    return failureFrom({ words: `It ended with exit code ${exitCode}${last === '' ? '.' : `: ${last}`}` })
  }
  const [denied] = ending.denied ?? []
  if (denied !== undefined) {
    return {
      kind: 'harness',
      message: `It was not allowed to use a tool: ${shortened(denied)}`,
      retryable: false,
    }
  }
  if (!ending.finished) return broken('Its output ended before it was done.')
  const spoke = seen.messages.some(message => message.role === 'assistant')
  return spoke ? undefined : broken('It ended without a word of its model.')
}

function broken(message: string): AgentFailure {
  return { kind: 'malformed', message, retryable: true }
}

/** Errors are at the end; earlier text is mostly notices and traces. */
function lastWords(stderr: string): string {
  return oneLine(stderr).slice(-500)
}
