import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CapReachedError, stopsRun, WorldFailure } from '../core/errors/errors.js'
import type { EventBody, EventType, RunEvent } from '../core/log/event.js'
import type { Model, ModelReply } from '../core/ports/model.js'
import { Budget, checkLimits, type Limits, reservationFor } from './budget.js'
import { CallPool } from './pool.js'
import { spendingOf, spentOf } from './spending.js'

const price = { input: 3, output: 7, cachedInput: 1 }
const maxOutputTokens = 200

/** The fate of one try: how much of its reservation it uses, and what the caller receives. */
interface Fate {
  readonly share: number
  readonly ending:
    | 'reply'
    | 'silent usage'
    | 'half usage'
    | 'impossible usage'
    | 'fails free'
    | 'fails paid'
    | 'hangs'
}

const fate: fc.Arbitrary<Fate> = fc.record({
  // Not fc.double: nearly all of its numbers are close to 0.
  share: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 100 })).map(percent => percent / 100),
  ending: fc.constantFrom(
    'reply',
    'reply',
    'reply',
    'silent usage',
    'half usage',
    'impossible usage',
    'fails free',
    'fails paid',
    'hangs',
  ),
})

/** Small compared with what the calls may use: at most about 700 tokens each. */
const limits: fc.Arbitrary<Limits> = fc.record(
  {
    maxCalls: fc.integer({ min: 1, max: 40 }),
    maxTokens: fc.integer({ min: 500, max: 12_000 }),
    maxCost: fc.integer({ min: 2, max: 60 }).map(thousandths => thousandths / 1000),
  },
  { requiredKeys: [] },
)

/** A provider that counts what it would bill. */
class Server implements Model {
  readonly id = 'test/model'
  readonly parameters = {}
  readonly maxOutputTokens = maxOutputTokens
  readonly price = price
  readonly billed = { calls: 0, tokens: 0, cost: 0 }
  constructor(readonly fates: readonly Fate[]) {}

  async generate(request: Parameters<Model['generate']>[0], signal: AbortSignal): Promise<ModelReply> {
    const { share, ending } = this.fates[this.billed.calls % this.fates.length] ?? {
      share: 1,
      ending: 'reply',
    }
    this.billed.calls += 1
    await new Promise(resolve => setTimeout(resolve, share * 2))
    if (ending === 'fails free') throw new WorldFailure('server', 'Busy.', { retryable: true })
    const most = reservationFor(request, this)
    const input = Math.floor(most.input * share)
    const output = Math.floor(most.output * share)
    this.billed.tokens += input + output
    this.billed.cost += (input * price.input + output * price.output) / 1e6
    if (ending === 'fails paid')
      throw new WorldFailure('server', 'Cut.', { retryable: true, mayHaveCost: true })
    if (ending === 'hangs') {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const usages: Partial<Record<Fate['ending'], ModelReply['usage']>> = {
      reply: { input, output },
      'half usage': { output },
      'impossible usage': { input: -10 * input - 1, output: output + 0.5 },
    }
    const usage = usages[ending] ?? {}
    return { text: 'ok', stop: 'stop', usage }
  }
}

/** One process's part of a run, as the log records it. */
async function session(server: Server, caps: Limits, sizes: number[], log: RunEvent[], abortAfterMs: number) {
  const add = async <T extends EventType>(type: T, body: EventBody<T>, key?: string) => {
    const event = { seq: log.length, at: 0, type, body, ...(key === undefined ? {} : { key }) }
    log.push(event as RunEvent)
  }
  const budget = new Budget(caps, spentOf(await spendingOf(log), { target: server }))
  await add('session.started', { pid: 1, resumed: log.length > 0, limits: {} })
  const roles = { target: { model: server, concurrency: 3, retries: 2, timeoutMs: 8 } }
  const pool = new CallPool({ roles, budget, random: () => 0 })
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), abortAfterMs)
  const place = { stage: 'rollout', epoch: 1, step: 1, role: 'target' } as const
  const calls = sizes.map(async (size, index) => {
    const key = `call ${index}`
    const hooks = {
      started: (info: object) => add('call.started', { ...place, ...info } as EventBody<'call.started'>, key),
      failed: ({ failure, ...info }: { failure: WorldFailure }) => {
        const body = { ...place, ...info, kind: failure.kind, message: '' }
        return add('call.failed', body as EventBody<'call.failed'>, key)
      },
    }
    const request = { messages: [{ role: 'user', text: 'x'.repeat(size) }] } as const
    const { reply, ms, tries, cost } = await pool.call('target', request, { hooks, signal: stop.signal })
    const { usage } = reply
    const words = {
      messages: [],
      reply: { role: 'assistant', text: 'ok' },
      stop: 'stop',
      model: server.id,
    }
    const body = { ...place, ...words, usage, ms, tries, ...(cost === undefined ? {} : { cost }) }
    await add('call.finished', body as EventBody<'call.finished'>, key)
  })
  const results = await Promise.allSettled(calls)
  clearTimeout(timer)
  budget.close()
  return results.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
}

it('no cap is ever passed, as the server counts, over two sessions', async () => {
  let reached = 0
  let replied = 0
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.array(fate, { minLength: 1, maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }),
      async (caps, fates, sizes, abortAfterMs) => {
        const server = new Server(fates)
        checkLimits(caps, { target: server })
        const log: RunEvent[] = []
        for (const patience of [abortAfterMs, 10_000]) {
          const errors = await session(server, caps, sizes, log, patience)
          for (const error of errors) expect(stopsRun(error) || error instanceof WorldFailure).toBe(true)
          reached += errors.filter(error => error instanceof CapReachedError).length
          replied += sizes.length - errors.length
          const { calls, tokens, cost } = server.billed
          expect(calls).toBeLessThanOrEqual(caps.maxCalls ?? Number.POSITIVE_INFINITY)
          expect(tokens).toBeLessThanOrEqual(caps.maxTokens ?? Number.POSITIVE_INFINITY)
          expect(cost).toBeLessThanOrEqual((caps.maxCost ?? Number.POSITIVE_INFINITY) + 1e-12)
          // The log never records less than the server counted.
          const told = spentOf(await spendingOf(log), { target: server })
          expect(told.calls).toBeGreaterThanOrEqual(calls)
          expect(told.tokens).toBeGreaterThanOrEqual(tokens)
          expect(told.cost).toBeGreaterThanOrEqual(cost - 1e-12)
        }
      },
    ),
    { numRuns: 200, seed: 20 },
  )
  // The property is vacuous unless caps were reached and calls were made.
  expect(reached).toBeGreaterThan(50)
  expect(replied).toBeGreaterThan(50)
})
