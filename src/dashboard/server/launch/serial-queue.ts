/** A serial queue: each task waits for the previous one to settle. */
export function createLine(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

const mostKept = 100

export interface Once<T> {
  /**
   * Does the work once per key: a repeated key returns the first result, so a double click counts once.
   * Failures are not cached.
   */
  get(key: string, work: () => Promise<T>): Promise<T>
  forget(key: string): void
}

export function createOnce<T>(): Once<T> {
  const kept = new Map<string, Promise<T>>()
  return {
    get(key, work) {
      const before = kept.get(key)
      if (before !== undefined) return before
      const now = work()
      kept.set(key, now)
      now.catch(() => kept.delete(key))
      for (const old of [...kept.keys()].slice(0, -mostKept)) kept.delete(old)
      return now
    },
    forget: key => void kept.delete(key),
  }
}
