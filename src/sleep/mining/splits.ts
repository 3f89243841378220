import { InputError } from '../../core/errors/errors.js'
import { seededShuffle } from '../../core/statistics/random.js'
import type { TaskSplit } from '../model/sleep-task.js'

/** Assigns recurring tasks to splits; `occasions.ts` divides the occasions of each. */

export interface SplitFractions {
  readonly val: number
  readonly test: number
}

export interface FamilyMember {
  readonly id: string
  /** The split assigned to the task on an earlier night. */
  readonly split?: TaskSplit | undefined
}

/** With fewer families than this, none is reserved for the test, because every one is needed for learning. */
const fewestFamilies = 5

/**
 * Assigns a split to each family. The occasions of most tasks are divided among the splits, so that a rule
 * learned on some occasions is measured on others of the same kind. A few families are reserved for the test,
 * which shows whether the skill transfers to other tasks. A new task that is related to both kinds is held
 * back, because it would leak test tasks into training. Assignments of earlier nights stay; tasks that were
 * wholly in train or val count as divided.
 */
export function placeFamilies(
  families: readonly (readonly FamilyMember[])[],
  fractions: SplitFractions,
  seed: number,
): ReadonlyMap<string, TaskSplit> {
  checkFractions(fractions)
  const splitOf = new Map<readonly FamilyMember[], TaskSplit>()
  for (const family of families) {
    const [split, another] = new Set(family.map(placeOf).filter(place => place !== undefined))
    if (split !== undefined) splitOf.set(family, another === undefined ? split : 'held-back')
  }
  const fresh = drawingOrder(
    families.filter(family => !splitOf.has(family)),
    seed,
  )
  const known = [...splitOf.values()].filter(split => split === 'test').length
  const missing = Math.max(0, familiesApart(families.length, fractions) - known)
  for (const [index, family] of fresh.entries()) splitOf.set(family, index < missing ? 'test' : 'divided')
  const places = [...splitOf].flatMap(([family, split]) =>
    family.map(member => [member.id, placeOf(member) ?? split] as const),
  )
  return new Map(places)
}

/**
 * Number of families reserved for the test. They get half of its share, because unseen occasions of the other
 * families are tested too.
 */
function familiesApart(families: number, { test }: SplitFractions): number {
  return test === 0 || families < fewestFamilies ? 0 : Math.max(1, Math.round((families * test) / 2))
}

function placeOf({ split }: FamilyMember): 'divided' | 'test' | undefined {
  if (split === undefined || split === 'held-back') return undefined
  return split === 'test' ? 'test' : 'divided'
}

/**
 * Order in which families are considered for the test split. Sorting makes the input order irrelevant, and
 * the seeded shuffle avoids alphabetical order. Small families come first, because large ones are more useful
 * for training.
 */
function drawingOrder(
  families: readonly (readonly FamilyMember[])[],
  seed: number,
): readonly (readonly FamilyMember[])[] {
  const nameOf = (family: readonly FamilyMember[]) => family.map(({ id }) => id).sort()[0] ?? ''
  const sorted = families.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  return seededShuffle(sorted, seed).toSorted((left, right) => left.length - right.length)
}

function checkFractions({ val, test }: SplitFractions): void {
  const isFraction = (value: number) => value >= 0 && value < 1
  if (isFraction(val) && isFraction(test) && val + test < 1) return
  throw new InputError(
    `Fractions of ${val} for val and ${test} for test leave nothing to train on, or are none.`,
    {
      hint: 'Give two numbers from 0 to below 1 that together are below 1, such as 0.34 and 0.2.',
    },
  )
}

export interface MadeTask {
  readonly id: string
  readonly family: string
  /** Id of the task that this one was made from. */
  readonly derivedFrom?: string | undefined
  readonly sessions: readonly string[]
}

export interface RealTask extends MadeTask {
  readonly split: TaskSplit
  readonly partOf?: string | undefined
}

/**
 * Derived and recalled tasks may be used for training, never for measuring. Tasks related to a held-out task
 * are left out of training as well. The occasions of a divided task belong to one family on purpose, so for
 * them only the held-out sessions are excluded from training.
 */
export function placeMade<Made extends MadeTask>(
  made: readonly Made[],
  real: readonly RealTask[],
): { readonly train: readonly Made[]; readonly leftOut: readonly Made[] } {
  const heldOut = real.filter(({ split }) => split !== 'train')
  const keys = new Set(
    heldOut.flatMap(task => (task.partOf === undefined ? keysOf(task) : sessionKeys(task))),
  )
  const givesAway = (task: Made) => keysOf(task).some(key => keys.has(key))
  return { train: made.filter(task => !givesAway(task)), leftOut: made.filter(givesAway) }
}

function keysOf(task: MadeTask): readonly string[] {
  const { id, family, derivedFrom } = task
  return [
    `task ${id}`,
    ...(derivedFrom === undefined ? [] : [`task ${derivedFrom}`]),
    `family ${family}`,
    ...sessionKeys(task),
  ]
}

const sessionKeys = ({ sessions }: MadeTask): readonly string[] =>
  sessions.map(session => `session ${session}`)
