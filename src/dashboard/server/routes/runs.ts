import { type Context, Hono } from 'hono'
import { SkillOptError } from '../../../core/errors/errors.js'
import type { RunEvent } from '../../../core/log/event.js'
import { contentHash } from '../../../core/text/hash.js'
import type { LiveMessages, ReadingProgress, RunSnapshot } from '../../contract/runs.js'
import type { ServerContext } from '../context.js'
import { eventMessage, eventStream, withinTime, withTicks } from '../event-stream.js'
import type { LiveRun, RunLibrary } from '../runs/types.js'
import { Bell } from '../signal.js'

/** Interval for checking whether the run's process is alive. */
const stateEveryMs = 2_000
const progressEveryMs = 150
/** A client that missed more events than this gets a new snapshot, which is shorter. */
const missedAtMost = 5_000

export function runRoutes(context: ServerContext): Hono {
  const routes = new Hono()
  const endOf = (c: Context) => AbortSignal.any([c.req.raw.signal, context.signal])

  routes.get('/runs', async c => c.json(await context.runs.list()))
  routes.get('/runs/live', c => eventStream(listMessages(context.runs, endOf(c))))
  routes.get('/runs/:run', async c => c.json(await snapshotOf(await context.runs.open(c.req.param('run')))))
  routes.get('/runs/:run/live', async c => {
    const run = await context.runs.open(c.req.param('run'))
    // An immediate failure becomes an HTTP error; a later failure is sent in the stream.
    await withinTime(run.view(), progressEveryMs)
    return eventStream(runMessages(run, c.req.header('last-event-id'), endOf(c)))
  })
  return routes
}

async function* listMessages(runs: RunLibrary, signal: AbortSignal): AsyncGenerator<string> {
  const bell = new Bell()
  let isChanged = true
  const stop = runs.watch(() => {
    isChanged = true
    bell.ring()
  })
  try {
    while (!signal.aborted) {
      if (!isChanged) await bell.next(signal)
      isChanged = false
      if (!signal.aborted) yield eventMessage('runs', await runs.list())
    }
  } finally {
    stop()
  }
}

const say = <Name extends keyof LiveMessages>(name: Name, data: LiveMessages[Name], id?: string) =>
  eventMessage(name, data, id)

async function* runMessages(
  run: LiveRun,
  seen: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    yield* whileReading(run)
    let from = await seenUntil(run, seen)
    if (from !== undefined) yield say('state', { state: await run.state() })
    while (!signal.aborted) {
      const snapshot = from === undefined ? await snapshotOf(run) : undefined
      const following = run.follow(snapshot?.view.events ?? from ?? 0, signal)
      if (snapshot !== undefined) yield say('snapshot', snapshot, await idAfterSnapshot(run, snapshot))
      yield* newEvents(run, following)
      // The log was replaced or truncated, so the client needs a new snapshot.
      from = undefined
    }
  } catch (error) {
    if (!(error instanceof SkillOptError)) throw error
    yield say('state', { state: 'unreadable' })
  }
}

async function* whileReading(run: LiveRun): AsyncGenerator<string> {
  let progress: ReadingProgress | undefined
  const reading = run.view(latest => {
    progress = latest
  })
  while ((await withinTime(reading, progressEveryMs)) === undefined) {
    if (progress !== undefined) yield say('reading', progress)
  }
}

async function* newEvents(
  run: LiveRun,
  following: AsyncIterable<readonly RunEvent[]>,
): AsyncGenerator<string> {
  let told = await run.state()
  let lookedAt = performance.now()
  for await (const batch of withTicks(following, stateEveryMs)) {
    const last = batch?.at(-1)
    if (batch !== undefined && last !== undefined) yield say('events', batch, idAfter(last))
    if (performance.now() - lookedAt < stateEveryMs && last?.type !== 'run.finished') continue
    lookedAt = performance.now()
    const state = await run.state()
    if (state !== told) yield say('state', { state })
    told = state
  }
}

async function snapshotOf(run: LiveRun): Promise<RunSnapshot> {
  const summary = await run.summary()
  return { summary, view: await run.view() }
}

/**
 * Id of the stream position after an event. It includes a hash of the event, so a different log yields a
 * different id.
 */
function idAfter({ seq, at, type, key }: RunEvent): string {
  return `${seq + 1}-${contentHash(JSON.stringify([seq, at, type, key])).slice(0, 8)}`
}

async function idAfterSnapshot(run: LiveRun, { view }: RunSnapshot): Promise<string | undefined> {
  return view.events === 0 ? undefined : idAfter(await run.event(view.events - 1))
}

/** The next `seq` for a reconnecting client; undefined if the client needs a new snapshot. */
async function seenUntil(run: LiveRun, id: string | undefined): Promise<number | undefined> {
  const next = Number(/^([1-9]\d{0,14})-[0-9a-f]{8}$/.exec(id ?? '')?.[1] ?? Number.NaN)
  const { events } = await run.view()
  if (!(next <= events && events - next <= missedAtMost)) return undefined
  return idAfter(await run.event(next - 1)) === id ? next : undefined
}
