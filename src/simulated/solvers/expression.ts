/**
 * Integer terms in one variable, in the small subset of LaTeX that the simulated target reads: `2^n`,
 * `n(n+1)`, `n!`.
 */

/** Computes a term for one n; undefined if the term has no value (the factorial of -1). */
export type Term = (n: bigint) => bigint | undefined

/**
 * Maximum size of a value in bits. Larger values are not computed, because the target is not a computer
 * algebra system.
 */
const mostBits = 4000

export function readTerm(text: string): Term | undefined {
  const tokens = text.replaceAll('\\cdot', '*').match(/\d+|\S/g) ?? []
  let at = 0
  const peek = () => tokens[at]
  const take = (...wanted: readonly string[]) => {
    const token = tokens[at]
    if (token === undefined || !wanted.includes(token)) return undefined
    at += 1
    return token
  }

  /** Creates a parser for operands joined by operators, from left to right. */
  const chain = (operand: () => Term, operator: () => Operation | undefined): Term => {
    let left = operand()
    for (let next = operator(); next !== undefined; next = operator()) left = combine(next, left, operand())
    return left
  }
  const sum = (): Term => chain(product, () => operations[take('+', '-') ?? ''])
  const product = (): Term =>
    chain(factor, () =>
      take('*') !== undefined || /^[n\d({]$/.test(peek()?.[0] ?? '') ? operations['*'] : undefined,
    )
  const factor = (): Term => {
    if (take('-') !== undefined) return combine(operations['-'], () => 0n, factor())
    let base = atom()
    if (take('!') !== undefined) base = apply(factorial, base)
    return take('^') === undefined ? base : combine(power, base, atom())
  }
  const atom = (): Term => {
    if (take('(', '{') !== undefined) {
      const inside = sum()
      if (take(')', '}') === undefined) throw new SyntaxError('a bracket is not closed')
      return inside
    }
    if (take('n') !== undefined) return n => n
    const token = peek() ?? ''
    if (!/^\d+$/.test(token)) throw new SyntaxError(`cannot read ${token}`)
    at += 1
    return () => BigInt(token)
  }

  try {
    const term = sum()
    return at === tokens.length ? term : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

type Operation = (left: bigint, right: bigint) => bigint | undefined

const operations: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
}

const power: Operation = (base, exponent) =>
  exponent < 0n || Number(exponent) * base.toString(2).length > mostBits ? undefined : base ** exponent

function factorial(n: bigint): bigint | undefined {
  if (n < 0n || n > 400n) return undefined
  let product = 1n
  for (let next = 2n; next <= n; next += 1n) product *= next
  return product
}

function combine(operation: Operation | undefined, left: Term, right: Term): Term {
  return n => {
    const [one, other] = [left(n), right(n)]
    return one === undefined || other === undefined ? undefined : operation?.(one, other)
  }
}

function apply(change: (value: bigint) => bigint | undefined, term: Term): Term {
  return n => {
    const value = term(n)
    return value === undefined ? undefined : change(value)
  }
}
