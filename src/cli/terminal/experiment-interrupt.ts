import { InterruptedError } from '../../core/errors/errors.js'
import { interruptible } from './interrupt.js'
import { type Io, warnLine } from './io.js'

/** Runs an experiment that Ctrl-C stops. Unlike a run, an experiment cannot be resumed. */
export async function interruptibleExperiment<T>(
  io: Io,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupt = interruptible(io, () => warnLine(io, 'Stopping. Press Ctrl-C again to quit at once.'))
  try {
    return await work(interrupt.signal)
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    throw new InterruptedError('The experiment was interrupted.', {
      hint: 'Rerun the same command to start over; experiments do not resume.',
      cause: error,
    })
  } finally {
    interrupt.dispose()
  }
}
