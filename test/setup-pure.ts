import childProcess, { type spawn } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const refuse = (command: string): never => {
  throw new Error(
    `A test of the project "pure" starts no process, but this one starts ${command}: see vitest.config.ts.`,
  )
}

const { spawn: original } = childProcess
/** The lock of a run directory is taken by `flock`, which ends at once and keeps nothing. */
const onlyFlock = (...given: Parameters<typeof spawn>) =>
  given[0] === 'flock' ? original(...given) : refuse(given[0])

const others = ['spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const
// Every file of a worker comes here, but the worker's modules stay.
const replaced = childProcess as { isReplaced?: true }
if (replaced.isReplaced === undefined) {
  Object.assign(replaced, { isReplaced: true, spawn: onlyFlock })
  Object.assign(childProcess, Object.fromEntries(others.map(name => [name, refuse])))
  syncBuiltinESMExports()
}
