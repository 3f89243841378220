import type { GateFactory } from '../../core/ports/gate.js'
import { createSignFlipTest, finalPasses, type SignFlipResult } from '../../core/statistics/sign-flip-test.js'
import { type PairedResults, sequentialGate } from './sequential.js'

/**
 * The p-value up to which the interval may exclude zero: one side of a 95% interval. Needed because the level
 * may be as weak as 0.1, and a test that stops early overstates the gain.
 */
const certain = 0.025

/**
 * The final test of a training. It compares the trained skill with the seed on samples that neither was
 * selected on, and accepts at level `falseAccepts`, which stays valid under early stopping. A task counts as
 * one observation however often it ran, so that the level holds for new tasks too.
 */
export const createGate: GateFactory = context => {
  const tasks = context.tasks.length
  const passes = finalPasses(tasks)
  const settings = { tasks, passes, alpha: context.settings.falseAccepts }
  let test = createSignFlipTest(settings)
  let known = 0
  let result: SignFlipResult = 'continue'
  return sequentialGate(
    {
      id: 'better',
      passes: () => passes,
      decide(seen) {
        const found = resultOf(seen)
        if (found === 'continue') return undefined
        const isCertain = test.pValue() <= certain
        if (found === 'better')
          return { decision: 'accept', reason: `Better than chance explains: ${seen.figures}.`, isCertain }
        if (seen.effect.mean > 0)
          return {
            decision: 'underpowered',
            reason: `Cannot tell whether it is better: ${seen.figures}.`,
            isCertain,
          }
        return { decision: 'reject', reason: `No sign of a gain: ${seen.figures}.` }
      },
    },
    context,
  )

  /** Adds the new pairs to the test. If there are fewer pairs than before, the test restarts. */
  function resultOf({ differences, isLast }: PairedResults): SignFlipResult {
    if (differences.length < known) {
      test = createSignFlipTest(settings)
      known = 0
      result = 'continue'
    }
    for (const pair of differences.slice(known)) result = test.add(pair)
    known = differences.length
    return isLast ? test.finish() : result
  }
}
