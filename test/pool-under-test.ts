import { vi } from 'vitest'
import { WorldFailure } from '../src/core/errors/errors.js'
import type { Model, ModelReply, Role } from '../src/core/ports/model.js'
import type { WorldFailureKind } from '../src/core/task/task.js'
import { Budget } from '../src/run/budget.js'
import { type CallHooks, CallPool, type RoleSettings } from '../src/run/pool.js'

// A pool over a model with scripted behaviour, on fake timers.

export const ok: ModelReply = { text: 'yes', stop: 'stop', usage: { input: 3, output: 2 } }
export type Behaviour = (
  number: number,
  signal: AbortSignal,
  text: string,
) => ModelReply | Promise<ModelReply>

export function fail(
  kind: WorldFailureKind,
  options: { retryAfterMs?: number; mayHaveCost?: boolean } = {},
): never {
  const retryable = ['transport', 'timeout', 'rate-limit', 'server', 'malformed'].includes(kind)
  throw new WorldFailure(kind, `It was ${kind}.`, { retryable, ...options })
}

export const after = (ms: number) => new Promise<ModelReply>(resolve => setTimeout(() => resolve(ok), ms))
export const never = () => new Promise<ModelReply>(() => {})

export function setUp(behaviour: Behaviour, settings: Partial<RoleSettings> = {}, budget = new Budget({})) {
  let calls = 0
  let inFlight = 0
  const seen = { times: [] as number[], most: 0, texts: [] as string[], log: [] as string[] }
  const model: Model = {
    id: 'test/model',
    parameters: {},
    maxOutputTokens: 10,
    price: { input: 1e6, output: 1e6 },
    async generate(request, signal) {
      calls += 1
      inFlight += 1
      const text = request.messages[0]?.text ?? ''
      seen.most = Math.max(seen.most, inFlight)
      seen.times.push(performance.now())
      seen.texts.push(text)
      try {
        return await behaviour(calls, signal, text)
      } finally {
        inFlight -= 1
      }
    },
  }
  const role: RoleSettings = { model, concurrency: 4, retries: 2, timeoutMs: 10_000, ...settings }
  const pool = new CallPool({ roles: { target: role, judge: role }, budget, random: () => 0.5 })
  const hooks: CallHooks = {
    async started(info) {
      seen.log.push(`started ${info.try}`)
    },
    async failed(info) {
      const charged = info.charged === undefined ? '' : ' charged'
      const retry = info.retryInMs === undefined ? '' : ` retry in ${info.retryInMs}`
      seen.log.push(`failed ${info.try} ${info.failure.kind}${charged}${retry}`)
    },
  }
  const stop = new AbortController()
  const call = (
    text = 'hello',
    options: { priority?: number; role?: Role; hooks?: Partial<CallHooks> } = {},
  ) =>
    pool.call(
      options.role ?? 'target',
      { messages: [{ role: 'user', text }] },
      { hooks: { ...hooks, ...options.hooks }, signal: stop.signal, priority: options.priority },
    )
  return { pool, call, seen, stop, budget }
}

/** Advances the clock until a call ends; returns its result or its error. */
export async function outcome<T>(promise: Promise<T>, ms = 1_000_000): Promise<T | unknown> {
  const settled = promise.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(ms)
  return settled
}
