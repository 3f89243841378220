import type { AttemptLine } from '../../../../src/dashboard/contract/attempts.js'

export interface Pair {
  readonly left: AttemptLine
  readonly right: AttemptLine
}

/** More attempts per task and skill add no information. */
const considered = 100

/**
 * Picks the most comparable pair of attempts at a task under two skills: both scored, on the same split, in
 * the same stage and sample; among several such pairs, the latest of the first sample.
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
 * The best attempt to compare with: preferably another skill, then another outcome, then the criteria of
 * `pairOf`.
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

/** Puts the earlier attempt on the left. */
export function compareHref(one: Pick<AttemptLine, 'seq'>, other: Pick<AttemptLine, 'seq'>): string {
  const [left, right] = one.seq <= other.seq ? [one, other] : [other, one]
  return `/compare?left=${left.seq}&right=${right.seq}`
}
