import { exitCodes, InterruptedError } from '../../core/errors/errors.js'
import type { Io } from './io.js'

/** The first Ctrl-C requests a clean stop; the second quits immediately. */
export function interruptible(io: Io, say: (text: string) => void): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  const dispose = io.onInterrupt(() => {
    if (controller.signal.aborted) {
      io.quit(exitCodes.interrupted)
      return
    }
    say('Stopping. What is done is kept. Press Ctrl-C again to quit at once.')
    controller.abort(
      new InterruptedError('It was interrupted.', { hint: 'The same command goes on from here.' }),
    )
  })
  return { signal: controller.signal, dispose }
}
