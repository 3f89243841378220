import type { GateFactory } from '../../core/ports/gate.js'
import { probabilityWorse } from '../../core/statistics/discordant-pairs.js'
import { chanceText } from '../../core/text/format.js'
import { sequentialGate } from './sequential.js'

/** A candidate whose probability of being worse is at most this is accepted before every task was seen. */
const clearlyFine = 0.05
const clearlyWorse = 0.98
/** At the end, a candidate that is worse with more than this probability is rejected. */
const probablyWorse = 0.8

/** Rejects only candidates that are probably worse. For skills whose edits were each judged already. */
export const createGate: GateFactory = context =>
  sequentialGate(
    {
      id: 'not-worse',
      passes: () => 1,
      decide(seen) {
        const chance = probabilityWorse(seen)
        const figures = `${seen.figures}; it is worse with a probability of ${chanceText(chance)}`
        if (chance <= clearlyFine) return { decision: 'accept', reason: `Clearly not worse: ${figures}.` }
        if (chance >= clearlyWorse) return { decision: 'reject', reason: `Clearly worse: ${figures}.` }
        if (!seen.isLast) return undefined
        return chance > probablyWorse
          ? { decision: 'reject', reason: `Probably worse: ${figures}.` }
          : { decision: 'accept', reason: `Not worse: ${figures}.` }
      },
    },
    context,
  )
