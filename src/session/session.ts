import { clearStalePlaces } from '../agents/shared/harness/place.js'
import { resolveModel } from '../core/config/config.js'
import { type Difference, differences } from '../core/config/difference.js'
import {
  CapReachedError,
  InputError,
  InterruptedError,
  messageOf,
  PausedError,
  SkillOptError,
} from '../core/errors/errors.js'
import { type EventBody, logVersion, type RunEvent } from '../core/log/event.js'
import type { Model, Role } from '../core/ports/model.js'
import type { Run } from '../core/ports/run.js'
import type { AttemptCache } from '../core/ports/store.js'
import { attemptRate } from '../core/task/reward.js'
import { createView, foldEvent, type RunView } from '../core/view/fold.js'
import { Budget } from '../run/budget.js'
import { CallPool, type RoleSettings } from '../run/pool.js'
import { createRun } from '../run/run.js'
import { SpendingFold, spentOf } from '../run/spending.js'
import { unreadable } from '../store/append-log.js'
import { openAttemptCache } from '../store/attempt-cache.js'
import { type DiskStore, openDiskStore } from '../store/disk.js'
import { lockRunDirectory } from '../store/lock.js'
import { writeBestSkill, writeRunFiles } from '../store/run-files/write.js'
import { reasonOf } from '../system/documents.js'
import { product } from '../system/version.js'
import type { Setup } from '../trainer/loops/setup.js'
import { attemptTask } from '../trainer/stages/attempt.js'
import { attemptIdentity, cacheIdentity } from './run-identity.js'

/** Fields of a run's first event that the setup does not contain. */
export interface RunIdentity {
  readonly kind: EventBody<'run.started'>['kind']
  readonly name: string
  readonly sources: Readonly<Record<string, string>>
  readonly epochs: number
  readonly stepsPerEpoch: number
  readonly forkedFrom?: string | undefined
}

export interface SessionOptions {
  readonly directory: string
  readonly identity: RunIdentity
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Receives notices that do not affect the result (telemetry failures). Defaults to Node's warnings. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Hint shown if the run was started with other settings. Defaults to the hint for trainings. */
  readonly otherSettings?: string | undefined
  /** Attempts of other runs, searched after the shared cache. */
  readonly earlier?: AttemptCache | undefined
}

export interface SessionResult<T> {
  readonly outcome: 'finished' | 'paused' | 'cap' | 'interrupted'
  readonly directory: string
  readonly view: RunView
  readonly value: T | undefined
  readonly error: SkillOptError | undefined
}

interface Opened {
  readonly onNotice: (text: string) => void
  readonly cache: AttemptCache | undefined
  readonly store: DiskStore
}

/**
 * Does one process's work on a run directory. It takes the lock, opens the log, does the work, and writes
 * everything out even if the work fails. Bad input and bugs throw; a pause, a cap and Ctrl-C are normal
 * outcomes.
 */
export async function inSession<T>(
  setup: Setup,
  options: SessionOptions,
  work: (run: Run) => Promise<T>,
): Promise<SessionResult<T>> {
  const { directory } = options
  const notice = options.onNotice ?? ((text: string) => process.emitWarning(text))
  const shared =
    setup.cache === undefined
      ? undefined
      : await openAttemptCache(setup.cache, { identity: cacheIdentity(setup), notice })
  const cache = chainCaches(shared, options.earlier)
  const lock = await lockRunDirectory(directory).catch((error: unknown) => {
    if (error instanceof SkillOptError || (error as NodeJS.ErrnoException).code === undefined) throw error
    throw unreadable(directory, error)
  })
  try {
    await clearStalePlaces()
    const store = await openDiskStore(directory)
    try {
      return await workOn(setup, { ...options, onNotice: notice, cache, store }, work)
    } finally {
      await store.close()
    }
  } finally {
    await lock.release()
  }
}

function chainCaches(
  shared: AttemptCache | undefined,
  earlier: AttemptCache | undefined,
): AttemptCache | undefined {
  if (shared === undefined || earlier === undefined) return shared ?? earlier
  return {
    find: async (key, put) => (await shared.find(key, put)) ?? earlier.find(key, put),
    keep: (key, attempt, get) => shared.keep(key, attempt, get),
  }
}

