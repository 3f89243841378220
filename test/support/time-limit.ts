import { spawnSync } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'

const variable = 'SKILLOPT_TEST_SLOWDOWN'
/** What `node -e 0` takes on a quiet machine of recent years. */
const quietStartMs = 60
const largestSlowdown = 20

/** `vitest.config.ts` calls this once: a slow machine, or one whose load nobody counts, starts Node slowly. */
export function measureSlowdown(): void {
  if (process.env[variable] !== undefined) return
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  process.env[variable] = ((performance.now() - began) / quietStartMs).toFixed(1)
}

/**
 * A limit for something that takes processor time, such as the start of a process: longer where Node started
 * slowly when the tests began, and where the load of the last minute is above one per core.
 */
export function timeLimit(quietMs: number): number {
  const atStart = Number(process.env[variable] ?? 1)
  const [load = 0] = loadavg()
  const slowdown = Math.max(1, atStart, load / availableParallelism())
  return Math.round(quietMs * Math.min(slowdown, largestSlowdown))
}
