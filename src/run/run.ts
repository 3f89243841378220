import PQueue from 'p-queue'
import { PausedError, WorldFailure } from '../core/errors/errors.js'
import type { EventBody, EventOf, EventType, Place, RunEvent } from '../core/log/event.js'
import type { Model, ModelReply, ModelRequest, Role } from '../core/ports/model.js'
import type { AttemptEffect, CallEffect, Effect, PerformOptions, ResultOf, Run } from '../core/ports/run.js'
import type { AttemptCache, RunStore } from '../core/ports/store.js'
import { skillHash } from '../core/skill/skill.js'
import { hashSeed } from '../core/statistics/random.js'
import { keepWork, readWork, type StoredWork } from '../core/task/agent-work.js'
import { filesIn, limitProblem } from '../core/task/file-limits.js'
import { keepMessage, keyOfMessage, readMessage } from '../core/task/messages.js'
import { pauseForUnknown, type Rate } from '../core/task/reward.js'
import type { Attempt, BlobRef, Message, StoredMessage } from '../core/task/task.js'
import { canonicalJson, contentHash, taskHash } from '../core/text/hash.js'
import type { CallPool } from './pool.js'

/**
 * Work with a higher priority starts first. Work that fills idle lanes (baselines, tests) must not delay the
 * calls that the next stage waits for.
 */
const priorities: Record<Place['stage'], number> = {
  rollout: 2,
  reflect: 2,
  aggregate: 2,
  select: 2,
  update: 2,
  'slow-update': 2,
  'meta-skill': 2,
  'one-shot': 2,
  mine: 2,
  dream: 2,
  gate: 1,
  baseline: 0,
  test: -1,
}

/** Makes one attempt; `key` is the attempt's key in the log. */
export type AttemptExecutor = (
  effect: AttemptEffect,
  context: { readonly key: string; readonly place: Place; readonly run: Run },
) => Promise<Attempt>

export interface RunParts {
  readonly store: RunStore
  readonly pool: CallPool
  readonly models: Partial<Record<Role, Model>>
  /** Everything that an attempt's result depends on, besides its skill, task, sample and scope. */
  readonly attemptIdentity: string
  readonly attempt: AttemptExecutor
  /** Maximum number of open attempts, if each needs more than a prompt, such as a folder. */
  readonly openAttempts?: number | undefined
  /** Selects the figures of an attempt that count in this run; by default, all of them. */
  readonly rate?: Rate
  /** Cache of evaluations shared with other runs, if enabled. */
  readonly cache?: AttemptCache | undefined
  readonly signal: AbortSignal
  readonly onEvent?: (event: RunEvent) => void
  readonly now?: () => number
}

/**
 * Number of recent texts whose refs are remembered. It exceeds the calls in flight, so that an attempt finds
 * the texts of its calls.
 */
const rememberedTexts = 256
/** Longest text that is remembered. Files are longer, and this many of them would fill the memory. */
const longestRemembered = 1 << 16

/**
 * The single entry point for effects: looks in the log first, shares identical work in progress, and records
 * before it returns.
 */
