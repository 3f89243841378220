/** Upper bounds for matching a part of a pattern at one position. */
interface Effort {
  /** Number of ways in which the part can match. */
  readonly ways: number
  /** Maximum number of characters to read before the part can fail. */
  readonly length: number
}

export interface PatternEffort {
  /** Maximum steps at one position of a text. */
  readonly steps: number
  /** A part of the pattern without an upper bound, if there is one. */
  readonly endless?: string
}

/**
 * Bounds the steps that a pattern can take. A backtracking engine tries all ways to match one after the
 * other, so their number bounds the cost at a position: it multiplies along a sequence and adds up over
 * alternatives. A repetition that ends the whole pattern has only one way, because nothing after it can fail.
 * The pattern must compile.
 */
export function patternEffort(pattern: string): PatternEffort {
  const reader = new PatternReader(pattern)
  const { ways, length } = reader.alternatives(true)
  return {
    steps: ways * Math.max(1, length),
    endless: reader.endless,
  }
}

const repetition = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y
const escaped = /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[\s\S])/y
const characterClass = /\[(?:\\[\s\S]|[^\]\\])*\]/y
const groupStart = /\((?:\?(?::|=|!|<=|<!|<[^>]+>))?/y
const groupEnd = /\)/y
const divider = /\|/y
const anyCharacter = /[\s\S]/y

const one: Effort = { ways: 1, length: 1 }
const without: Effort = { ways: Number.POSITIVE_INFINITY, length: 1 }

class PatternReader {
  endless: string | undefined
  private at = 0

  constructor(private readonly pattern: string) {}

  /** Reads the alternatives up to the end of the group or the pattern. */
  alternatives(isWhole: boolean): Effort {
    const efforts: Effort[] = []
    do {
      efforts.push(this.sequence(isWhole))
    } while (this.take(divider) !== undefined)
    return {
      ways: efforts.reduce((sum, { ways }) => sum + ways, 0),
      length: Math.max(...efforts.map(({ length }) => length)),
    }
  }

  private sequence(isWhole: boolean): Effort {
    let effort: Effort = { ways: 1, length: 0 }
    while (this.at < this.pattern.length && !/[|)]/.test(this.pattern.charAt(this.at))) {
      const { ways, length } = this.item(isWhole)
      effort = { ways: effort.ways * ways, length: effort.length + length }
    }
    return effort
  }

  private item(isWhole: boolean): Effort {
    const start = this.at
    const part = this.take(groupStart) === undefined ? this.single() : this.group()
    const repeated = this.take(repetition)
    if (repeated === undefined) return part
    const isLast = isWhole && this.at === this.pattern.length && part.ways === 1
    const effort = repeat(part, bounds(repeated), isLast)
    if (effort.ways === Number.POSITIVE_INFINITY) this.endless ??= this.pattern.slice(start, this.at)
    return effort
  }

  private group(): Effort {
    const inner = this.alternatives(false)
    this.take(groupEnd)
    return inner
  }

  private single(): Effort {
    const found = this.take(escaped)
    if (found === undefined) {
      if (this.take(characterClass) === undefined) this.take(anyCharacter)
      return one
    }
    // A backreference may have any length, and is compared again for each way to match, so it has no upper
    // bound.
    if (!/^\\[1-9k]/.test(found)) return one
    this.endless ??= found
    return without
  }

  private take(part: RegExp): string | undefined {
    part.lastIndex = this.at
    const found = part.exec(this.pattern)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }
}

interface Bounds {
  readonly least: number
  readonly most: number
}

function bounds(repeated: string): Bounds {
  if (repeated.startsWith('*')) return { least: 0, most: Number.POSITIVE_INFINITY }
  if (repeated.startsWith('+')) return { least: 1, most: Number.POSITIVE_INFINITY }
  if (repeated.startsWith('?')) return { least: 0, most: 1 }
  const [least = '0', most = least] = repeated.replaceAll(/[{}?]/g, '').split(',')
  return { least: Number(least), most: most === '' ? Number.POSITIVE_INFINITY : Number(most) }
}

/** Effort of a repeated part: the sum of its ways to match over all allowed numbers of repetitions. */
function repeat({ ways, length }: Effort, { least, most }: Bounds, isLast: boolean): Effort {
  if (isLast) return { ways: 1, length: length * Math.max(1, least) }
  if (most === Number.POSITIVE_INFINITY) return without
  if (ways === 1) return { ways: most - least + 1, length: length * most }
  let total = 0
  for (let times = least; times <= most && total < Number.MAX_SAFE_INTEGER; times++) total += ways ** times
  return { ways: total, length: length * most }
}
