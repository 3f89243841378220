import type { AttemptLine } from '../../../../src/dashboard/contract/attempts.js'

export interface Pair {
  readonly left: AttemptLine
  readonly right: AttemptLine
}

/** Maximum number of attempts per task and skill to consider. More would not improve the choice. */
const considered = 100

/**
 * Picks the most comparable pair of attempts at a task with two skills. Pairs are preferred in which both are
 * scored and share split, stage and sample; among several, the latest of the first sample.
 */
export function pairOf(left: readonly AttemptLine[], right: readonly AttemptLine[]): Pair | undefined {
  let best: { readonly pair: Pair; readonly rank: readonly number[] } | undefined
  for (const one of left.slice(-considered)) {
    for (const other of right.slice(-considered)) {
      if (one.seq === other.seq) continue
      const rank = rankOf(one, other)
      if (best === undefined || compare(rank, best.rank) > 0)
        best = { pair: { left: one, right: other }, rank }
    }
  }
  return best?.pair
}

function rankOf(one: AttemptLine, other: AttemptLine): readonly number[] {
  return [
    Number(one.outcome !== 'failed') + Number(other.outcome !== 'failed'),
    Number(one.split === other.split),
    Number(one.sample === other.sample),
    Number(one.stage === other.stage),
    -(one.sample + other.sample),
    one.seq + other.seq,
  ]
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Picks the attempt to compare with: preferably one with another skill, then with another outcome, then by
 * the criteria of `pairOf`.
 */
export function counterpartOf(line: AttemptLine, ofTask: readonly AttemptLine[]): AttemptLine | undefined {
  const others = ofTask.filter(({ seq }) => seq !== line.seq)
  const rank = (other: AttemptLine) => [
    Number(other.skill.hash !== line.skill.hash),
    Number(other.outcome !== 'failed'),
    Number(other.outcome !== line.outcome),
    ...rankOf(line, other),
  ]
  return others.toSorted((one, other) => compare(rank(other), rank(one)))[0]
}

/** Link to the comparison of two attempts, with the earlier one on the left. */
export function compareHref(one: Pick<AttemptLine, 'seq'>, other: Pick<AttemptLine, 'seq'>): string {
  const [left, right] = one.seq <= other.seq ? [one, other] : [other, one]
  return `/compare?left=${left.seq}&right=${right.seq}`
}
