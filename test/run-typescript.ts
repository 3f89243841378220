import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/**
 * Runs a program in its own process, for tests about processes that are killed or run concurrently.
 * `load(path)` gives it the exports of a TypeScript file of this repository, by its path from the root.
 * `wrapper` is a command that starts it, such as one that puts it into a namespace.
 */
export function runTypescript(
  program: string,
  programArguments: readonly string[],
  wrapper: readonly string[] = [],
): ChildProcessByStdio<Writable, Readable, null> {
  const root = new URL('..', import.meta.url)
  const loader = new URL('scripts/typescript-loader.mjs', root).href
  const prelude = `const load = path => import(${JSON.stringify(root.href)} + path)\n`
  const node = ['--import', loader, '--input-type=module', '-e', prelude + program]
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, ...node, ...programArguments]
  return spawn(command, rest, {
    cwd: fileURLToPath(root),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
