import { execFileSync } from 'node:child_process'

/**
 * True if a program that a test needs is installed and works. CI requires it; elsewhere the test is skipped
 * with a message.
 */
export function isInstalled(what: string, program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch (error) {
    const message = `${what} need ${program}, which does not work here: ${String(error)}`
    if (process.env.CI !== undefined) throw new Error(message, { cause: error })
    process.stderr.write(`\n!!! SKIPPED: ${message}\n\n`)
    return false
  }
}
