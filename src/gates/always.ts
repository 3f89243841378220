import { meanOf, scoredPairs } from '../core/metric.js'
import type { Gate, GateFactory } from '../core/ports.js'

/** No gate: the candidate is still scored, so that the record is complete, and accepted whatever the score. */
export const createGate: GateFactory = ({ tasks, score }): Gate => ({
  id: 'always',
  score,
  next(seen) {
    const known = new Set(seen.filter(pair => pair.sample === 0).map(pair => pair.task))
    const missing = tasks.filter(task => !known.has(task))
    if (missing.length > 0) return { run: missing.map(task => ({ task, sample: 0 })) }

    const { pairs } = scoredPairs(seen)
    const scored =
      pairs.length === 0
        ? 'no pair was scored'
        : `${score(meanOf(pairs, 'candidate')).toFixed(4)} with the candidate, ${score(meanOf(pairs, 'current')).toFixed(4)} with the current skill`
    return { decision: 'accept', complete: true, reason: `Accepted without a gate: ${scored}.` }
  },
})
