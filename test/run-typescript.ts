import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/**
 * Runs a program in a process of its own, for tests about processes that live, die and meet. `load(path)` gives it
 * the exports of a TypeScript file of this repository, by its path from the root.
 */
export function runTypescript(
  program: string,
  programArguments: readonly string[],
): ChildProcessByStdio<Writable, Readable, null> {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const prelude = `
    import { createJiti } from 'jiti'
    const jiti = createJiti(${JSON.stringify(root)}, { fsCache: false })
    const load = path => jiti.import(${JSON.stringify(root)} + path)
  `
  return spawn(process.execPath, ['--input-type=module', '-e', prelude + program, ...programArguments], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
