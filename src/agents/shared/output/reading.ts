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

/** What an agent's process left behind. */
export interface AgentOutput {
  readonly stdout: string
  readonly stderr: string
  /** None when it was ended from outside. */
  readonly exitCode: number | undefined
  /** What it left in a file instead of printing it, if it did. */
  readonly report?: string
}

interface Seen {
  /** What the agent said, called and got back, in order; not the prompt, which whoever asked has anyway. */
  readonly messages: readonly Message[]
  readonly usage: Usage
  /** US dollars, as the agent counted them; absent where it does not know the price. */
  readonly cost?: number
  /** Lines and records that the reader does not know: a newer version may print them. */
  readonly skipped: number
}

export interface Answered extends Seen {
  readonly answer: string
  readonly stop: StopReason
}

/** Money may have been spent on it all the same, so it keeps what was seen. */
export interface Failed extends Seen {
  readonly failure: AgentFailure
}

export type AgentReading = Answered | Failed
export type AgentReader = (output: AgentOutput) => AgentReading

/** How an agent's records end. */
export interface Ending {
  /** Whether it said that it was done: without that, what it said may be half of it. */
  readonly finished: boolean
  /** What it reported as an error of its own or of its model. */
  readonly error?: Complaint | undefined
  /** Why it stopped without an answer, where it says so. */
  readonly stop?: OwnStop | undefined
  /** Its words about tools that it was not allowed to use. */
  readonly denied?: readonly string[]
}

/** The one place that decides between an answer and a failure; whatever is in doubt is a failure. */
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

/** Where errors stand; what came before is mostly notices and traces. */
function lastWords(stderr: string): string {
  return oneLine(stderr).slice(-500)
}
