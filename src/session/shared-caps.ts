import { type CapName, CapReachedError, type SkillOptError } from '../core/errors/errors.js'
import { count, minuteText, money, plural } from '../core/text/format.js'
import type { Limits } from '../run/budget.js'
import { nothingSpent, type Spent, spendingOf, spentOf } from '../run/spending.js'
import { readRun } from '../store/read-run.js'
import { hasRun } from '../store/run-directories.js'
import type { Setup } from '../trainer/loops/setup.js'

/** Caps shared by several consecutive runs. Each run gets what the other runs have left. */

export const sumOfSpent = (one: Spent, other: Spent): Spent => ({
  calls: one.calls + other.calls,
  tokens: one.tokens + other.tokens,
  cost: one.cost + other.cost,
  activeMs: one.activeMs + other.activeMs,
})

/** Returns what a run has spent so far; zero if there is no run. */
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
 * Returns the caps for one run: the limits minus what the other runs have spent, since a run counts its own
 * spending itself. If nothing is left, a run that has made calls gets the smallest possible cap: its log can
 * still be read, but it makes no further call. A run without calls is refused.
 */
export function capsLeft(
  limits: Limits,
  { own, others }: { readonly own: Spent; readonly others: Spent },
  whole: string,
): Limits {
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

/** Restates a cap error with the user's overall cap, because the run knows only its own share. */
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
    hint: `Raise ${flag} and rerun the same command to resume.`,
  })
}
