import type { Gate, GateFactory } from '../../core/ports/gate.js'
import { meanOf, missingAttempts, pairsIn, scoredPairs } from '../../core/task/metric.js'

/** Accepts every candidate. Candidates are still scored, so that the record is complete. */
export const createGate: GateFactory = ({ tasks, score }): Gate => ({
  id: 'always',
  score,
  next(seen) {
    const missing = missingAttempts(
      seen,
      (['current', 'candidate'] as const).flatMap(side => tasks.map(task => ({ side, task, sample: 0 }))),
    )
    if (missing.length > 0) return { run: missing }

    const { pairs } = scoredPairs(pairsIn(seen))
    const scored =
      pairs.length === 0
        ? 'no pair was scored'
        : `${score(meanOf(pairs, 'candidate')).toFixed(4)} with the candidate, ${score(meanOf(pairs, 'current')).toFixed(4)} with the current skill`
    return { decision: 'accept', complete: true, reason: `Accepted without a gate: ${scored}.` }
  },
})
