import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { ownProgram } from '../../system/own-program.js'
import { createTail } from '../../system/tail.js'
import type { Gathered, HarvestPlan, SourceFile } from './plan.js'

/** What a worker returns for one file. */
export type WorkerAnswer = { readonly gathered: Gathered } | { readonly problem: string }

export interface Workers {
  readonly count: number
  /** Memory limit of one worker. */
  readonly megabytes: number
}

/** Small young generation: parsed lines are short-lived, and a larger one does not make reading faster. */
const newObjects = '--max-semi-space-size=8'

/**
 * Reads files with several workers and calls `done` for each file as it finishes, in any order. All workers
 * have ended when this returns or throws.
 */
export async function readWithWorkers(
  plan: HarvestPlan,
  files: readonly SourceFile[],
  workers: Workers,
  signal: AbortSignal,
  done: (file: SourceFile, answer: WorkerAnswer) => void,
): Promise<void> {
  // The largest files are read first. If the largest came last, the other workers would be idle while one
  // reads it.
  const waiting = [...files].sort((a, b) => b.bytes - a.bytes)
  const failure = new AbortController()
  const ended = AbortSignal.any([signal, failure.signal])
  const lanes = Array.from({ length: workers.count }, async () => {
    try {
      await readLane(plan, waiting, workers, ended, done)
    } catch (error) {
      failure.abort(error)
    }
  })
  await Promise.all(lanes)
  ended.throwIfAborted()
}

/**
 * Reads files one after the other with one worker. If a file crashes the worker, the next file gets a new
 * one.
 */
async function readLane(
  plan: HarvestPlan,
  waiting: SourceFile[],
  workers: Workers,
  signal: AbortSignal,
  done: (file: SourceFile, answer: WorkerAnswer) => void,
): Promise<void> {
  let worker: ChildProcess | undefined
  try {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (worker === undefined || !isAlive(worker)) worker = await startWorker(plan, workers, signal)
      done(file, await ask(worker, file, signal))
    }
  } finally {
    if (worker !== undefined) await end(worker)
  }
}

/** Starts a worker. A worker that cannot start is our fault, not a problem of the file, so this throws. */
async function startWorker(
  plan: HarvestPlan,
  { megabytes }: Workers,
  signal: AbortSignal,
): Promise<ChildProcess> {
  signal.throwIfAborted()
  const { file, execArgv } = ownProgram('worker', import.meta.url)
  const worker = fork(file, {
    execArgv: [`--max-old-space-size=${megabytes}`, newObjects, ...execArgv],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const complaint = createTail(2_000)
  worker.stderr?.setEncoding('utf8').on('data', (text: string) => complaint.add(text))
  const early = new AbortController()
  worker.once('exit', () =>
    early.abort(new Error(`A worker that reads transcripts did not start: ${complaint.text()}`)),
  )
  try {
    worker.send(plan)
    await once(worker, 'message', { signal: AbortSignal.any([signal, early.signal]) })
    // Send errors are ignored while the worker exits, because the `exit` event reports its end.
    return worker.on('error', () => undefined)
  } catch (error) {
    await end(worker)
    throw early.signal.aborted ? early.signal.reason : error
  }
}

function ask(worker: ChildProcess, file: SourceFile, signal: AbortSignal): Promise<WorkerAnswer> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      signal.removeEventListener('abort', stopped)
      worker.off('exit', ended).off('message', answered)
    }
    const answered = (answer: unknown) => {
      finish()
      resolve(answer as WorkerAnswer)
    }
    const ended = (code: number | null, by: NodeJS.Signals | null) =>
      answered({
        problem: `reading it broke off (${by ?? code}); it may take more memory than there is for it`,
      })
    const stopped = () => {
      finish()
      reject(signal.reason)
    }
    if (signal.aborted) return stopped()
    signal.addEventListener('abort', stopped, { once: true })
    worker.on('exit', ended).on('message', answered)
    worker.send(file)
  })
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null
}

async function end(worker: ChildProcess): Promise<void> {
  if (!isAlive(worker)) return
  const exit = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exit
}
