import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { WorldJob, WorldResult } from './job.js'

type Reply = { readonly result: WorldResult } | { readonly problem: string }

/** Runs jobs in one thread per core. Results are in the order of the jobs. */
export async function runJobs<Job extends WorldJob>(
  jobs: readonly Job[],
  onResult: (result: WorldResult, job: Job, done: number) => void = () => undefined,
): Promise<WorldResult[]> {
  const results = new Array<WorldResult>(jobs.length)
  let next = 0
  let done = 0
  const lane = async () => {
    const worker = new Worker(new URL('./worker.js', import.meta.url))
    try {
      while (next < jobs.length) {
        const index = next++
        const job = jobs[index]
        if (job === undefined) return
        const reply = await ask(worker, job)
        if ('problem' in reply) throw new Error(`World ${job.world}, seed ${job.seed}: ${reply.problem}`)
        results[index] = reply.result
        done += 1
        onResult(reply.result, job, done)
      }
    } finally {
      await worker.terminate()
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), jobs.length) }, lane))
  return results
}

function ask(worker: Worker, job: WorldJob): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const settle = (reply: Reply) => {
      worker.off('error', reject)
      resolve(reply)
    }
    worker.once('message', settle)
    worker.once('error', reject)
    worker.postMessage(job)
  })
}

/** A progress line that is overwritten on a terminal and omitted elsewhere. */
export function showProgress(done: number, total: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${total} runs${done === total ? '\n' : ''}`)
}
