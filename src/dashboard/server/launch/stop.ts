import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from '../../../core/errors/errors.js'
import { holderOf, type LockHolder } from '../../../store/lock.js'
import type { StopAnswer, StopRequest } from '../../contract/launch.js'

/** Milliseconds that a process gets to exit before it is killed. */
const lastWordsMs = 1_500
const lettingGoMs = 10_000
const pollMs = 50

export interface Stops {
  /**
   * Sends SIGINT to the process of a run, as Ctrl-C does: pending calls are abandoned, finished work is kept.
   * `at once` also kills the process if necessary; the log stays intact up to the last event.
   */
  stop(directory: string, how: StopRequest['how']): Promise<StopAnswer>
}

export function createStops(platform: NodeJS.Platform = process.platform): Stops {
  /**
   * Directories whose process was already signalled. A second SIGINT would make the process quit at once,
   * which was not requested.
   */
  const asked = new Map<string, string>()
  return {
    async stop(directory, how) {
      const holder = await holderOf(directory)
      if (holder === undefined) return { state: 'gone' }
      if (!holder.isHere) {
        throw new InputError(
          'This run is at work on another machine or in another container, which shares its folder with this one.',
          {
            hint: 'Stop it there.',
          },
        )
      }
      if (how === 'at once') return endAtOnce(directory, holder, platform)
      if (platform === 'win32') {
        throw new InputError('On Windows a process cannot be asked to stop from outside.', {
          hint: 'Press Ctrl-C in its terminal, or end it at once: what it has recorded is kept, and calls under way are paid for twice at most.',
        })
      }
      const who = `${holder.pid} ${holder.since}`
      if (asked.get(directory) !== who) signalTo(holder, 'SIGINT')
      asked.set(directory, who)
      return { state: 'ending' }
    },
  }
}

/**
 * Makes a process quit together with its child programs, which takes a second SIGINT. Two are sent, because
 * there may have been no first one.
 */
async function endAtOnce(
  directory: string,
  holder: LockHolder,
  platform: NodeJS.Platform,
): Promise<StopAnswer> {
  if (platform !== 'win32') {
    for (const _time of ['asked', 'told']) {
      signalTo(holder, 'SIGINT')
      if (await isGoneWithin(directory, holder, lastWordsMs / 2)) return { state: 'gone' }
    }
  }
  signalTo(holder, 'SIGKILL')
  return { state: (await isGoneWithin(directory, holder, lastWordsMs)) ? 'gone' : 'ending' }
}

/** Waits until the process that wrote the last event exits and releases the lock. */
export async function untilLetGo(directory: string): Promise<void> {
  const holder = await holderOf(directory)
  if (holder?.isHere === true) await isGoneWithin(directory, holder, lettingGoMs)
}

async function isGoneWithin(directory: string, { pid }: LockHolder, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  do {
    await sleep(pollMs)
    if ((await holderOf(directory))?.pid !== pid) return true
  } while (Date.now() < deadline)
  return false
}

function signalTo({ pid }: LockHolder, signal: 'SIGINT' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The process has already exited.
    if (code === 'ESRCH') return
    if (code !== 'EPERM') throw error
    throw new InputError('This run is at work as another user, whose processes you cannot end.', {
      hint: 'Stop it as that user.',
      cause: error,
    })
  }
}
