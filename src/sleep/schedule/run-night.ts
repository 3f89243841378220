/**
 * The scheduling system starts this program. Its only argument is the encoded path of the job's settings
 * file; see `encodePath`.
 */
import { exitCodes } from '../../core/errors/errors.js'
import { runNight } from './night.js'
import { decodePath } from './words.js'

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())

const [, , file] = process.argv
if (file === undefined) {
  process.stderr.write('This program is started by a schedule, with the file of its settings.\n')
  process.exitCode = exitCodes.badInput
} else {
  process.exitCode = await runNight(decodePath(file), {
    env: process.env,
    now: () => new Date(),
    stderr: process.stderr,
    signal: stopping.signal,
  })
}
