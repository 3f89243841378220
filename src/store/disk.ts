import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import { eventProblem, isEventType, logVersion, type RunEvent } from '../core/log/event.js'
import type { RunStore } from '../core/ports/store.js'
import type { BlobRef } from '../core/task/task.js'
import { AppendLog, unreadable } from './append-log.js'
import { blobRefsOf } from './blob-refs.js'
import { Blobs } from './blobs.js'
import { PlaceIndex } from './place-index.js'
import { isResult, wrongPlace } from './results.js'

export const eventsFile = 'events.jsonl'
export const blobsFile = 'blobs.jsonl'

/** Maximum number of events between two syncs, more than any machine writes. */
const unsyncedAtMost = 10_000

export interface DiskStore extends RunStore {
  /** Messages for the user about what was truncated on opening. Empty after a clean shutdown. */
  readonly healed: readonly string[]
}

/** Opens a run's store on disk. The caller must hold the directory's lock: only one may write. */
export async function openDiskStore(directory: string): Promise<DiskStore> {
  try {
    await mkdir(directory, { recursive: true })
  } catch (error) {
    throw unreadable(directory, error)
  }
  const blobs = await Blobs.open(join(directory, blobsFile))
  try {
    const store = await openEvents(directory, blobs)
    await syncDirectory(directory)
    return store
  } catch (error) {
    await blobs.log.close()
    throw error
  }
}

async function openEvents(directory: string, blobs: Blobs): Promise<DiskStore> {
  const path = join(directory, eventsFile)
  const results = new PlaceIndex()
  let length = 0
  let damage: { event: number; offset: number; ref: BlobRef } | undefined
  const log = await AppendLog.open(path, {
    beforeWrite: () => blobs.log.written(),
    beforeSync: () => blobs.log.flush(),
    visit(line, place) {
      const event = parseLine(line, path)
      if (event?.seq !== length) return false
      const problem = eventProblem(event)
      if (problem !== undefined) throw invalidEvent(event, path, problem)
      const lost = damage === undefined ? blobRefsOf(event).find(ref => !blobs.has(ref)) : undefined
      if (lost !== undefined) damage = { event: length, offset: place.offset, ref: lost }
      if (isResult(event) && event.key !== undefined) results.add(event.key, place)
      length += 1
      return true
    },
  })
  const healed: string[] = []
  for (const { path: file, healedBytes } of [blobs.log, log]) {
    if (healedBytes > 0)
      healed.push(`${file}: removed ${healedBytes} bytes of a last line that was not finished.`)
  }

  // A process that dies at once leaves only the seed skill, which is written before the first event. More
  // texts without any event mean damage.
  if (length === 0 && blobs.size > 1) {
    await log.close()
    throw new InputError(
      `${directory} is damaged: ${eventsFile} is empty, although ${blobsFile} holds ${blobs.size} texts of an earlier session.`,
      { hint: `Restore ${eventsFile} from a copy, or start a new run in another directory.` },
    )
  }

  // Texts are written before the event that refers to them, so a process that dies leaves none missing. After
  // a power failure, the disk may have an event without its text. Such events are among the last ones, and
  // the run repeats their work. If earlier texts are missing too, a power failure does not explain it, and
  // nothing is discarded.
  if (damage !== undefined) {
    if (damage.event === 0 || length - damage.event > unsyncedAtMost) {
      await log.close()
      throw new InputError(
        `${directory} is damaged: event ${damage.event} names text ${damage.ref}, which ${blobsFile} lacks.`,
        {
          hint: 'Restore the directory from a copy, or start a new run in another one.',
        },
      )
    }
    await log.truncate(damage.offset)
    results.forgetFrom(damage.offset)
    healed.push(
      `${path}: removed the last ${length - damage.event} events, because a text that they name was lost.`,
    )
    length = damage.event
  }

  return {
    healed,
    async append(event) {
      if (event.seq !== length) throw wrongPlace(event.seq, length)
      length += 1
      const place = await log.append(JSON.stringify(event))
      if (isResult(event) && event.key !== undefined) results.add(event.key, place)
    },
    put: text => blobs.put(text),
    get: ref => blobs.get(ref),
    has: key => results.has(key),
    async find(key) {
      const place = results.get(key)
      return place === undefined ? undefined : (JSON.parse(await log.read(place)) as RunEvent)
    },
    get length() {
      return length
    },
    async *events() {
      for await (const line of log.lines()) yield JSON.parse(line.toString('utf8')) as RunEvent
    },
    flush: () => log.flush(),
    async close() {
      await log.close()
      await blobs.log.close()
    },
  }
}

/** The error for an event that this program cannot have written, from which no run may resume. */
function invalidEvent({ seq, type }: RunEvent, path: string, problem: string): InputError {
  return new InputError(`${path} is damaged: event ${seq} (${type}) has no valid ${problem}.`, {
    hint: 'Restore the file from a copy, or start a new run in another directory.',
  })
}

const mostEventBytes = 2 ** 28

/**
 * Parses a line of the log; undefined if it is not an event. The body is validated only when a run resumes:
 * readers go through hundreds of thousands of lines and make no decisions.
 */
export function parseLine(line: Buffer, path: string): RunEvent | undefined {
  // A line this long is not an event: Node cannot hold a string twice as long, and the texts of models are in
  // another file.
  if (line.length > mostEventBytes) return undefined
  return parseEventText(line.toString('utf8'), path)
}

export function parseEventText(text: string, path: string): RunEvent | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || !('body' in value))
    return undefined
  // This program never writes a body that is not an object, or a version that is not a number.
  if (typeof value.body !== 'object' || value.body === null) return undefined
  const event = value as RunEvent
  if (typeof event.type !== 'string' || !isEventType(event.type)) throw unknownType(event.type, path)
  if (event.type !== 'run.started') return event
  if (typeof event.body.log !== 'number') return undefined
  checkVersion(event.body.log, path)
  return event
}

function unknownType(type: unknown, path: string): InputError {
  return new InputError(`${path} has an event of the unknown type ${JSON.stringify(type)}.`, {
    hint: 'Update skillopt if a newer version wrote the run; otherwise restore the file from a copy.',
  })
}

function checkVersion(version: number, path: string): void {
  if (version <= logVersion) return
  throw new InputError(
    `${path} was written by a newer version of skillopt (log version ${version}; this one reads up to ${logVersion}).`,
    { hint: 'Update skillopt, or use the version that wrote the run.' },
  )
}

/** Makes the directory entries of new files durable. Windows neither needs nor allows this. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
