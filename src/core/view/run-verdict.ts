import {
  type Answer,
  answerOf,
  answerWords,
  gainText,
  limitsText,
  pairedFigures,
  roughly,
  tellingSentence,
  usualSmallestGain,
} from '../comparison/paired-answer.js'
import type { PairedScores } from '../comparison/skill-comparison.js'
import { valueAt } from '../config/paths.js'
import type { Interval } from '../statistics/intervals.js'
import { tasksToDetectGain } from '../statistics/power.js'
import { count, plural, points } from './figures.js'
import type { RunView } from './run-view.js'
import { recordedPair, testGain } from './test-results.js'

/**
 * The verdict of a training: whether the shipped skill is better than the seed on tasks that it was not
 * trained on. Everything that tells a person how a run went prints this sentence. It must run in a browser.
 */
export interface RunVerdict {
  readonly answer: Answer
  /** The answer with its figures and their source. */
  readonly sentence: string
  /** Advice on what to do with the result. */
  readonly next: string
  /** Source of the figures: the test split, else the final test on validation tasks, else none. */
  readonly evidence: 'test' | 'final-test' | 'none'
  readonly ships: 'trained' | 'seed'
  /** Mean gain as a share of the score, with its 95% interval. */
  readonly gain?: Interval
  readonly tasks?: number
  readonly fixed?: number
  readonly broken?: number
}

export type JudgedRun = Pick<
  RunView,
  | 'run'
  | 'kind'
  | 'loop'
  | 'outcome'
  | 'config'
  | 'finalTest'
  | 'best'
  | 'baseline'
  | 'tests'
  | 'comparison'
  | 'trialEdits'
>

type Judged = Omit<RunVerdict, 'next'>

/**
 * Undefined until the training has ended, or was stopped after its final test. `tested` compares the shipped
 * skill with the seed on the test split; current runs have it in their log, for older ones it is computed
 * from their rows.
 */
export function verdictOf(view: JudgedRun, tested?: PairedScores): RunVerdict | undefined {
  if (view.kind !== 'train' || view.best === undefined) return undefined
  const isOver = view.finalTest === undefined ? view.outcome === 'finished' : view.outcome !== 'running'
  if (!isOver) return undefined
  const judged = judge(view, view.best, recordedPair(view.comparison) ?? tested)
  return { ...judged, next: nextStep(view, judged) }
}

function judge(
  view: JudgedRun,
  best: NonNullable<RunView['best']>,
  tested: PairedScores | undefined,
): Judged {
  if (best.version === 0) return judgeSeed(view)
  if (tested !== undefined && tested.tasks > 0) {
    const where = `${count(tested.tasks)} unseen test ${tested.tasks === 1 ? 'task' : 'tasks'}`
    return judgePairs(view, tested, { where, evidence: 'test' })
  }
  if (view.finalTest !== undefined) return judgeFinalTest(view, view.finalTest)
  return notTested(view, best)
}

function judgePairs(
  view: JudgedRun,
  scores: PairedScores,
  { where, evidence }: { readonly where: string; readonly evidence: 'test' | 'final-test' },
): Judged {
  const smallest = smallestGainOf(view)
  const answer = answerOf(scores, smallest)
  const figures = `${answerWords[answer]}: ${pairedFigures(scores, where)}`
  return {
    answer,
    sentence: `${figures}${tailOf(answer, scores, smallest)}`,
    evidence,
    ships: 'trained',
    gain: scores.difference,
    tasks: scores.tasks,
    fixed: scores.better,
    broken: scores.worse,
  }
}

function tailOf(answer: Answer, scores: PairedScores, smallest: number): string {
  if (answer === 'no-change')
    return `; a gain of ${plural(Math.round(100 * smallest), 'point')} is ruled out.`
  return answer === 'cannot-tell' ? `. ${tellingSentence(scores, smallest)}` : '.'
}

/** Verdict if the seed ships: nothing was learned, or the trained skill did not pass the final test. */
function judgeSeed(view: JudgedRun): Judged {
  const shipsSeed = (answer: Answer, why: string, figures?: Partial<Judged>): Judged => ({
    answer,
    sentence: `${answerWords[answer]}: ${why}`,
    evidence: figures === undefined ? 'none' : 'final-test',
    ships: 'seed',
    ...figures,
  })
  const { finalTest, loop } = view
  if (finalTest === undefined) {
    const why = loop === 'trials' ? 'no edit was accepted' : 'no candidate was better on validation'
    return shipsSeed('no-change', `${why}; the seed skill ships.`)
  }
  const { verdict, action } = finalTest
  if (action === 'abstain')
    return shipsSeed(
      'cannot-tell',
      `the final test could not compare. ${verdict.reason} The seed skill ships.`,
    )
  const scores = finalScores(finalTest)
  const found = { gain: scores.difference, tasks: scores.tasks, fixed: scores.better, broken: scores.worse }
  const figures = finalFigures(finalTest)
  return verdict.decision === 'underpowered'
    ? shipsSeed(
        'cannot-tell',
        `${figures}; the seed skill ships. ${tellingSentence(scores, smallestGainOf(view))}`,
        found,
      )
    : shipsSeed('no-change', `the trained skill did not beat the seed, which ships. ${figures}.`, found)
}

