import { InputError } from '../../src/core/errors/errors.js'
import type { Sandbox } from '../../src/core/ports/sandbox.js'
import { createSandbox } from '../../src/sandbox/index.js'

/** This machine's sandbox, as projects get it. */
export const realSandbox: Sandbox = createSandbox('auto')

/**
 * True if the sandbox works and has what a test needs. CI requires it; elsewhere the tests are skipped with
 * a message.
 */
export async function sandboxWorks(
  what: string,
  more: (sandbox: Sandbox) => Promise<void> = async () => {},
): Promise<boolean> {
  try {
    await realSandbox.check()
    await more(realSandbox)
    return true
  } catch (error) {
    const reason = error instanceof InputError ? `${error.message} ${error.hint}` : String(error)
    const message = `${what} need a working sandbox: ${reason}`
    if (process.env.CI !== undefined) throw new Error(message, { cause: error })
    process.stderr.write(`\n!!! SKIPPED: ${message}\n\n`)
    return false
  }
}
