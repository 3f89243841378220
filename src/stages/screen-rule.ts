import { chanceText, plural } from '../core/format.js'
import { distributionOfPasses } from '../core/noise-model.js'
import { half, type ScreenTask } from './screen-plan.js'

/** A task after the candidate was run on it; without a score if the world failed the attempt. */
export interface Screened extends ScreenTask {
  readonly after?: number | undefined
}

/** How many tasks of the batch the current skill fails and solves: those that are run stand for all of them. */
export interface Batch {
  readonly failed: number
  readonly solved: number
}

export interface ScreenFinding {
  /** Train tasks on which the candidate does better, and those that it breaks. */
  readonly gained: number
  readonly lost: number
  /** Present once there is nothing more to find out. */
  readonly verdict?: 'killed' | 'passed'
  readonly reason: string
}

/** What a good candidate repairs, at the least, of the failed tasks that its edits rest on. */
const goodRepairs = 1 / 3
/** How often one that repairs just so many may be taken for one that repairs nothing, over all rounds together. */
const mistakenForIdle = 0.01
/** How often one that changes nothing may be taken for a harmful one. It would be no loss. */
const mistakenForHarmful = 0.05
/** Scored attempts without which nobody is killed. */
const fewest = 6
const roundingNoise = 1e-9

/**
 * Whether what was seen makes the candidate a clear loser. Two questions, each of which can kill and none of which can
 * accept. Their limits are divided by the number of rounds, because every round is another look.
 *
 * - Does it repair so little as a candidate that repairs a third of the failed tasks that its edits rest on hardly ever
 *   does? Whatever else it repairs, and failures that pass again by luck, are in its favour.
 * - Does it do more harm than a change that does nothing? Such a one breaks as many tasks of the whole batch as it
 *   repairs, since the two attempts at a task could as well change places; so it is known what share of the changed
 *   tasks would be broken ones. And on validation it solves as much as the skills so far lead one to expect. Tasks on
 *   which skills differ may all hang on one rule, so validation alone kills nobody: the train tasks, which are a fair
 *   sample, must point to harm too.
 */
export function screenFinding(
  seen: readonly Screened[],
  rest: readonly ScreenTask[],
  batch: Batch,
  rounds: number,
): ScreenFinding {
  const scored = seen.filter(isScored)
  const train = scored.filter(({ split }) => split === 'train')
  const figures = { gained: train.filter(isBetter).length, lost: train.filter(isBroken).length }
  if (scored.length < fewest || 2 * scored.length < seen.length) {
    if (rest.length > 0) return { ...figures, reason: '' }
    const reason = `Too little to tell: ${scored.length} of ${plural(seen.length, 'attempt')} were scored.`
    return { ...figures, verdict: 'passed', reason }
  }
  const repairs = repairsOf(train, figures.gained)
  if (repairs.chance <= mistakenForIdle / rounds)
    return { ...figures, verdict: 'killed', reason: repairs.reason }
  const harm = harmOf(scored, figures, batch)
  if (harm.onTrain <= half + roundingNoise && harm.chance <= mistakenForHarmful / rounds)
    return { ...figures, verdict: 'killed', reason: harm.reason }

  const evidence = [...train, ...rest].filter(isEvidence).length
  const mayBeIdle =
    figures.gained === 0 && atMost(0, alike(evidence, goodRepairs)) <= mistakenForIdle / rounds
  if (rest.length > 0 && (harm.chance < half || mayBeIdle)) return { ...figures, reason: '' }
  return { ...figures, verdict: 'passed', reason: `Not a clear loser: ${harm.counts}.` }
}

type Scored = Screened & { readonly after: number }

const isScored = (task: Screened): task is Scored => task.after !== undefined
const isBetter = ({ before, after }: Scored) => after > before + roundingNoise
/** Where scores are fractions, a small loss is no damage; a small gain is held in its favour. */
const isBroken = ({ before, after }: Scored) => after <= before - half
const isEvidence = ({ split, before, restsOn }: ScreenTask) => split === 'train' && restsOn && before < half

/** The chance that a good candidate gains so little. */
function repairsOf(
  train: readonly Scored[],
  gained: number,
): { readonly chance: number; readonly reason: string } {
  const tried = train.filter(isEvidence).length
  const chance = atMost(gained, alike(tried, goodRepairs))
  const reason = `It is idle: ${plural(gained, 'task')} repaired, after a run on ${tried} failed ones that its edits rest on. One that repairs a third of these comes out like this in ${chanceText(chance)} of cases.`
  return { chance, reason }
}

/** The chance that a change that does nothing does so much harm. */
function harmOf(
  scored: readonly Scored[],
  { gained, lost }: Pick<ScreenFinding, 'gained' | 'lost'>,
  batch: Batch,
): { readonly chance: number; readonly onTrain: number; readonly reason: string; readonly counts: string } {
  const train = scored.filter(({ split }) => split === 'train')
  const validation = scored.filter(({ split }) => split === 'val')
  const solved = validation.reduce((sum, { after }) => sum + after, 0)
  const failed = Math.floor(validation.length - solved + roundingNoise)
  const changed = alike(gained + lost, brokenByLuck(train, batch))
  const onTrain = atLeast(lost, changed)
  const chance = atLeast(lost + failed, [...changed, ...validation.map(({ before }) => 1 - before)])
  const usual = validation.reduce((sum, { before }) => sum + before, 0)
  const counts = [
    `${gained} gained and ${lost} lost of ${plural(train.length, 'train task')}`,
    ...(validation.length === 0
      ? []
      : [
          `${rounded(solved)} solved of ${plural(validation.length, 'validation task')} on which the skills so far differ, ${rounded(usual)} expected`,
        ]),
  ].join('; ')
  const reason = `It does harm: ${counts}. A change that does nothing comes out like this in ${chanceText(chance)} of cases.`
  return { chance, onTrain, reason, counts }
}

/** What share of the changed tasks are broken ones if only luck changed them. */
function brokenByLuck(train: readonly Scored[], batch: Batch): number {
  const failed = train.filter(({ before }) => before < half).length
  // One more of each: a batch without failures does not prove that nothing ever fails.
  const part = {
    failed: (failed + 1) / (batch.failed + 1),
    solved: (train.length - failed + 1) / (batch.solved + 1),
  }
  return part.solved / (part.failed + part.solved)
}

const alike = (count: number, chance: number) => new Array<number>(count).fill(chance)

/** The chance that no more than `count` of these independent chances come true. */
function atMost(count: number, chances: readonly number[]): number {
  return distributionOfPasses(chances)
    .slice(0, count + 1)
    .reduce((sum, chance) => sum + chance, 0)
}

const atLeast = (count: number, chances: readonly number[]) => 1 - atMost(count - 1, chances)

const rounded = (value: number): string => String(Math.round(value * 10) / 10)
