import { readFileSync } from 'node:fs'
import { keepHeapSmall } from '../src/cli/terminal/heap.js'
import { contentHash } from '../src/core/text/hash.js'
import { harvest } from '../src/sleep/harvest/harvest.js'
import type { Scope } from '../src/sleep/harvest/plan.js'
import { formats } from './harvest-files.js'

/**
 * Runs one harvest in its own process, so that peak memory can be compared: `harvest-worker HOME WORKERS
 * [FOLDER]`.
 */

export interface MeasuredHarvest {
  readonly seconds: number
  /** Includes its workers. */
  readonly cpuSeconds: number
  readonly bytes: number
  readonly sessions: number
  readonly requests: number
  readonly skipped: number
  readonly redacted: number
  /** Hash of the whole harvest, which must not depend on the number of workers. */
  readonly hash: string
}

const [home = '', workers = '1', folder] = process.argv.slice(2)
// As the command line does.
keepHeapSmall()

const scope: Scope = folder === undefined ? { kind: 'all' } : { kind: 'folders', folders: [folder] }
const began = performance.now()
const harvested = await harvest(
  {
    sources: formats.map(({ source }) => source),
    scope,
    patterns: [],
    user: { home, env: {}, platform: process.platform },
  },
  { signal: new AbortController().signal, workers: Number(workers) },
)
const seconds = (performance.now() - began) / 1000
const measured: MeasuredHarvest = {
  seconds,
  cpuSeconds: cpuSeconds(),
  bytes: harvested.bytes,
  sessions: harvested.sessions.length,
  requests: harvested.requests.length,
  skipped: harvested.skipped.length,
  redacted: harvested.redacted.reduce((sum, { count }) => sum + count, 0),
  hash: contentHash(JSON.stringify(harvested)),
}
console.log(JSON.stringify(measured))

/** CPU time of this process and of its children that have ended. */
function cpuSeconds(): number {
  const [, figures = ''] = readFileSync('/proc/self/stat', 'latin1').split(') ')
  // Fields 14 to 17 of the file: own and children's times, in hundredths of a second.
  const ticks = figures.split(' ').slice(11, 15).map(Number)
  return ticks.reduce((sum, each) => sum + each, 0) / 100
}
