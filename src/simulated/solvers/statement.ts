import { readTerm } from './expression.js'

/**
 * Statements about integers in the form that the simulated target reads: "For every integer $n \ge 1$,
 * $n^2+n$ is even." The target proves nothing. It tries numbers, which is enough to refute a statement.
 */

type Quantifier = 'every' | 'infinitely many' | 'some'

/** A claim about a single n. */
interface Claim {
  /** Claims of the same kind can be compared. They bound the same term in the same direction. */
  readonly kind: string
  holds(n: bigint): boolean
  /** Strength among claims of the same kind; higher is stronger. */
  tightness(n: bigint): number
}

export interface Statement {
  readonly quantifier: Quantifier
  /** The smallest n that the statement is about; undefined for all integers. */
  readonly from: bigint | undefined
  readonly relation: 'plain' | 'if' | 'if and only if'
  /** The condition, if the statement has one, then the conclusion. */
  readonly claims: readonly [Claim] | readonly [Claim, Claim]
}

export function readStatement(text: string): Statement | undefined {
  const trimmed = text.trim().replace(/\.$/, '')
  const [whole, every, infinitely, from] = opening.exec(trimmed) ?? []
  if (whole === undefined) return undefined
  const body = readBody(trimmed.slice(whole.length))
  if (body === undefined) return undefined
  return {
    quantifier: every !== undefined ? 'every' : infinitely !== undefined ? 'infinitely many' : 'some',
    from: from === undefined ? undefined : BigInt(from),
    ...body,
  }
}

const opening =
  /^(?:(For every integer)|(For infinitely many integers)|For at least one integer|There is an integer) \$n(?: *\\ge *(\d+))?\$(?:,| such that) (?:it is true that )?/

function readBody(text: string): Pick<Statement, 'relation' | 'claims'> | undefined {
  const [, condition, result] = /^if (.+), then (.+)$/.exec(text) ?? []
  const [, left, right] = /^(.+) if and only if (.+)$/.exec(text) ?? []
  const [first, second] = condition === undefined ? [left ?? text, right] : [condition, result]
  const claim = readClaim(first ?? '')
  if (second === undefined) return claim === undefined ? undefined : { relation: 'plain', claims: [claim] }
  const other = readClaim(second)
  if (claim === undefined || other === undefined) return undefined
  return { relation: condition === undefined ? 'if and only if' : 'if', claims: [claim, other] }
}

function readClaim(text: string): Claim | undefined {
  const [, subject, is] = /^(?:the number )?\$([^$]+)\$(?: is (.+))?$/.exec(text.trim()) ?? []
  if (subject === undefined) return undefined
  return is === undefined ? comparison(subject) : property(subject, is)
}

interface Relation {
  readonly direction: 'above' | 'below' | 'equal'
  holds(left: bigint, right: bigint): boolean
}

const relations: Readonly<Record<string, Relation>> = {
  '\\ge': { direction: 'above', holds: (left, right) => left >= right },
  '\\le': { direction: 'below', holds: (left, right) => left <= right },
  '>': { direction: 'above', holds: (left, right) => left > right },
  '<': { direction: 'below', holds: (left, right) => left < right },
  '=': { direction: 'equal', holds: (left, right) => left === right },
}

function comparison(text: string): Claim | undefined {
  const [, before = '', sign = '', after = ''] = /^(.+?)(\\ge|\\le|[<>=])(.+)$/.exec(text) ?? []
  const [left, right, relation] = [readTerm(before), readTerm(after), relations[sign]]
  if (left === undefined || right === undefined || relation === undefined) return undefined
  const values = (n: bigint) => [left(n), right(n)] as const
  return {
    kind: `${before.trim()} ${relation.direction}`,
    holds(n) {
      const [one, other] = values(n)
      return one !== undefined && other !== undefined && relation.holds(one, other)
    },
    tightness(n) {
      const [one, other] = values(n)
      const gap = Number((one ?? 0n) - (other ?? 0n))
      // A strict inequality counts as slightly stronger.
      return -Math.abs(gap) + (sign === '>' || sign === '<' ? 0.5 : 0)
    },
  }
}

