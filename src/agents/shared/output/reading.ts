import type { Message, StopReason, Usage } from '../../../core/task/task.js'
import { isTokenCount } from '../../../core/task/usage.js'
import { oneLine } from '../../../core/text/format.js'
import {
  type AgentFailure,
  type AgentStop,
  agentStop,
  failureFrom,
  type ReportedError,
  shortened,
} from './failure.js'

/** The output of an agent's process. */
export interface AgentOutput {
  readonly stdout: string
  readonly stderr: string
  /** Exit code; undefined if a signal ended the process. */
  readonly exitCode: number | undefined
  /** Content of its report file, if it wrote one. */
  readonly report?: string
}

interface ParsedOutput {
  /**
   * The agent's messages, tool calls and results, in order. The prompt is left out, because the caller has
   * it.
   */
  readonly messages: readonly Message[]
  readonly usage: Usage
  /** Cost in US dollars as the agent reports it; absent if the agent does not know the price. */
  readonly cost?: number
  /** Number of unknown lines and records; newer versions of an agent may print new ones. */
  readonly skipped: number
}

export interface Answered extends ParsedOutput {
  readonly answer: string
  readonly stop: StopReason
}

/** A failed attempt may still have cost money, so it keeps its messages and usage. */
export interface Failed extends ParsedOutput {
  readonly failure: AgentFailure
}

export type AgentReading = Answered | Failed
export type AgentReader = (output: AgentOutput) => AgentReading

/** How a run ended according to the agent's own records. */
export interface Ending {
  /** Whether the agent reported that it completed; if not, its output may be incomplete. */
  readonly finished: boolean
  /** The error that the agent reported, either its own or one of its model. */
  readonly error?: ReportedError | undefined
  /** Why the agent stopped without an answer, if it states a reason. */
  readonly stop?: AgentStop | undefined
  /** The agent's messages about tools that it was not allowed to use. */
  readonly denied?: readonly string[]
}

/** The only place that decides between an answer and a failure; when in doubt, it is a failure. */
export function conclude(seen: ParsedOutput, ending: Ending, output: AgentOutput): AgentReading {
  const answer = seen.messages.findLast(message => message.role === 'assistant')?.text ?? ''
  const own = ending.stop ?? (ending.error === undefined ? undefined : agentStop(ending.error))
  if (own !== undefined) return { ...seen, answer, stop: own }
  const failure = failureIn(seen, ending, output)
  return failure === undefined ? { ...seen, answer, stop: 'answered' } : { ...seen, failure }
}

function failureIn(
  seen: ParsedOutput,
  ending: Ending,
  { stderr, exitCode }: AgentOutput,
): AgentFailure | undefined {
  if (ending.error !== undefined) return failureFrom(ending.error)
  if (exitCode === undefined) {
    return {
      kind: 'harness',
      message: `It was killed by a signal. ${endOfStderr(stderr)}`.trim(),
      retryable: true,
    }
  }
  if (exitCode !== 0) {
    const last = endOfStderr(stderr)
    return failureFrom({ message: `It ended with exit code ${exitCode}${last === '' ? '.' : `: ${last}`}` })
  }
  const [denied] = ending.denied ?? []
  if (denied !== undefined) {
    return {
      kind: 'harness',
      message: `It was not allowed to use a tool: ${shortened(denied)}`,
      retryable: false,
    }
  }
  if (!ending.finished) return malformed('Its output ended before it was done.')
  const hasReply = seen.messages.some(message => message.role === 'assistant')
  return hasReply ? undefined : malformed('It ended without a reply of its model.')
}

function malformed(message: string): AgentFailure {
  return { kind: 'malformed', message, retryable: true }
}

/** The end of stderr, which is where errors are; earlier lines are mostly notices and traces. */
function endOfStderr(stderr: string): string {
  return oneLine(stderr).slice(-500)
}

const usageFields = ['input', 'output', 'cachedInput', 'cacheWrite', 'reasoning'] as const

/**
 * Adds token counts. A count is unknown in the sum only if both sides lack it. An invalid count, such as a
 * negative one, makes the sum NaN, which is later rejected instead of lowering the total.
 */
export function addUsage(sum: Usage, more: Usage): Usage {
  const entries = usageFields.flatMap(name => {
    const known = [sum[name], more[name]].filter(value => value !== undefined)
    return known.length === 0
      ? []
      : [[name, known.reduce((total, value) => total + (isTokenCount(value) ? value : Number.NaN), 0)]]
  })
  return Object.fromEntries(entries)
}

/** Drops a cost of 0, because agents print 0 for models whose price they do not know. */
export function knownCost(cost: number): { cost?: number } {
  return cost === 0 ? {} : { cost }
}
