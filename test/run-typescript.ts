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
  const root = new URL('..', import.meta.url)
  const loader = new URL('scripts/typescript-loader.mjs', root).href
  const prelude = `const load = path => import(${JSON.stringify(root.href)} + path)\n`
  const node = ['--import', loader, '--input-type=module', '-e', prelude + program]
  return spawn(process.execPath, [...node, ...programArguments], {
    cwd: fileURLToPath(root),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