function property(subject: string, is: string): Claim | undefined {
  const term = readTerm(subject)
  const [, not, divisor, name = ''] = /^(not )?(?:divisible by \$(\d+)\$|(.+))$/.exec(is) ?? []
  const test = divisor === undefined ? properties[name] : (value: bigint) => value % BigInt(divisor) === 0n
  if (term === undefined || test === undefined) return undefined
  return {
    kind: `${subject.trim()} ${divisor === undefined ? is : 'divisible'}`,
    holds(n) {
      const value = term(n)
      return value !== undefined && test(value) === (not === undefined)
    },
    tightness: () => Number(divisor ?? 0),
  }
}

const properties: Readonly<Record<string, (value: bigint) => boolean>> = {
  even: value => value % 2n === 0n,
  odd: value => value % 2n !== 0n,
  prime: isPrime,
  'a perfect square': value => value >= 0n && BigInt(Math.round(Math.sqrt(Number(value)))) ** 2n === value,
}

function isPrime(value: bigint): boolean {
  if (value < 2n) return false
  for (let divisor = 2n; divisor * divisor <= value && divisor < 10_000n; divisor += 1n)
    if (value % divisor === 0n) return false
  return true
}

// ── Trying numbers ──────────────────────────────────────────────────────────

const farthest = 60n

/** How thorough a test is. */
export interface Care {
  /** Tests many numbers and not only the first few. */
  readonly manyCases: boolean
  readonly firstCase: boolean
  readonly negatives: boolean
  readonly bothDirections: boolean
}

export const careful: Care = { manyCases: true, firstCase: true, negatives: true, bothDirections: true }

/** The numbers to test, starting with the nearest. */
function casesOf({ from }: Statement, { manyCases, firstCase, negatives }: Care): readonly bigint[] {
  const start = from === undefined ? (negatives ? -farthest : 1n) : firstCase ? from : from + 1n
  const all = Array.from({ length: Number(farthest - start) + 1 }, (_, index) => start + BigInt(index))
  const nearest = from === undefined ? all.sort((one, other) => Number(size(one) - size(other))) : all
  return manyCases ? nearest : nearest.slice(0, 6)
}

const size = (n: bigint) => (n < 0n ? -n : n)

function holdsFor({ relation, claims }: Statement, n: bigint, { bothDirections }: Care): boolean {
  const [first, second] = claims
  if (second === undefined) return first.holds(n)
  const follows = !first.holds(n) || second.holds(n)
  if (relation === 'if' || !bothDirections) return follows
  return first.holds(n) === second.holds(n)
}

/**
 * Tests a statement with numbers and says where it failed. "Infinitely many" passes if a number in the upper
 * half of the range fits.
 */
export function tryOut(
  statement: Statement,
  care: Care,
): { readonly stands: boolean; readonly failsAt?: bigint } {
  if (statement.quantifier === 'every') {
    const failsAt = casesOf(statement, care).find(n => !holdsFor(statement, n, care))
    return failsAt === undefined ? { stands: true } : { stands: false, failsAt }
  }
  const fitting = casesOf(statement, careful).filter(n => holdsFor(statement, n, careful))
  const stands = statement.quantifier === 'some' ? fitting.length > 0 : fitting.some(n => n > farthest / 2n)
  return { stands }
}

/**
 * Compares two true statements. Positive if the first is stronger, that is, if it holds for more n, in both
 * directions, or with a tighter bound. 0 if neither is stronger.
 */
export function compareStrength(one: Statement, other: Statement): number {
  const scope = [quantifierRank, relationRank, coverage]
    .map(measure => measure(one) - measure(other))
    .find(difference => difference !== 0)
  if (scope !== undefined) return scope
  return saidBy(one).kind === saidBy(other).kind ? tightness(one) - tightness(other) : 0
}

const quantifierRank = ({ quantifier }: Statement) => ['some', 'infinitely many', 'every'].indexOf(quantifier)

const relationRank = ({ relation }: Statement) => (relation === 'if and only if' ? 1 : 0)

function coverage(statement: Statement): number {
  const cases = casesOf(statement, careful)
  return statement.relation === 'if' ? cases.filter(n => statement.claims[0].holds(n)).length : cases.length
}

const saidBy = ({ claims }: Statement): Claim => claims[1] ?? claims[0]

function tightness(statement: Statement): number {
  return casesOf(statement, careful)
    .slice(0, 10)
    .reduce((total, n) => total + saidBy(statement).tightness(n), 0)
}
