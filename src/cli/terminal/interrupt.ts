import { exitCodes, InterruptedError } from '../../core/errors/errors.js'
import type { Io } from './io.js'

/** Handles Ctrl-C. The first one requests a clean stop, the second one quits immediately. */
export function interruptible(io: Io, say: (text: string) => void): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController()
  const dispose = io.onInterrupt(() => {
    if (controller.signal.aborted) {
      io.quit(exitCodes.interrupted)
      return
    }
    say('Stopping; finished work is kept. Press Ctrl-C again to quit at once.')
    controller.abort(new InterruptedError('Interrupted.', { hint: 'Rerun the same command to resume.' }))
  })
  return { signal: controller.signal, dispose }
}
