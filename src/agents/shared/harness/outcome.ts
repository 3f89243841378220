import { WorldFailure } from '../../../core/errors/errors.js'
import { redactSecrets } from '../../../core/redaction/known-secrets.js'
import type { StopReason, WorldFailureKind } from '../../../core/task/task.js'
import { oneLine } from '../../../core/text/format.js'
import type { AgentReading } from '../output/reading.js'
import type { AgentDefinition, AgentOutcome } from './definition.js'
import type { RunningToolServer } from './mcp-http.js'
import type { AgentEnd } from './process.js'

/** What the runner knows of an attempt besides the agent's own words. */
interface Circumstances {
  readonly end: AgentEnd
  /** The time it had, and whether that was a limit of the task, which is the agent's to keep. */
  readonly seconds: number
  readonly isTaskLimit: boolean
  /** Absent where the session has no tools. */
  readonly tools: Pick<RunningToolServer, 'turns' | 'calls'> | undefined
  readonly secrets: readonly string[]
}

/** What the agent did, by its own words and by how it came to its end. */
export function outcomeOf(
  { title, login }: Pick<AgentDefinition, 'title' | 'login'>,
  reading: AgentReading,
  { end, seconds, isTaskLimit, tools, secrets }: Circumstances,
): AgentOutcome {
  // One that has not even begun was kept from it.
  const calls = tools?.calls() ?? []
  const hasBegun = reading.messages.length > 0
  if (end.timedOut && hasBegun && isTaskLimit) return cut(reading, 'time-limit', calls)
  if (end.timedOut) return failed(reading, lateEnd(title, end, seconds))
  if ((end.printedTooMuch || end.cutShort) && hasBegun) return cut(reading, 'output-limit', calls)
  if ('failure' in reading) {
    const { kind, message, retryable } = reading.failure
    const { usage, cost } = reading
    const more = {
      ...(kind === 'login' ? { hint: login } : {}),
      ...(refusals.has(kind) ? { spent: { usage, cost } } : {}),
    }
    const words = redactSecrets(`${title}: ${message}`, secrets)
    return failed(reading, new WorldFailure(kind, words, { retryable, mayHaveCost: hasBegun, ...more }))
  }
  const stop = reading.stop === 'answered' && tools?.turns() === 'limit' ? 'turn-limit' : reading.stop
  return { ...reading, status: 'ended', stop, calls }
}

/** An agent that was ended has left what it did until then; that its words break off says nothing. */
function cut(
  reading: AgentReading,
  stop: StopReason,
  calls: ReturnType<RunningToolServer['calls']>,
): AgentOutcome {
  const { messages, usage, cost, skipped } = reading
  const answer = messages.findLast(({ role }) => role === 'assistant')?.text ?? ''
  return {
    ...{ status: 'ended', messages, usage, skipped, answer, stop, calls },
    ...(cost === undefined ? {} : { cost }),
  }
}

function failed(reading: AgentReading, failure: WorldFailure): AgentOutcome {
  const { messages, usage, cost, skipped } = reading
  return { status: 'failed', messages, usage, skipped, failure, ...(cost === undefined ? {} : { cost }) }
}

/** Its model's server refused to do anything, so that what the agent had told of by then is all that was used. */
const refusals: ReadonlySet<WorldFailureKind> = new Set([
  'login',
  'quota',
  'rate-limit',
  'not-found',
  'rejected',
])

const longestWords = 600

function lateEnd(title: string, { stderr }: AgentEnd, seconds: number): WorldFailure {
  const words = oneLine(stderr).slice(-longestWords)
  const said = words === '' ? 'It said nothing about it.' : `It said: ${words}`
  return new WorldFailure('timeout', `${title} did not come to an end within ${seconds} s. ${said}`, {
    retryable: true,
    mayHaveCost: true,
  })
}