async function workOn<T>(
  setup: Setup,
  options: SessionOptions & Opened,
  work: (run: Run) => Promise<T>,
): Promise<SessionResult<T>> {
  const { directory, store } = options
  const past = await readPast(store)
  if (past.started !== undefined) refuseChanges(past.started, setup, options)
  warnOfChangedAgents(past.agents, setup, options.onNotice)

  const context = { run: options.identity.name, get: store.get.bind(store), notice: options.onNotice }
  const readers = (await setup.readers?.(context)) ?? []

  let view = past.view
  const stop = new AbortController()
  const interrupt = () => stop.abort(interruption(options.signal))
  options.signal?.addEventListener('abort', interrupt, { once: true })
  if (options.signal?.aborted === true) interrupt()

  // The best skill is written during training so that it can be used early. A write error is reported at the
  // end, together with those of other files.
  let bestSkillWritten = Promise.resolve()
  const writeBest = async (text: string) => writeBestSkill(directory, await store.get(text))

  const { models, config } = setup
  const budget = new Budget(config.limits, spentOf(past.spending.total({ ended: true }), models))
  const pool = new CallPool({ roles: roleSettings(setup), budget })
  const run = createRun({
    store,
    pool,
    models,
    attemptIdentity: attemptIdentity(setup),
    attempt: (effect, context) => attemptTask(setup, effect, context),
    openAttempts: openAttempts(setup),
    rate: attemptRate(config.evaluation),
    cache: options.cache,
    signal: stop.signal,
    onEvent: event => {
      view = foldEvent(view, event)
      if (event.type === 'best.changed')
        bestSkillWritten = bestSkillWritten.then(() => writeBest(event.body.text))
      for (const reader of readers) reader.event(event)
      options.onEvent?.(event)
    },
  })

  let stopped: unknown
  try {
    await recordStart(run, setup, { identity: options.identity, resumed: past.started !== undefined })
    const value = await work(run)
    // A call that nobody awaits may still be running. It is paid for, so its reply belongs in the log.
    await run.idle()
    return { outcome: 'finished', directory, view, value, error: undefined }
  } catch (error) {
    stopped = error
    // All work ends before the log is closed. At a pause or a cap, running calls are already paid for, so the
    // session waits for their replies. Otherwise the next session would pay for them again.
    if (error instanceof PausedError || error instanceof CapReachedError) pool.refuse(error)
    else stop.abort(error)
    await run.idle()
    stop.abort(error)
    await recordStop(run, error)
    const outcome = stopReason(error)
    if (outcome === 'failed') throw error
    return { outcome, directory, view, value: undefined, error: error as SkillOptError }
  } finally {
    options.signal?.removeEventListener('abort', interrupt)
    budget.close()
    await store.flush()
    await Promise.all(readers.map(reader => reader.close()))
    await Promise.allSettled([bestSkillWritten])
    await writeFiles(directory, store, stopped)
  }
}

/**
 * Writes the run's files for people. A full or read-only disk becomes an error for the user, together with
 * the reason that stopped the run. The log itself is already complete.
 */
async function writeFiles(directory: string, store: DiskStore, stopped: unknown): Promise<void> {
  try {
    await writeRunFiles(directory, store)
  } catch (error) {
    if (error instanceof SkillOptError) throw error
    const before = stopped === undefined ? '' : `${messageOf(stopped)} `
    throw new PausedError(`${before}Can't write the run's files to ${directory}: ${reasonOf(error)}.`, {
      hint: 'The log is complete. Fix the cause and rerun the same command: it writes the files and pays nothing twice.',
      cause: error,
    })
  }
}

function interruption(signal: AbortSignal | undefined): InterruptedError {
  if (signal?.reason instanceof InterruptedError) return signal.reason
  return new InterruptedError('Interrupted.', { hint: 'Rerun the same command to resume.' })
}

interface Past {
  readonly started: EventBody<'run.started'> | undefined
  readonly view: RunView
  readonly spending: SpendingFold
  readonly agents: EventBody<'session.started'>['agents']
}

async function readPast(store: DiskStore): Promise<Past> {
  const spending = new SpendingFold()
  let view = createView()
  let started: EventBody<'run.started'> | undefined
  let agents: Past['agents']
  for await (const event of store.events()) {
    if (event.type === 'run.started') started = event.body
    if (event.type === 'session.started') agents = event.body.agents
    spending.add(event)
    view = foldEvent(view, event)
  }
  return { started, view, spending, agents }
}

const anotherTraining = 'pass --new to start another run, or --fork RUN@VERSION to start one from its skill.'

