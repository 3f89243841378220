import { InputError } from '../../src/core/errors/errors.js'
import type { Sandbox } from '../../src/core/ports/sandbox.js'
import { createSandbox } from '../../src/sandbox/index.js'

/** The sandbox of this machine, as projects get it. */
export const realSandbox: Sandbox = createSandbox('auto')

/** Whether it works, and what else a test needs of it. In CI it has to; elsewhere those tests are skipped, and say so. */
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
