import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from '../../../core/errors/errors.js'
import { holderOf, type LockHolder } from '../../../store/lock.js'
import type { StopAnswer, StopRequest } from '../../contract/launch.js'

/** How long a process that was told to end at once has, before it is ended. */
const lastWordsMs = 1_500
const lettingGoMs = 10_000
const pollMs = 50

export interface Stops {
  /**
   * Asks the process that works on a run to end, as Ctrl-C does: what it waits for is given up, and what is done is kept.
   * `at once` ends it, whatever it does; its log is whole all the same, up to the last event.
   */
  stop(directory: string, how: StopRequest['how']): Promise<StopAnswer>
}

export function createStops(platform: NodeJS.Platform = process.platform): Stops {
  /** Which process was asked. A second Ctrl-C would end it at once, which is another wish. */
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

/** A second Ctrl-C makes it quit with its programs; the first is repeated, as nobody knows whether there was one. */
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

/** A process that has said its last word in the log needs a moment to go: whoever comes after it waits for that. */
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
    // It has just ended by itself, which is what was asked for.
    if (code === 'ESRCH') return
    if (code !== 'EPERM') throw error
    throw new InputError('This run is at work as another user, whose processes you cannot end.', {
      hint: 'Stop it as that user.',
      cause: error,
    })
  }
}