/** Throws if a run is resumed with other settings, because a log that mixes two experiments is worthless. */
function refuseChanges(
  started: EventBody<'run.started'>,
  setup: Setup,
  { directory, otherSettings = anotherTraining }: Pick<SessionOptions, 'directory' | 'otherSettings'>,
): void {
  if (started.importedFrom !== undefined) {
    throw new InputError(`Can't resume an imported run: ${directory}`, {
      hint: `Start a run from its skill: --fork ${started.run}@best, with another --out.`,
    })
  }
  const changes = differences(started, setup)
  if (changes.length === 0) return
  const list = changes
    .map(({ path, was, now }: Difference) => `${path}: was ${was}, is now ${now}`)
    .join('; ')
  throw new InputError(`The run in ${directory} was started with other settings (${list}).`, {
    hint: `Undo the change to resume, ${otherSettings}`,
  })
}

async function recordStart(
  run: Run,
  setup: Setup,
  { identity, resumed }: { readonly identity: RunIdentity; readonly resumed: boolean },
): Promise<void> {
  const { config, tasks, fingerprints, simulated } = setup
  const { forkedFrom, kind, name, sources, epochs, stepsPerEpoch } = identity
  const started: EventBody<'run.started'> = {
    log: logVersion,
    kind,
    run: name,
    product,
    config: JSON.parse(JSON.stringify(config)) as EventBody<'run.started'>['config'],
    sources: { ...sources },
    fingerprints: { ...fingerprints },
    simulated,
    seedSkill: run.put(setup.skill),
    tasks: { train: tasks.train.length, val: tasks.val.length, test: tasks.test.length },
    epochs,
    stepsPerEpoch,
    forkedFrom,
  }
  await run.emit('run.started', started, 'run')
  const limits = Object.fromEntries(
    Object.entries(config.limits).flatMap(([name, limit]) => (limit === undefined ? [] : [[name, limit]])),
  )
  const agents = agentsOf(setup)
  await run.emit('session.started', {
    pid: process.pid,
    resumed,
    limits,
    agents: Object.keys(agents).length === 0 ? undefined : agents,
  })
}

function agentsOf({ models }: Pick<Setup, 'models'>): Record<string, string> {
  const roles = Object.entries(models) as [Role, Model][]
  return Object.fromEntries(
    roles.flatMap(([role, { agent }]) =>
      agent === undefined ? [] : [[role, `${agent.title} ${agent.version ?? '(version unknown)'}`]],
    ),
  )
}

/** Agents update themselves, so a changed version only causes a notice and does not prevent resuming. */
function warnOfChangedAgents(before: Past['agents'], setup: Setup, notice: (text: string) => void): void {
  for (const [role, now] of Object.entries(agentsOf(setup))) {
    const was = before?.[role]
    if (was === undefined || was === now) continue
    notice(`The ${role} changed from ${was} to ${now} since the last session; scores may differ.`)
  }
}

/**
 * Names the reason why a run stopped. `failed` means a bug or bad input that was detected late; every other
 * error is a normal outcome.
 */
function stopReason(error: unknown): EventBody<'run.stopped'>['reason'] {
  if (error instanceof CapReachedError) return 'cap'
  if (error instanceof InterruptedError) return 'interrupted'
  return error instanceof PausedError ? 'paused' : 'failed'
}

async function recordStop(run: Run, error: unknown): Promise<void> {
  const hint = error instanceof SkillOptError ? error.hint : undefined
  const body = {
    reason: stopReason(error),
    message: messageOf(error),
    hint,
  }
  await run.emit('run.stopped', body)
}

/**
 * Limits the number of attempts open at once. A session with files holds a copy of them, and a copy for every
 * waiting task would be too much.
 */
function openAttempts({ environment, config }: Setup): number | undefined {
  const { concurrency } = resolveModel(config.models.target, 'target')
  return environment.needs.includes('workspace') ? 2 * concurrency : undefined
}

function roleSettings(setup: Setup): Partial<Record<Role, RoleSettings>> {
  const roles = Object.entries(setup.models) as [Role, Model][]
  return Object.fromEntries(
    roles.map(([role, model]) => {
      const reference = setup.config.models[role]
      if (reference === undefined) throw new Error(`No model is configured for the ${role}.`)
      const { concurrency, requestsPerMinute, tokensPerMinute, retries, timeout } = resolveModel(
        reference,
        role,
      )
      const settings: RoleSettings = {
        model,
        concurrency,
        retries,
        // An agent's harness enforces the timeout itself. The extra 60 seconds only catch a harness that
        // never ends.
        timeoutMs: (timeout + (model.agent === undefined ? 0 : 60)) * 1000,
        requestsPerMinute,
        tokensPerMinute,
      }
      return [role, settings]
    }),
  )
}
