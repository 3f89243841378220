import { WorldFailure } from '../../../core/errors/errors.js'
import { redactSecrets } from '../../../core/redaction/known-secrets.js'
import type { StopReason, WorldFailureKind } from '../../../core/task/task.js'
import { oneLine } from '../../../core/text/format.js'
import type { AgentReading } from '../output/reading.js'
import type { AgentDefinition, AgentOutcome } from './definition.js'
import type { RunningToolServer } from './mcp-http.js'
import type { AgentEnd } from './process.js'

/** What the runner knows about an attempt in addition to the agent's output. */
interface AttemptFacts {
  readonly end: AgentEnd
  /** The time limit, and whether the task sets it; if so, keeping it is the agent's own task. */
  readonly seconds: number
  readonly isTaskLimit: boolean
  /** The running tool server; undefined if the session has no tools. */
  readonly tools: Pick<RunningToolServer, 'turns' | 'calls'> | undefined
  readonly secrets: readonly string[]
}

/** Derives the outcome from the agent's output and from how its process ended. */
export function outcomeOf(
  { title, login }: Pick<AgentDefinition, 'title' | 'login'>,
  reading: AgentReading,
  { end, seconds, isTaskLimit, tools, secrets }: AttemptFacts,
): AgentOutcome {
  // An agent that printed no message never started, which is an external failure.
  const calls = tools?.calls() ?? []
  const hasBegun = reading.messages.length > 0
  if (end.timedOut && hasBegun && isTaskLimit) return truncatedOutcome(reading, 'time-limit', calls)
  if (end.timedOut) return failedOutcome(reading, timeoutFailure(title, end, seconds))
  if ((end.exceededOutput || end.stoppedByReader) && hasBegun)
    return truncatedOutcome(reading, 'output-limit', calls)
  if ('failure' in reading) {
    const { kind, message, retryable } = reading.failure
    const { usage, cost } = reading
    const more = {
      ...(kind === 'login' ? { hint: login } : {}),
      ...(refusedKinds.has(kind) ? { spent: { usage, cost } } : {}),
    }
    const words = redactSecrets(`${title}: ${message}`, secrets)
    return failedOutcome(
      reading,
      new WorldFailure(kind, words, { retryable, mayHaveCost: hasBegun, ...more }),
    )
  }
  const stop = reading.stop === 'answered' && tools?.turns() === 'limit' ? 'turn-limit' : reading.stop
  return { ...reading, status: 'ended', stop, calls }
}

/** A terminated agent is scored on its work so far; a truncated output is no error then. */
function truncatedOutcome(
  reading: AgentReading,
  stop: StopReason,
  calls: ReturnType<RunningToolServer['calls']>,
): AgentOutcome {
  const { messages, usage, cost, skipped } = reading
  const answer = messages.findLast(({ role }) => role === 'assistant')?.text ?? ''
  return {
    status: 'ended',
    messages,
    usage,
    skipped,
    answer,
    stop,
    calls,
    cost,
  }
}

function failedOutcome(reading: AgentReading, failure: WorldFailure): AgentOutcome {
  const { messages, usage, cost, skipped } = reading
  return { status: 'failed', messages, usage, skipped, failure, cost }
}

/** Here the model's server refused the request, so the usage that the agent reported is complete. */
const refusedKinds: ReadonlySet<WorldFailureKind> = new Set([
  'login',
  'quota',
  'rate-limit',
  'not-found',
  'rejected',
])

const maxQuotedLength = 600

function timeoutFailure(title: string, { stderr }: AgentEnd, seconds: number): WorldFailure {
  const words = oneLine(stderr).slice(-maxQuotedLength)
  const said = words === '' ? 'It printed no error.' : `It said: ${words}`
  return new WorldFailure('timeout', `${title} did not finish within ${seconds} s. ${said}`, {
    retryable: true,
    mayHaveCost: true,
  })
}
