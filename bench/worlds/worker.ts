import { parentPort } from 'node:worker_threads'
import { messageOf } from '../../src/core/errors/errors.js'
import { runWorldJob, type WorldJob } from './job.js'

/** A worker thread of `runJobs` that runs one job at a time. */
parentPort?.on('message', (job: WorldJob) => {
  runWorldJob(job).then(
    result => parentPort?.postMessage({ result }),
    error => parentPort?.postMessage({ problem: messageOf(error) }),
  )
})
