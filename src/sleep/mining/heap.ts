/** A max-heap: it returns the item with the highest value first. */
export class Heap<Item> {
  readonly #items: Item[] = []
  readonly #rank: (item: Item) => number

  constructor(rank: (item: Item) => number) {
    this.#rank = rank
  }

  get greatest(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    let at = this.#items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isGreater(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): Item | undefined {
    const last = this.#items.length - 1
    if (last > 0) this.#swap(0, last)
    const taken = this.#items.pop()
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const child = right < this.#items.length && this.#isGreater(right, left) ? right : left
      if (child >= this.#items.length || !this.#isGreater(child, at)) return taken
      this.#swap(at, child)
      at = child
    }
  }

  #isGreater(one: number, other: number): boolean {
    return this.#rankAt(one) > this.#rankAt(other)
  }

  #rankAt(place: number): number {
    const item = this.#items[place]
    return item === undefined ? Number.NEGATIVE_INFINITY : this.#rank(item)
  }

  #swap(one: number, other: number): void {
    const [left, right] = [this.#items[one], this.#items[other]]
    if (left === undefined || right === undefined) return
    this.#items[one] = right
    this.#items[other] = left
  }
}
