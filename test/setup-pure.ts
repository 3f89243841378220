import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const refuse = () => {
  throw new Error(
    'A test of the project "pure" starts no process: exclude its file from `pure` in vitest.config.ts.',
  )
}

const starting = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const
Object.assign(childProcess, Object.fromEntries(starting.map(name => [name, refuse])))
syncBuiltinESMExports()
