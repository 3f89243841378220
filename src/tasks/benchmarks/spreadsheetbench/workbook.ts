import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { messageOf } from '../../../core/errors/errors.js'
import { ownProgram } from '../../../system/own-program.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { isMissing } from '../../loading/rows.js'
import type { Workbook } from './cells.js'
import { WorkbookError } from './workbook-error.js'
import { checkZip } from './zip.js'

export interface ReadLimits {
  readonly fileBytes: number
  /** Total unpacked size of the file's contents. */
  readonly unpackedBytes: number
  readonly memoryMegabytes: number
  readonly seconds: number
}

const usualLimits: ReadLimits = {
  fileBytes: 100_000_000,
  unpackedBytes: 400_000_000,
  memoryMegabytes: 1500,
  seconds: 60,
}

/** Reads a workbook. Throws `WorkbookError` for a bad file, and the signal's reason if it is aborted. */
export type WorkbookReader = (path: string, signal?: AbortSignal) => Promise<Workbook>

/** Reads an .xlsx file in a separate thread with limits, because a program of the model may have made it. */
export const readWorkbook: WorkbookReader = createReader(usualLimits)

/**
 * The content of a file in which every part can be unpacked and matches its checksum. Throws `WorkbookError`.
 */
export function readWholeFile(path: string): Promise<Buffer> {
  return readPacked(path, usualLimits)
}

/** Creates a reader with a thread that reads one file at a time. After a crash, it starts a new thread. */
export function createReader(limits: ReadLimits): WorkbookReader {
  const turns = new PQueue({ concurrency: 1 })
  let idle: Worker | undefined
  const read = async (content: Buffer, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    const worker = idle ?? startThread(limits)
    idle = undefined
    const answer = await ask(worker, content, limits, signal)
    idle = worker
    // An idle thread must not keep the process alive.
    worker.unref()
    if ('problem' in answer) throw new WorkbookError(answer.problem)
    return answer.workbook
  }
  return async (path, signal) => {
    const content = await readPacked(path, limits)
    return turns.add(() => read(content, signal))
  }
}

async function readPacked(path: string, limits: ReadLimits): Promise<Buffer> {
  let content: Buffer
  try {
    content = await readPlainFile(path, { mostBytes: limits.fileBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EFBIG') throw new WorkbookError('is too large')
    const problem = isMissing(error) ? 'does not exist' : `cannot be read (${messageOf(error)})`
    throw new WorkbookError(problem, { cause: error })
  }
  const names = await checkZip(content, limits.unpackedBytes)
  if (!names.some(name => /^xl\/workbook\d*\.xml$/i.test(name))) {
    throw new WorkbookError('is a zip file, but not a workbook')
  }
  return content
}

// ── The thread ──────────────────────────────────────────────────────────────

/** The thread's answer to a file. */
export type ThreadAnswer = { readonly workbook: Workbook } | { readonly problem: string }

function startThread({ memoryMegabytes }: ReadLimits): Worker {
  const { file, execArgv } = ownProgram('workbook-thread', import.meta.url)
  return new Worker(file, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    execArgv: [...execArgv],
    env: {},
  })
}

/** Asks the thread to read a file. The thread is terminated if it takes too long. */
function ask(
  worker: Worker,
  content: Buffer,
  { seconds }: ReadLimits,
  signal: AbortSignal | undefined,
): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      worker.off('error', failed).off('message', answered)
    }
    const end = (reason: unknown) => {
      finish()
      // Nothing waits for this thread any more, so an error that it may still raise is ignored.
      worker.once('error', () => undefined)
      void worker.terminate()
      reject(reason)
    }
    const answered = (answer: ThreadAnswer) => {
      finish()
      resolve(answer)
    }
    const failed = (error: NodeJS.ErrnoException) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      const problem = outOfMemory ? 'is too large' : `cannot be read (${error.message})`
      end(new WorkbookError(problem, { cause: error }))
    }
    const stop = () => end(signal?.reason)
    const late = () => end(new WorkbookError(`takes more than ${seconds} seconds to read`))
    const timer = setTimeout(late, seconds * 1000)
    signal?.addEventListener('abort', stop, { once: true })
    worker.on('error', failed).on('message', answered)
    worker.ref()
    worker.postMessage(content)
  })
}
