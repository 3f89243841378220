import { InputError } from '../errors/errors.js'
import type { Pair, Seen, Wanted } from '../ports/gate.js'
import type { Scores } from './task.js'

export type Metric = 'hard' | 'soft' | 'mixed' | 'reward'

/** The number by which skills are compared. `weight` is the share of the soft score in `mixed`. */
export function metricScore(summary: Scores, metric: Metric, weight: number): number {
  if (metric === 'hard') return summary.hard
  if (metric === 'soft') return summary.soft
  if (metric === 'reward') return knownReward(summary)
  return (1 - weight) * summary.hard + weight * summary.soft
}

function knownReward({ reward }: Scores): number {
  if (reward !== undefined) return reward
  throw new InputError('evaluation.metric is reward, but a gate asked for a score without one.', {
    hint: 'In your own gate, pass the `reward` of the rows: `score({ hard, soft, reward })`.',
  })
}

export type Action = 'accept_new_best' | 'accept' | 'reject'

/**
 * Accepts a candidate that is better than the current skill; one better than the best skill becomes the best.
 * A tie is not better.
 */
export function compare(candidate: number, current: number, best: number): Action {
  if (!(candidate > current)) return 'reject'
  return candidate > best ? 'accept_new_best' : 'accept'
}

/** Pairs of attempts at the same task and sample, ordered by when the second attempt was requested. */
export function pairsIn(seen: readonly Seen[]): readonly Pair[] {
  const halves = new Map<string, Seen>()
  const pairs: Pair[] = []
  for (const one of seen) {
    const { task, sample } = one.row
    const key = `${sample} ${task}`
    const other = halves.get(key)
    if (other === undefined || other.side === one.side) halves.set(key, one)
    else {
      const [current, candidate] = one.side === 'current' ? [one.row, other.row] : [other.row, one.row]
      pairs.push({ task, sample, current, candidate })
    }
  }
  return pairs
}

/** The wanted attempts that have not been made yet. */
export function missingAttempts(seen: readonly Seen[], wanted: readonly Wanted[]): readonly Wanted[] {
  // Uses sets of plain task ids: gates call this at every step, and joining strings would take most of the
  // time.
  const known = { current: new Map<number, Set<string>>(), candidate: new Map<number, Set<string>>() }
  for (const { side, row } of seen) {
    const tasks = known[side].get(row.sample)
    if (tasks === undefined) known[side].set(row.sample, new Set([row.task]))
    else tasks.add(row.task)
  }
  return wanted.filter(({ side, task, sample }) => known[side].get(sample)?.has(task) !== true)
}

export interface ScoredPair {
  readonly task: string
  readonly sample: number
  readonly current: Scores
  readonly candidate: Scores
}

/** Above this share of the pairs, a difference in external failures makes the sides incomparable. */
const toleratedImbalance = 0.05

/**
 * The pairs with a score on both sides. `abstain` is the reason to abstain, if external failures were too
 * frequent or too uneven for a fair comparison.
 */
export function scoredPairs(seen: readonly Pair[]): {
  readonly pairs: readonly ScoredPair[]
  readonly abstain?: string
} {
  const pairs: ScoredPair[] = []
  let currentFailures = 0
  let candidateFailures = 0
  for (const pair of seen) {
    const current = scoresOf(pair.current)
    const candidate = scoresOf(pair.candidate)
    if (current === undefined) currentFailures += 1
    if (candidate === undefined) candidateFailures += 1
    if (current !== undefined && candidate !== undefined) {
      pairs.push({ task: pair.task, sample: pair.sample, current, candidate })
    }
  }
  if (seen.length === 0) return { pairs, abstain: 'No pairs to compare.' }
  const counts = `of ${seen.length} pairs, ${currentFailures} failed for external reasons under the current skill and ${candidateFailures} under the candidate`
  if (pairs.length === 0) return { pairs, abstain: `No pair was scored under both skills: ${counts}.` }
  if (Math.abs(currentFailures - candidateFailures) > toleratedImbalance * seen.length) {
    return { pairs, abstain: `External failures make the comparison unfair: ${counts}.` }
  }
  if (pairs.length * 2 < seen.length) {
    return { pairs, abstain: `Only ${pairs.length} pairs are left to compare: ${counts}.` }
  }
  return { pairs }
}

/**
 * The reason to abstain by the first samples so far, if any. Before the first pair there is none if the
 * current skill has a score, because a gate may already know that nothing is left to gain.
 */
export function abstainReason(seen: readonly Seen[]): string | undefined {
  const pairs = pairsIn(seen.filter(({ row }) => row.sample === 0))
  const isKnown = seen.some(({ side, row }) => side === 'current' && row.hard !== undefined)
  return pairs.length === 0 && isKnown ? undefined : scoredPairs(pairs).abstain
}

/** Mean scores on one side of the pairs, with the mean reward if all have one. Needs at least one pair. */
export function meanOf(pairs: readonly ScoredPair[], side: 'current' | 'candidate'): Scores {
  let hard = 0
  let soft = 0
  let reward: number | undefined = 0
  for (const pair of pairs) {
    const scores = pair[side]
    hard += scores.hard
    soft += scores.soft
    reward = reward === undefined || scores.reward === undefined ? undefined : reward + scores.reward
  }
  const mean = (sum: number) => sum / pairs.length
  return { hard: mean(hard), soft: mean(soft), reward: reward === undefined ? undefined : mean(reward) }
}

/** The score of an attempt; undefined after an external failure. */
export function scoreOfAttempt(
  row: Pair['current'] | undefined,
  score: (scores: Scores) => number,
): number | undefined {
  const scores = row === undefined ? undefined : scoresOf(row)
  return scores === undefined ? undefined : score(scores)
}

function scoresOf({ hard, soft, reward }: Pair['current']): Scores | undefined {
  if (hard === undefined) return undefined
  return { hard, soft: soft ?? hard, reward }
}