export function createRun(parts: RunParts): Run & { idle(): Promise<void> } {
  const { store, pool, models, signal } = parts
  const now = parts.now ?? steadyClock()
  const rate = parts.rate ?? (attempt => ({ attempt }))
  const underWay = new Map<string, Promise<unknown>>()
  const places =
    parts.openAttempts === undefined ? undefined : new PQueue({ concurrency: parts.openAttempts })
  const modelIdentity = new Map<Role, string>()
  const recentRefs = new Map<string, BlobRef>()

  /**
   * Stores a text. The refs of recent texts are cached, because rules and skill are part of every call and
   * each prompt recurs with its attempt.
   */
  function put(text: string): BlobRef {
    const known = recentRefs.get(text)
    if (known !== undefined) return known
    const ref = store.put(text)
    if (text.length > longestRemembered) return ref
    if (recentRefs.size >= rememberedTexts) recentRefs.clear()
    recentRefs.set(text, ref)
    return ref
  }

  async function write<T extends EventType>(type: T, body: EventBody<T>, key?: string): Promise<void> {
    // Written out, because fields after a spread give every object its own hidden class, which stays in
    // memory until the next full garbage collection. For the same reason, spreads come last in every per-call
    // object.
    const seq = store.length
    const at = now()
    const event = (key === undefined ? { seq, at, type, body } : { seq, at, type, key, body }) as EventOf<T>
    await store.append(event)
    parts.onEvent?.(event)
  }

  function share<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = underWay.get(key) as Promise<T> | undefined
    if (known !== undefined) return known
    const promise = work().finally(() => underWay.delete(key))
    underWay.set(key, promise)
    return promise
  }

  function modelFor(role: Role): { model: Model; identity: string } {
    const model = models[role]
    if (model === undefined) throw new Error(`No ${role} model was configured for this run.`)
    const identity = modelIdentity.get(role) ?? canonicalJson([model.id, model.parameters])
    modelIdentity.set(role, identity)
    return { model, identity }
  }

  function performCall(effect: CallEffect, place: Place, { worker }: PerformOptions): Promise<ModelReply> {
    const { role, request, scope, sample } = effect
    const { model, identity } = modelFor(role)
    refuseFiles(request, model)
    const messages = request.messages.map(message => keepMessage(message, put))
    // The fields have a fixed order here, so plain JSON is canonical enough, and faster on this hot path.
    const key = contentHash(
      JSON.stringify([
        'call',
        role,
        identity,
        messages.map(keyOfMessage),
        request.tools,
        request.schema,
        scope,
        sample,
      ]),
    )
    const ask = async () => {
      const recorded = await recordedBody(key, 'call.finished')
      // If an agent's changes were too large to keep, they are lost, and the attempt must be repeated.
      if (recorded !== undefined && recorded.work?.isWhole !== false) return replyFrom(recorded)
      const asked = { seed: hashSeed(key), ...request }
      const { reply, tries, ms, cost } = await pool.call(role, asked, {
        hooks: {
          started: info => write('call.started', { role, ...place, ...info }, key),
          failed: info => {
            const { failure, ...rest } = info
            const { kind, message } = failure
            return write('call.failed', { role, kind, message, ...place, ...rest }, key)
          },
        },
        priority: priorities[place.stage],
        signal,
        worker,
      })
      const { text, toolCalls } = reply
      const message: Message = { role: 'assistant', text, toolCalls }
      await write(
        'call.finished',
        {
          role,
          model: model.id,
          messages,
          reply: keepMessage(message, put),
          stop: reply.stop,
          usage: reply.usage,
          ms,
          tries,
          ...place,
          cost,
          work: reply.work === undefined ? undefined : keepWork(reply.work, put),
        } as EventBody<'call.finished'>,
        key,
      )
      await model.handoff?.kept(asked)
      return { ms, ...reply }
    }
    return share(key, ask)
  }

  async function replyFrom(body: EventBody<'call.finished'>): Promise<ModelReply> {
    const { text, toolCalls } = await readMessage(body.reply as StoredMessage, store.get)
    return {
      text,
      toolCalls,
      stop: body.stop,
      usage: body.usage,
      ms: body.ms,
      work: body.work === undefined ? undefined : await readWork(body.work as StoredWork, store.get),
    }
  }

  function performAttempt(effect: AttemptEffect, place: Place): Promise<Attempt> {
    const { task, sample, scope } = effect
    const skill = skillHash(effect.skill)
    const key = contentHash(
      JSON.stringify(['attempt', skill, taskHash(task), parts.attemptIdentity, sample, scope]),
    )
    const attempt = async (): Promise<Attempt> => {
      const recorded = await recordedBody(key, 'attempt.finished')
      if (recorded !== undefined) return recorded as Attempt
      const finish = (attempt: Attempt, mark?: { readonly cached: true }) =>
        write(
          'attempt.finished',
          { skill, ...place, ...attempt, ...mark } as EventBody<'attempt.finished'>,
          key,
        )
      // Attempts with a scope are requested anew on purpose, so they skip the cache.
      const cache = scope === '' ? parts.cache : undefined
      const cached = await cache?.find(key, put)
      const found = cached && rate(cached)
      // A cached attempt without a figure that counts in this run is repeated.
      if (found !== undefined && 'attempt' in found) {
        await finish(found.attempt, { cached: true })
        return found.attempt
      }
      try {
        const make = () => parts.attempt(effect, { key, place, run })
        const made = await (places === undefined
          ? make()
          : places.add(make, { priority: priorities[place.stage] }))
        const rated = rate(made)
        if ('unknown' in rated) throw pauseForUnknown(task.id, rated.unknown)
        await finish(rated.attempt)
        // The cache gets the attempt with its full usage, since other figures may count in another run.
        await cache?.keep(key, made, ref => store.get(ref))
        return rated.attempt
      } catch (error) {
        if (!(error instanceof WorldFailure)) throw error
        // The failure is reported but not recorded as a result, so that a later session retries the attempt.
        const { kind, message } = error
        await write('attempt.failed', { skill, task: task.id, sample, kind, message, ...place })
        return {
          task: task.id,
          type: task.type ?? '',
          sample,
          messages: [],
          outcome: { status: 'failed', failure: { kind, message } },
        }
      }
    }
    return share(key, attempt)
  }

  async function recordedBody<T extends EventType>(key: string, type: T): Promise<EventBody<T> | undefined> {
    if (!store.has(key)) return undefined
    const event = await store.find(key)
    if (event === undefined || event.type !== type) return undefined
    return event.body as EventBody<T>
  }

  const run: Run & { idle(): Promise<void> } = {
    signal,
    // Resolves when no work is in progress, so that the log can be closed after an abort.
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay.values())
    },
    perform<E extends Effect>(effect: E, place: Place, how: PerformOptions = {}): Promise<ResultOf<E>> {
      signal.throwIfAborted()
      const result = effect.kind === 'call' ? performCall(effect, place, how) : performAttempt(effect, place)
      return result as Promise<ResultOf<E>>
    },
    once(type, key, compute) {
      const fullKey = `${type}:${key}`
      return share(fullKey, async () => {
        const recorded = await recordedBody(fullKey, type)
        if (recorded !== undefined) return recorded
        const body = await compute()
        await write(type, body, fullKey)
        return body
      })
    },
    async emit(type, body, key) {
      if (key === undefined) return write(type, body)
      const fullKey = `${type}:${key}`
      if (!store.has(fullKey)) await share(fullKey, () => write(type, body, fullKey))
    },
    put,
    get: ref => store.get(ref),
    spent: () => pool.spent.cost,
  }
  return run
}

/** Refuses files before the call counts: an environment may send files its tasks did not announce. */
function refuseFiles({ messages }: ModelRequest, model: Model): void {
  const problem = limitProblem(filesIn(messages), model)
  if (problem === undefined) return
  throw new PausedError(`Can't send a prompt: ${problem}.`, {
    hint: 'List the files of each task in its `attachments`, so that this is checked before anything is spent.',
  })
}

/**
 * The time of day, read once; later times add the elapsed time. A time cap is computed from the times of
 * events, so a clock that is changed during a session must neither use up the cap nor extend it.
 */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now()
  return () => Math.round(offset + performance.now())
}
