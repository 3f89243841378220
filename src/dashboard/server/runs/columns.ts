/** A compact growable list of numbers; an array of objects takes ten times the memory. */
export class NumberColumn {
  #values: Float64Array<ArrayBuffer>
  #length: number

  constructor(values: Float64Array<ArrayBuffer> = new Float64Array(256)) {
    this.#values = values
    this.#length = 0
  }

  static of(bytes: Uint8Array): NumberColumn {
    // The bytes are copied, because they may not be aligned for a Float64Array.
    const values = new Float64Array(new Uint8Array(bytes).buffer)
    const column = new NumberColumn(values.length === 0 ? new Float64Array(256) : values)
    column.#length = values.length
    return column
  }

  get length(): number {
    return this.#length
  }

  at(index: number): number {
    return this.#values[index] ?? Number.NaN
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length] = value
    this.#length += 1
  }

  /** Finds the index of a number in an ascending column by binary search; -1 if it is absent. */
  find(value: number): number {
    let [low, high] = [0, this.#length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.at(middle)
      if (found === value) return middle
      if (found < value) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  bytes(): Uint8Array {
    return new Uint8Array(this.#values.buffer, 0, this.#length * Float64Array.BYTES_PER_ELEMENT)
  }
}

/** Stores recurring strings once and refers to them by number. */
export class NamePool {
  readonly #names: string[]
  readonly #numbers: Map<string, number>

  constructor(names: readonly string[] = []) {
    this.#names = [...names]
    this.#numbers = new Map(names.map((name, number) => [name, number]))
  }

  get names(): readonly string[] {
    return this.#names
  }

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    const number = this.#names.length
    this.#names.push(name)
    this.#numbers.set(name, number)
    return number
  }

  nameAt(number: number): string {
    return this.#names[number] ?? ''
  }
}
