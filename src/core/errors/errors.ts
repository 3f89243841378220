import type { Usage, WorldFailureKind } from '../task/task.js'

/** Exit codes of the command line. docs/exit-codes.md lists them, and a test keeps the two in sync. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  badInput: 2,
  paused: 3,
  capReached: 4,
  interrupted: 130,
} as const

/** Base of all user-facing errors: one sentence on what happened and where, and one on what to do. */
export abstract class SkillOptError extends Error {
  abstract readonly code: string
  abstract readonly exitCode: number
  readonly hint: string | undefined
  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.hint = options.hint
    this.name = new.target.name
  }
}

/** The user's config, data, flags or files are unusable. Thrown before any money is spent. */
export class InputError extends SkillOptError {
  readonly code = 'bad-input'
  readonly exitCode = exitCodes.badInput
}

/**
 * An external failure of a call or an attempt, which says nothing about the skill. It is retried and
 * reported, but never scored.
 */
export class WorldFailure extends SkillOptError {
  readonly code = 'world-failure'
  readonly exitCode = exitCodes.paused
  readonly kind: WorldFailureKind
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  /** Whether the provider may have charged for the call although no reply arrived. */
  readonly mayHaveCost: boolean
  /** Actual usage and cost, if known. Unknown parts are charged at the reserved amount. */
  readonly spent: { readonly usage: Usage; readonly cost?: number | undefined } | undefined
  constructor(
    kind: WorldFailureKind,
    message: string,
    options: {
      retryable: boolean
      retryAfterMs?: number | undefined
      mayHaveCost?: boolean
      spent?: { readonly usage: Usage; readonly cost?: number | undefined }
      hint?: string
      cause?: unknown
    },
  ) {
    super(message, options)
    this.kind = kind
    this.retryable = options.retryable
    this.retryAfterMs = options.retryAfterMs
    this.mayHaveCost = options.mayHaveCost ?? false
    this.spent = options.spent
  }
}

/** A problem that no retry fixes (key refused, endpoint gone, scorer broken): the run waits for a person. */
export class PausedError extends SkillOptError {
  readonly code = 'paused'
  readonly exitCode = exitCodes.paused
}

export type CapName = 'maxCalls' | 'maxTokens' | 'maxCost' | 'maxTime'

/** The next call could exceed a hard cap, so it was not made. The best skill so far is kept. */
export class CapReachedError extends SkillOptError {
  readonly code = 'cap-reached'
  readonly exitCode = exitCodes.capReached
  readonly cap: CapName
  constructor(cap: CapName, message: string, options: { hint?: string } = {}) {
    super(message, options)
    this.cap = cap
  }
}

export class InterruptedError extends SkillOptError {
  readonly code = 'interrupted'
  readonly exitCode = exitCodes.interrupted
}

/** Whether an error ends the run's work for now. Everything recorded so far stays. */
export function stopsRun(error: unknown): error is PausedError | CapReachedError | InterruptedError {
  return error instanceof PausedError || error instanceof CapReachedError || error instanceof InterruptedError
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
