#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { version } from '../system/version.js'
import type { Io } from './terminal/io.js'

/** Runs one command line and returns its exit code. All input and output goes through `io`. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  return (await import('./command-line.js')).runCommandLine(argv, io)
}

function isEntryPoint(): boolean {
  const script = process.argv[1]
  return script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)
}

if (isEntryPoint()) {
  const [first, ...rest] = process.argv.slice(2)
  // The version is printed before anything is loaded, because the other imports take ten times as long as
  // Node itself.
  if (rest.length === 0 && (first === '--version' || first === '-V')) process.stdout.write(`${version}\n`)
  else await (await import('./command-line.js')).runProcess()
}
