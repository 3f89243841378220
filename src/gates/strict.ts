import { meanOf, scoredPairs } from '../core/metric.js'
import type { Gate, GateFactory, Verdict } from '../core/ports.js'

/** Two means that differ by less than this differ only in how their sums were rounded. */
const roundingNoise = 1e-9

/** The reference's rule: every validation task once under both skills, and the higher mean wins. A tie is a no. */
export const createGate: GateFactory = ({ tasks, score }): Gate => ({
  id: 'strict',
  score,
  next(seen) {
    const known = new Set(seen.filter(pair => pair.sample === 0).map(pair => pair.task))
    const missing = tasks.filter(task => !known.has(task))
    if (missing.length > 0) return { run: missing.map(task => ({ task, sample: 0 })) }

    const { pairs, abstain } = scoredPairs(seen)
    if (abstain !== undefined) return { decision: 'abstain', complete: true, reason: abstain }
    const candidate = score(meanOf(pairs, 'candidate'))
    const current = score(meanOf(pairs, 'current'))
    const decision: Verdict['decision'] = candidate - current > roundingNoise ? 'accept' : 'reject'
    const comparison = `${candidate.toFixed(4)} with the candidate, ${current.toFixed(4)} with the current skill`
    const why = decision === 'accept' ? 'The score rose' : 'The score did not rise'
    return { decision, complete: true, reason: `${why}: ${comparison}, over ${pairs.length} tasks.` }
  },
})
