import { seededShuffle } from '../../core/statistics/random.js'
import { type OccasionSplit, partsOf } from '../model/occasions.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'
import type { Embedder } from './embedded.js'
import { leastAlike, likeness, related } from './families.js'
import { isHeldOut, textsOf } from './held-out.js'
import { placeMade } from './splits.js'

export interface TonightOptions {
  /** Maximum number of train tasks. */
  readonly nightTasks: number
  /** Maximum number of older tasks to recall in addition. */
  readonly recall: number
  /** Breaks ties between tasks that are equally recent. */
  readonly seed: number
  /** If set, only tasks that use this skill. */
  readonly skill?: string | undefined
  readonly embedder?: Embedder | undefined
}

/** The tasks of a night. */
export interface Tonight {
  /** Sorted by last request, newest first. */
  readonly train: readonly SleepTask[]
  /** All validation tasks, the same set every night, so that the gates of different nights are comparable. */
  readonly val: readonly SleepTask[]
  readonly test: readonly SleepTask[]
  /** Older train tasks that are similar to tonight's, most similar first. */
  readonly recalled: readonly SleepTask[]
  /**
   * Tasks that have a split but nothing to score them by. They are used neither for training nor for
   * measuring.
   */
  readonly unscored: readonly SleepTask[]
}

/**
 * Chooses the tasks on which a night trains and is measured. A divided task is one task per split. Held-back
 * tasks are excluded.
 */
export async function chooseTonight(given: readonly SleepTask[], options: TonightOptions): Promise<Tonight> {
  const { nightTasks, skill } = options
  const tasks = given.flatMap(partsOf)
  const placed = tasks.filter(
    task => task.split !== 'held-back' && (skill === undefined || task.skill === skill),
  )
  const inSplit = (split: OccasionSplit) => placed.filter(task => task.split === split && isScored(task))
  const newest = newestFirst(inSplit('train'), options.seed)
  const train = newest.slice(0, nightTasks)
  return {
    train,
    val: inSplit('val'),
    test: inSplit('test'),
    recalled: await recalledFor(train, newest.slice(nightTasks), tasks.filter(isHeldOut), options),
    unscored: placed.filter(task => !isScored(task)),
  }
}

const isScored = (task: SleepTask): boolean => scoredBy(task) !== 'nothing'

/**
 * Sorts by the day of the last request. Within a day, reworked tasks come first, since there is more to learn
 * from them.
 */
function newestFirst(tasks: readonly SleepTask[], seed: number): readonly SleepTask[] {
  const sorted = tasks.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return seededShuffle(sorted, seed).toSorted(
    (one, other) =>
      dayOf(other) - dayOf(one) ||
      Number(other.evidence.reworked > 0) - Number(one.evidence.reworked > 0) ||
      lastAsked(other) - lastAsked(one),
  )
}

const dayMs = 86_400_000

const dayOf = (task: SleepTask): number => Math.floor(lastAsked(task) / dayMs)

/** Time of the last request. A task without a known time counts as the oldest. */
function lastAsked({ evidence: { lastAt } }: SleepTask): number {
  return lastAt === undefined ? 0 : Date.parse(lastAt)
}

/**
 * Chooses older train tasks that are similar to tonight's. They are checked like derived tasks: one that
 * would leak a held-out task is not recalled.
 */
async function recalledFor(
  tonight: readonly SleepTask[],
  older: readonly SleepTask[],
  heldOut: readonly SleepTask[],
  { recall, embedder }: TonightOptions,
): Promise<readonly SleepTask[]> {
  const candidates = older.filter(({ origin }) => origin === 'real')
  if (recall === 0 || tonight.length === 0 || candidates.length === 0) return []
  // Divided tasks are no reason to exclude a candidate: training on some of their occasions is meant to help
  // on the others.
  const apart = heldOut.filter(({ partOf }) => partOf === undefined)
  const alike = await likeness(
    [...tonight, ...candidates, ...apart].map(task => ({ id: task.id, texts: textsOf(task) })),
    embedder,
  )
  const most = (task: SleepTask, others: readonly SleepTask[]) =>
    Math.max(0, ...others.map(other => alike(task.id, other.id)))
  const { train } = placeMade(candidates.map(placedTask), heldOut.map(placedTask))
  const allowed = new Set(train.map(({ id }) => id))
  return candidates
    .filter(task => allowed.has(task.id) && most(task, apart) < related)
    .map(task => ({ task, likeness: most(task, tonight) }))
    .filter(({ likeness }) => likeness >= leastAlike)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, recall)
    .map(({ task }) => ({ ...task, origin: 'recalled' }))
}

function placedTask({ id, family, derivedFrom, partOf, split, examples }: SleepTask) {
  return { id, family, derivedFrom, partOf, split, sessions: examples.map(({ session }) => session) }
}
