const windowMs = 60_000

interface Entry {
  readonly at: number
  tokens: number
  past: boolean
}

/**
 * Limits requests and tokens per minute over a sliding window, so that no 60 seconds exceed the limits.
 * Callers are admitted in order. Tokens count as estimated when the call starts, and are corrected when its
 * usage is known.
 */
export class RateWindow {
  readonly #requests: number
  readonly #tokens: number
  #entries: Entry[] = []
  #tokensInWindow = 0
  /**
   * Share of its reservation that a call really uses, learned from earlier calls. Reservations are upper
   * bounds and several times too high.
   */
  #usedShare = 1
  #line: Promise<unknown> = Promise.resolve()
  #standing = 0
  #lookAgain: (() => void) | undefined

  constructor(limits: { requestsPerMinute?: number | undefined; tokensPerMinute?: number | undefined }) {
    this.#requests = limits.requestsPerMinute ?? Number.POSITIVE_INFINITY
    this.#tokens = limits.tokensPerMinute ?? Number.POSITIVE_INFINITY
  }

  /**
   * Resolves when a call that reserves this many tokens may start. Pass its actual usage to the returned
   * function.
   */
  async enter(reserved: number, signal: AbortSignal): Promise<(used: number) => void> {
    if (this.#requests === Number.POSITIVE_INFINITY && this.#tokens === Number.POSITIVE_INFINITY)
      return ignore
    const atOnce = this.#standing === 0 && this.#delay(reserved) === 0
    const entry = atOnce ? this.#add(reserved) : await this.#waitInLine(reserved, signal)
    return used => {
      if (reserved > 0) this.#usedShare += (Math.min(1, used / reserved) - this.#usedShare) * 0.1
      if (entry.past) return
      this.#tokensInWindow += used - entry.tokens
      entry.tokens = used
      this.#lookAgain?.()
    }
  }

  async #waitInLine(reserved: number, signal: AbortSignal): Promise<Entry> {
    this.#standing += 1
    const before = this.#line
    const turn = (async () => {
      await before
      for (let ms = this.#delay(reserved); ms > 0 && !signal.aborted; ms = this.#delay(reserved)) {
        await this.#sleep(ms, signal)
      }
      this.#standing -= 1
      return signal.aborted ? undefined : this.#add(reserved)
    })()
    this.#line = turn
    const entry = await turn
    if (entry === undefined) throw signal.reason
    return entry
  }

  #add(reserved: number): Entry {
    const entry: Entry = { at: performance.now(), tokens: reserved * this.#usedShare, past: false }
    this.#entries.push(entry)
    this.#tokensInWindow += entry.tokens
    return entry
  }

  /** Milliseconds until the call may start; 0 if it may start now. */
  #delay(reserved: number): number {
    const now = performance.now()
    this.#forgetBefore(now - windowMs)
    let requests = this.#entries.length
    let tokens = this.#tokensInWindow
    const needed = reserved * this.#usedShare
    let delay = 0
    for (const entry of this.#entries) {
      if (requests < this.#requests && tokens + needed <= this.#tokens) return delay
      requests -= 1
      tokens -= entry.tokens
      delay = Math.max(1, Math.ceil(entry.at + windowMs - now))
    }
    // A call larger than a whole minute's tokens waits until it can run alone, instead of forever.
    return delay
  }

  #forgetBefore(time: number): void {
    let old = 0
    for (const entry of this.#entries) {
      if (entry.at > time) break
      this.#tokensInWindow -= entry.tokens
      entry.past = true
      old += 1
    }
    if (old > 0) this.#entries = this.#entries.slice(old)
    if (this.#entries.length === 0) this.#tokensInWindow = 0
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', wake)
        this.#lookAgain = undefined
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal.addEventListener('abort', wake, { once: true })
      this.#lookAgain = wake
    })
  }
}

function ignore(): void {}

/** Waits this long. Rejects with the signal's reason if the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const wake = () => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(wake, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
