import type { PairedScores } from '../comparison/skill-comparison.js'
import type { Interval } from '../statistics/intervals.js'
import { pointsText, rangeText } from './edit-evidence.js'
import { plural, points } from './figures.js'
import type { RunView } from './run-view.js'
import { testGain } from './test-results.js'

const cannotTell = 'Cannot tell whether the skill is better than the seed on unseen tasks'

type Trained = Pick<RunView, 'kind' | 'loop' | 'outcome' | 'finalTest' | 'best' | 'baseline' | 'tests'>

/**
 * One sentence, answer first, on whether a trained skill is better on tasks that it was not trained on. The
 * test split decides if it was run with the seed and the shipped skill, otherwise the final test of the
 * trials loop. Undefined until either is known.
 */
export function unseenSentence(view: Trained, tested?: PairedScores): string | undefined {
  if (view.kind !== 'train') return undefined
  return view.loop === 'trials' ? sentenceForTrials(view, tested) : sentenceForSteps(view, tested)
}

function sentenceForTrials({ outcome, finalTest, best }: Trained, tested: PairedScores | undefined) {
  if (finalTest === undefined)
    return best === undefined && outcome !== 'finished' ? undefined : 'Nothing was accepted; the seed ships.'
  const { verdict, action } = finalTest
  if (action === 'abstain') return `The final test could not compare: ${verdict.reason} The seed ships.`
  if (action !== 'reject') {
    if (tested !== undefined && tested.tasks > 0) return testedSentence(tested)
    const isClear = verdict.effect === undefined || verdict.effect.low > 0
    return `${isClear ? 'Better' : 'Probably better'} than the seed on unseen tasks: ${finalFigures(finalTest)}.`
  }
  const start =
    verdict.decision === 'underpowered'
      ? 'Cannot tell whether the trained skill is better than the seed on unseen tasks'
      : 'Not better than the seed on unseen tasks'
  return `${start}: ${finalFigures(finalTest)}; the seed ships.`
}

/**
 * In the steps loop, validation selects the best skill, so its validation score says little about unseen
 * tasks.
 */
function sentenceForSteps(view: Trained, tested: PairedScores | undefined): string | undefined {
  const { outcome, best, baseline } = view
  if (outcome !== 'finished' || best === undefined) return undefined
  if (best.version === 0) return 'No candidate was better on validation; the seed ships.'
  if (tested !== undefined && tested.tasks > 0) return testedSentence(tested)
  const gain = testGain(view)
  if (gain !== undefined)
    return `${cannotTell}: ${pointsText(gain)} on the test split, where scores of single tasks are not recorded.`
  const against = baseline === undefined ? '' : ` against ${points(baseline.score)} of the seed`
  return `${cannotTell}: it was not tested on any. It scores ${points(best.score)}${against} on validation, which chose it.`
}

function testedSentence({ tasks, better, worse, difference }: PairedScores): string {
  const { low, high } = difference
  const start =
    low > 0
      ? 'Better than the seed on unseen tasks'
      : high < 0
        ? 'Worse than the seed on unseen tasks'
        : cannotTell
  return `${start}: ${better} better, ${worse} worse of ${plural(tasks, 'test task')} (${intervalText(difference)}).`
}

function finalFigures({ verdict, score, current }: NonNullable<RunView['finalTest']>): string {
  const { tasks, effect } = verdict
  const interval = effect === undefined ? pointsText(score - current) : intervalText(effect)
  if (tasks === undefined) return interval
  return `${tasks.better} better, ${tasks.worse} worse of ${plural(tasks.total, 'validation task')} (${interval})`
}

const intervalText = (effect: Interval) => `${pointsText(effect.mean)}, 95% interval ${rangeText(effect)}`