function judgeFinalTest(view: JudgedRun, finalTest: NonNullable<RunView['finalTest']>): Judged {
  const scores = finalScores(finalTest)
  // The final test also passes skills that are only probably better; for "better" the interval must exclude
  // zero, too.
  const answer = scores.difference.low > 0 ? 'better' : 'cannot-tell'
  const doubt =
    answer === 'better'
      ? ''
      : ` It passed that test, so it ships. ${tellingSentence(scores, smallestGainOf(view))}`
  return {
    answer,
    sentence: `${answerWords[answer]}: ${finalFigures(finalTest)}.${doubt}`,
    evidence: 'final-test',
    ships: 'trained',
    gain: scores.difference,
    tasks: scores.tasks,
    fixed: scores.better,
    broken: scores.worse,
  }
}

function finalScores({ verdict, score, current }: NonNullable<RunView['finalTest']>): PairedScores {
  const { better = 0, worse = 0, total = 0 } = verdict.tasks ?? {}
  // Without an interval, the difference could be anything.
  const difference = verdict.effect ?? { mean: (score ?? current) - current, low: -1, high: 1 }
  return { tasks: total, better, worse, difference }
}

function finalFigures(finalTest: NonNullable<RunView['finalTest']>): string {
  const { tasks } = finalTest.verdict
  const scores = finalScores(finalTest)
  if (tasks !== undefined)
    return pairedFigures(scores, `${plural(tasks.total, 'validation task')} in the final test`)
  return `${gainText(scores.difference)} in the final test (95% interval ${limitsText(scores.difference)})`
}

/** Verdict without a test. In the steps loop validation chose the skill, so its score says little. */
function notTested(view: JudgedRun, best: NonNullable<RunView['best']>): Judged {
  const gain = testGain(view)
  const untested = (why: string): Judged => ({
    answer: 'cannot-tell',
    sentence: `${answerWords['cannot-tell']}: ${why}`,
    evidence: 'none',
    ships: 'trained',
  })
  if (gain !== undefined)
    return untested(
      `${gainText({ mean: gain, low: -1, high: 1 })} on the test split, of which the log has no scores of single tasks.`,
    )
  const before = view.baseline?.score
  const rise = before === undefined ? '' : ` rose from ${points(before)} to ${points(best.score)}`
  const needed = tasksToDetectGain(Math.max(smallestGainOf(view), best.score - (before ?? best.score)))
  return untested(
    `not tested on unseen tasks. Validation, which chose the skill,${rise === '' ? ` is at ${points(best.score)}` : rise}. About ${count(roughly(needed))} test tasks would tell such a gain.`,
  )
}

/** Advice for the verdict. A skill is recommended for use only if it is better. */
function nextStep(view: JudgedRun, { answer, evidence, ships }: Judged): string {
  const { run } = view
  if (answer === 'better') return `To use it: skillopt install ${run}`
  if (answer === 'worse') return `Do not install it: keep the seed skill. What broke: skillopt show ${run}`
  if (ships === 'seed') return seedStep(view, run)
  if (answer === 'no-change')
    return `The seed skill does as well and is known. What was tried: skillopt show ${run}`
  return evidence === 'none'
    ? 'Next: set tasks aside as a test split, then compare: skillopt eval PROJECT SEED.md BEST.md --split test'
    : 'Next: add test tasks, or attempts at each, and compare again: skillopt eval PROJECT SEED.md BEST.md --split test --samples 3'
}

function seedStep(view: JudgedRun, run: string): string {
  const { finalTest, trialEdits, loop } = view
  const score = seedScore(view)
  if (score === 0) return 'Next: the seed skill solves no task. Check the scorer and the tasks: skillopt try'
  if (score === 1) return 'Next: the seed skill already solves every task. Train on harder ones.'
  if (finalTest?.verdict.decision === 'underpowered') return 'Next: add validation tasks, and train again.'
  const none = loop === 'trials' && trialEdits.length === 0
  return none
    ? `Next: nothing was proposed. See what failed: skillopt show ${run}`
    : `Next: see why each edit was rejected: skillopt show ${run}`
}

function seedScore({ baseline, finalTest, tests }: JudgedRun): number | undefined {
  if (baseline !== undefined && baseline.scored > 0) return baseline.score
  const tested = tests.find(({ which, scored }) => which === 'initial' && scored > 0)
  return tested?.score ?? finalTest?.current
}

function smallestGainOf({ config }: Pick<RunView, 'config'>): number {
  const value = valueAt(config, ['evaluation', 'smallestGain'])
  return typeof value === 'number' ? value : usualSmallestGain
}
