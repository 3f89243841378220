import type { Gate, GateFactory, Pair, Verdict } from '../../core/ports/gate.js'
import { meanOf, missingAttempts, pairsIn, scoredPairs, scoreOfAttempt } from '../../core/task/metric.js'

/** Means that differ by less than this are equal up to rounding. */
const roundingNoise = 1e-9
/** Candidate attempts per request. Fixed, because a verdict must not depend on how many calls run at once. */
const chunk = 8

/**
 * The paper's rule: every validation task runs once under both skills, and the higher mean wins. A tie is a
 * rejection.
 * With `earlyStop` the gate ends as soon as the remaining tasks cannot make the candidate win: the same
 * decision from fewer attempts. A winning candidate always runs on every task.
 */
export const createGate: GateFactory = ({ tasks, score, settings }): Gate => ({
  id: 'strict',
  score,
  next(seen) {
    const every = (side: 'current' | 'candidate', order = tasks) =>
      missingAttempts(
        seen,
        order.map(task => ({ side, task, sample: 0 })),
      )
    const baseline = every('current')
    if (baseline.length > 0) return { run: baseline }

    const pairs = pairsIn(seen)
    const rows = new Map(
      seen.flatMap(({ side, row }) => (side === 'current' ? [[row.task, row] as const] : [])),
    )
    const before = (task: string) => scoreOfAttempt(rows.get(task), score) ?? 1
    if (!settings.earlyStop) {
      const missing = every('candidate')
      return missing.length > 0 ? { run: missing } : decide(pairs, score)
    }
    // Tasks that the current skill fails come first, since only they can gain.
    const missing = every(
      'candidate',
      tasks.toSorted((one, other) => before(one) - before(other)),
    )
    if (missing.length === 0) return decide(pairs, score)
    const gained = pairs.reduce((sum, pair) => sum + gainOf(pair, score), 0)
    const possible = missing.reduce((sum, { task }) => sum + 1 - before(task), gained)
    // If too many of the seen pairs failed for external reasons, the sides may not be comparable, so the
    // remaining pairs are run too.
    const fair = pairs.length === 0 || scoredPairs(pairs).abstain === undefined
    if (possible > roundingNoise || !fair) return { run: missing.slice(0, chunk) }
    return {
      decision: 'reject',
      complete: false,
      reason: `The score cannot rise further: after ${pairs.length} of ${tasks.length} tasks the candidate has gained ${gained.toFixed(2)}, and the others can add at most ${(possible - gained).toFixed(2)}.`,
    }
  },
})

/** A pair with an external failure counts for neither side. */
function gainOf(pair: Pair, score: Gate['score']): number {
  const current = scoreOfAttempt(pair.current, score)
  const candidate = scoreOfAttempt(pair.candidate, score)
  return current === undefined || candidate === undefined ? 0 : candidate - current
}

function decide(all: readonly Pair[], score: Gate['score']): Verdict {
  const { pairs, abstain } = scoredPairs(all)
  if (abstain !== undefined) return { decision: 'abstain', complete: true, reason: abstain }
  const candidate = score(meanOf(pairs, 'candidate'))
  const current = score(meanOf(pairs, 'current'))
  const decision: Verdict['decision'] = candidate - current > roundingNoise ? 'accept' : 'reject'
  const comparison = `${candidate.toFixed(4)} with the candidate, ${current.toFixed(4)} with the current skill`
  const why = decision === 'accept' ? 'The score rose' : 'The score did not rise'
  return { decision, complete: true, reason: `${why}: ${comparison}, over ${pairs.length} tasks.` }
}
