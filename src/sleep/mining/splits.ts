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
  /** The split assigned on an earlier night. */
  readonly split?: TaskSplit | undefined
}

/** With fewer families, every one is needed for learning. */
const fewestFamilies = 5

/**
 * The occasions of most tasks are divided among the splits, so that a rule learned on some occasions is
 * measured on others of the same kind. A few families are kept apart for the test, which shows whether what
 * was learned transfers. A task that is related to both is held back, because it would leak one to the other.
 * A split assigned on an earlier night stays; tasks that were wholly in train or val count as divided.
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

/** Half of the test's share, since unseen occasions of the other families are tested too. */
function familiesApart(families: number, { test }: SplitFractions): number {
  return test === 0 || families < fewestFamilies ? 0 : Math.max(1, Math.round((families * test) / 2))
}

function placeOf({ split }: FamilyMember): 'divided' | 'test' | undefined {
  if (split === undefined || split === 'held-back') return undefined
  return split === 'test' ? 'test' : 'divided'
}

/**
 * Sorted, so that the input order has no effect; shuffled, so that the order is not always the same; small
 * families first, because large ones have more to learn from.
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
  /** The source task. */
  readonly derivedFrom?: string | undefined
  readonly sessions: readonly string[]
}

export interface RealTask extends MadeTask {
  readonly split: TaskSplit
  readonly partOf?: string | undefined
}

/**
 * Derived and archived tasks may be used for training, never for measuring. If they are related to a
 * held-out task, they are not used for training either. The occasions of a divided task share its family by
 * intention: only their sessions must not be trained on.
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
