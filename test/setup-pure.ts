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
Object.assign(childProcess, { spawn: onlyFlock }, Object.fromEntries(others.map(name => [name, refuse])))
syncBuiltinESMExports()
