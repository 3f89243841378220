import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { blobLine, blobRef } from '../src/store/blobs.js'
import { blobsFile, eventsFile } from '../src/store/disk.js'
import { type TrainingShape, trainingEvents } from './dashboard-events.js'

/** Size of one write. */
const pieceLength = 4 << 20

export interface MadeLog {
  readonly events: number
  readonly attempts: number
  readonly bytes: number
  readonly textBytes: number
}

/** Writes a run directory with the log of a synthetic training, without holding it in memory. */
export async function makeLog(directory: string, shape: TrainingShape): Promise<MadeLog> {
  const known = new Set<string>()
  const texts = await lineFile(join(directory, blobsFile))
  const log = await lineFile(join(directory, eventsFile))
  const put = (text: string) => {
    const ref = blobRef(text)
    if (known.has(ref)) return ref
    known.add(ref)
    texts.add(blobLine(ref, text))
    return ref
  }
  const made = { events: 0, attempts: 0 }
  // The id is above the largest process id, so that the process certainly does not exist.
  for (const event of trainingEvents(shape, put, 2 ** 22 + 1)) {
    log.add(JSON.stringify(event))
    made.events += 1
    if (event.type === 'attempt.finished') made.attempts += 1
    if (log.isFull() || texts.isFull()) {
      await texts.write()
      await log.write()
    }
  }
  return { ...made, textBytes: await texts.close(), bytes: await log.close() }
}

async function lineFile(path: string) {
  const handle = await open(path, 'w')
  let waiting: string[] = []
  let length = 0
  let bytes = 0
  const write = async () => {
    const piece = Buffer.from(waiting.join(''))
    await handle.writeFile(piece)
    bytes += piece.length
    waiting = []
    length = 0
  }
  return {
    add(line: string) {
      waiting.push(`${line}\n`)
      length += line.length
    },
    isFull: () => length > pieceLength,
    write,
    async close(): Promise<number> {
      await write()
      await handle.close()
      return bytes
    },
  }
}
