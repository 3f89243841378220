import type { Sequence, Token } from './engine-types.js'

interface Waiting {
  readonly tokens: readonly Token[]
  give(sequence: Sequence): void
}

/**
 * The sequences of one context, each used by one call at a time. A call gets the free sequence that shares
 * the longest prefix with its prompt, because that prefix need not be evaluated again. If all are in use,
 * calls wait in order.
 */
export class Slots {
  readonly #free: Sequence[]
  readonly #waiting: Waiting[] = []

  constructor(sequences: readonly Sequence[]) {
    this.#free = [...sequences]
  }

  async use<T>(
    tokens: readonly Token[],
    signal: AbortSignal,
    run: (sequence: Sequence) => Promise<T>,
  ): Promise<T> {
    const sequence = await this.#take(tokens, signal)
    try {
      return await run(sequence)
    } finally {
      this.#giveBack(sequence)
    }
  }

  #take(tokens: readonly Token[], signal: AbortSignal): Promise<Sequence> {
    signal.throwIfAborted()
    if (this.#free.length > 0) return Promise.resolve(this.#best(tokens))
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        tokens,
        give: sequence => {
          signal.removeEventListener('abort', leave)
          resolve(sequence)
        },
      }
      const leave = () => {
        const index = this.#waiting.indexOf(waiting)
        if (index >= 0) this.#waiting.splice(index, 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
    })
  }

  #best(tokens: readonly Token[]): Sequence {
    const shared = this.#free.map(sequence => sequence.compareContextTokens(tokens).firstDifferentIndex)
    const [sequence] = this.#free.splice(shared.indexOf(Math.max(...shared)), 1)
    if (sequence === undefined) throw new Error('No sequence is free.')
    return sequence
  }

  #giveBack(sequence: Sequence): void {
    this.#free.push(sequence)
    const next = this.#waiting.shift()
    if (next !== undefined) next.give(this.#best(next.tokens))
  }
}
