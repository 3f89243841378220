/** Wakes up waiters whenever something happens. Carries no data. */
export class Bell {
  readonly #waiting = new Set<() => void>()

  ring(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Resolves at the next signal, or when the abort signal fires. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      if (signal.aborted) return resolve()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }
}
