import { PausedError, type WorldFailure } from '../core/errors/errors.js'
import type { WorldFailureKind } from '../core/task/task.js'
import type { Lane } from './lane.js'

/** No retry fixes these, and every other call to the provider would fail the same way. */
const alwaysSystemic: ReadonlySet<WorldFailureKind> = new Set(['login', 'quota', 'not-found'])
const callsInARow = 5
const longestWaitMs = 60 * 60_000

const goesOn = 'then run the same command again: it goes on where it stopped.'
const hints: Partial<Record<WorldFailureKind, string>> = {
  login: `Check the key, ${goesOn}`,
  quota: `Raise the quota or top up the account, ${goesOn}`,
  'not-found': `Check the model's name and the endpoint in the config, ${goesOn}`,
  rejected: `Check the model's options in the config, ${goesOn}`,
  transport: `Check the network and that the endpoint is up, ${goesOn}`,
}

/** An agent's limits are mostly those of a subscription and reset by themselves. */
const agentHints: Partial<Record<WorldFailureKind, string>> = {
  quota: `Wait until the limit resets, or raise it with your provider, ${goesOn} Nothing that was done is paid for again.`,
}

/**
 * Decides whether a failure means that the provider itself is down, so that the run must pause for the user.
 */
export function brokenProvider(
  lane: Lane,
  failure: WorldFailure,
  call: { tries: number; final: boolean; firstFailureAt: number },
): PausedError | undefined {
  const { kind } = failure
  const { id, agent } = lane.settings.model
  const model = `the ${lane.role} model ${id}`
  const usual = (agent === undefined ? undefined : agentHints[kind]) ?? hints[kind]
  const pause = (what: string) =>
    new PausedError(`${what}: ${failure.message}`, {
      hint: failure.hint ?? usual ?? `See what the provider says, ${goesOn}`,
      cause: failure,
    })

  if (alwaysSystemic.has(kind)) return pause(`Calls to ${model} cannot succeed`)
  if ((failure.retryAfterMs ?? 0) > longestWaitMs)
    return pause(`The provider of ${model} asks for a long wait`)
  if (!call.final) return undefined

  // A rejected request is that request's own fault, unless the model has never accepted any.
  if (kind === 'rejected' && lane.lastSuccessAt > Number.NEGATIVE_INFINITY) return undefined
  lane.failedInARow += 1
  if (kind === 'transport' && call.tries > 1 && lane.lastSuccessAt < call.firstFailureAt) {
    return pause(`No connection to ${model} in ${call.tries} tries`)
  }
  if (lane.failedInARow >= callsInARow)
    return pause(`${callsInARow} calls in a row to ${model} failed, the last with`)
  return undefined
}
