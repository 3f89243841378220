import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { BlobRef } from '../core/task/task.js'
import { createView, foldEvent, type RunView } from '../core/view/fold.js'
import { isPlainFile } from '../system/plain-file.js'
import { brokenLine, unreadable } from './append-log.js'
import { missingBlob, refOfLine, textOfLine } from './blobs.js'
import { blobsFile, eventsFile, parseLine } from './disk.js'
import { PlaceIndex } from './place-index.js'
import { readLines } from './read-lines.js'

export interface RunReader {
  events(): AsyncIterable<RunEvent>
  get(ref: BlobRef): Promise<string>
}

/**
 * Opens a run for reading, without a lock and without writing. Another process may be writing the run: an
 * incomplete last line is skipped, and texts added later are found. Files are open only while they are read.
 */
export async function readRun(directory: string): Promise<RunReader> {
  const eventsPath = join(directory, eventsFile)
  const blobsPath = join(directory, blobsFile)
  await (await openRunFile(directory, eventsPath)).close()

  const index = new PlaceIndex()
  let indexedUntil = 0
  let linesBefore = 0
  let indexing: Promise<void> = Promise.resolve()

  async function indexNewTexts(handle: FileHandle): Promise<void> {
    let broken: number | undefined
    let lines = 0
    for await (const batch of readLines(handle, indexedUntil)) {
      for (const line of batch) {
        if (broken !== undefined) throw brokenLine(blobsPath, linesBefore + broken)
        const ref = refOfLine(line.bytes)
        if (ref === undefined) {
          broken = line.number
          continue
        }
        index.add(ref, line)
        indexedUntil = line.offset + line.length + 1
        lines += 1
      }
    }
    linesBefore += lines
  }

  return {
    async *events() {
      const handle = await openRunFile(directory, eventsPath)
      try {
        let expected = 0
        let broken: number | undefined
        for await (const lines of readLines(handle)) {
          for (const line of lines) {
            if (broken !== undefined) throw brokenLine(eventsPath, broken)
            const event = parseLine(line.bytes, eventsPath)
            if (event?.seq !== expected) {
              broken = line.number
              continue
            }
            expected += 1
            yield event
          }
        }
      } finally {
        await handle.close()
      }
    },
    async get(ref) {
      const handle = await openRunFile(directory, blobsPath)
      try {
        if (!index.has(ref)) {
          // Sequential: each indexing pass continues where the previous one stopped.
          const turn = indexing.then(() => (index.has(ref) ? undefined : indexNewTexts(handle)))
          indexing = Promise.allSettled([turn]).then(() => undefined)
          await turn
        }
        const place = index.get(ref)
        if (place === undefined) throw missingBlob(blobsPath, ref)
        const bytes = Buffer.allocUnsafe(place.length)
        await handle.read(bytes, 0, place.length, place.offset)
        return textOfLine(bytes.toString('utf8'))
      } finally {
        await handle.close()
      }
    },
  }
}

export async function viewRun(directory: string): Promise<RunView> {
  let view = createView()
  for await (const event of (await readRun(directory)).events()) view = foldEvent(view, event)
  return view
}

async function openRunFile(directory: string, path: string): Promise<FileHandle> {
  let handle: FileHandle
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw unreadable(path, error)
    throw new InputError(`${directory} is not a run directory: there is no ${path}.`, {
      hint: '`skillopt runs` lists the runs that there are.',
      cause: error,
    })
  }
  if (await isPlainFile(handle)) return handle
  await handle.close()
  throw new InputError(`${directory} is not a run directory: ${path} is not a file.`, {
    hint: '`skillopt runs` lists the runs that there are.',
  })
}
