import { type CapName, CapReachedError, type SkillOptError } from '../core/errors/errors.js'
import { count, minuteText, money, plural } from '../core/text/format.js'
import type { Limits } from '../run/budget.js'
import { nothingSpent, type Spent, spendingOf, spentOf } from '../run/spending.js'
import { readRun } from '../store/read-run.js'
import { hasRun } from '../store/run-directories.js'
import type { Setup } from '../trainer/loops/setup.js'

/** Caps that several runs share, one after the other: each gets what the others have left. */

export const sumOfSpent = (one: Spent, other: Spent): Spent => ({
  calls: one.calls + other.calls,
  tokens: one.tokens + other.tokens,
  cost: one.cost + other.cost,
  activeMs: one.activeMs + other.activeMs,
})

/** What a run has used so far; nothing where there is none. */
export async function spentIn(directory: string, models: Partial<Setup['models']>): Promise<Spent> {
  if (!(await hasRun(directory))) return nothingSpent
  return spentOf(await spendingOf((await readRun(directory)).events()), models)
}

const spentUnder: Readonly<Record<CapName, (spent: Spent) => number>> = {
  maxCalls: ({ calls }) => calls,
  maxTokens: ({ tokens }) => tokens,
  maxCost: ({ cost }) => cost,
  maxTime: ({ activeMs }) => activeMs / 60_000,
}

/**
 * The caps of one run, in which its own spending counts once more. Where nothing is left, a run that has made calls may
 * still be read: the least cap that there can be admits no further one. One that has not would begin with a call.
 */
export function capsLeft(limits: Limits, own: Spent, others: Spent, whole: string): Limits {
  const entries = Object.entries(limits) as [CapName, number | undefined][]
  const left = entries.flatMap(([cap, limit]) => {
    if (limit === undefined) return []
    const rest = limit - spentUnder[cap](others)
    if (rest <= 0 && own.calls === 0) throw reached(cap, limit, whole)
    return [[cap, rest > 0 ? rest : leastOf[cap]]]
  })
  return Object.fromEntries(left) as Limits
}

const leastOf: Readonly<Record<CapName, number>> = {
  maxCalls: 1,
  maxTokens: 1,
  maxCost: Number.MIN_VALUE,
  maxTime: Number.MIN_VALUE,
}

/** The run knows its own share of a cap; a person has set the whole. */
export function overall(
  error: SkillOptError | undefined,
  limits: Limits,
  whole: string,
): SkillOptError | undefined {
  if (!(error instanceof CapReachedError)) return error
  return reached(error.cap, limits[error.cap] ?? 0, whole)
}

function reached(cap: CapName, limit: number, whole: string): CapReachedError {
  const [flag, words] = {
    maxCalls: ['--max-calls', plural(limit, 'call')],
    maxTokens: ['--max-tokens', `${count(limit)} tokens`],
    maxCost: ['--max-cost', money(limit)],
    maxTime: ['--max-time', minuteText(limit)],
  }[cap]
  return new CapReachedError(cap, `The cap of ${words} for ${whole} is reached.`, {
    hint: `Raise ${flag} and run the same command again: it goes on where it stopped.`,
  })
}
