interface Element {
  readonly id: string | undefined
  readonly run: () => Promise<unknown>
}

interface Options {
  readonly priority?: number
  readonly id?: string
}

/** A FIFO queue whose cost does not grow with its length. */
class Line {
  #elements: Element[] = []
  #first = 0

  get size(): number {
    return this.#elements.length - this.#first
  }

  push(element: Element): void {
    this.#elements.push(element)
  }

  shift(): Element | undefined {
    const element = this.#elements[this.#first]
    this.#first += 1
    if (this.#first * 2 > this.#elements.length) {
      this.#elements = this.#elements.slice(this.#first)
      this.#first = 0
    }
    return element
  }

  take(wanted: (element: Element) => boolean): Element | undefined {
    const index = this.#elements.findIndex((element, at) => at >= this.#first && wanted(element))
    return index === -1 ? undefined : this.#elements.splice(index, 1)[0]
  }

  waiting(): Element[] {
    return this.#elements.slice(this.#first)
  }
}

/**
 * The queue for p-queue: higher priority first, then in order of arrival. p-queue's own queue is one sorted
 * array, and inserting into it takes most of the pool's time once a hundred thousand calls wait. There are
 * few priorities, so one FIFO queue for each is fast at any length.
 */
export class PriorityLine {
  /** Highest first. Empty queues are kept, because the same priorities recur. */
  readonly #lines: { readonly priority: number; readonly line: Line }[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  enqueue(run: Element['run'], options: Options = {}): void {
    this.#lineOf(options.priority ?? 0).push({ run, id: options.id })
    this.#size += 1
  }

  dequeue(): Element['run'] | undefined {
    for (const { line } of this.#lines) {
      if (line.size === 0) continue
      this.#size -= 1
      return line.shift()?.run
    }
    return undefined
  }

  filter(options: Options): Element['run'][] {
    return this.#lineOf(options.priority ?? 0)
      .waiting()
      .map(({ run }) => run)
  }

  setPriority(id: string, priority: number): void {
    const element = this.#take(waiting => waiting.id === id)
    if (element === undefined) throw new ReferenceError(`Nothing named ${id} is waiting.`)
    this.enqueue(element.run, { priority, id })
  }

  #take(wanted: (element: Element) => boolean): Element | undefined {
    for (const { line } of this.#lines) {
      const element = line.take(wanted)
      if (element === undefined) continue
      this.#size -= 1
      return element
    }
    return undefined
  }

  #lineOf(priority: number): Line {
    const known = this.#lines.find(entry => entry.priority === priority)
    if (known !== undefined) return known.line
    const line = new Line()
    this.#lines.push({ priority, line })
    this.#lines.sort((a, b) => b.priority - a.priority)
    return line
  }
}
