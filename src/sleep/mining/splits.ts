import { InputError } from '../../core/errors/errors.js'
import { seededShuffle } from '../../core/statistics/random.js'
import type { TaskSplit } from '../model/sleep-task.js'

/** Assigns recurring tasks to splits so that training tasks do not leak held-out ones. */

export interface SplitFractions {
  readonly val: number
  readonly test: number
}

export interface FamilyMember {
  readonly id: string
  /** The split assigned on an earlier night. */
  readonly split?: TaskSplit | undefined
}

type Placed = Exclude<TaskSplit, 'held-back'>
const placedSplits: readonly Placed[] = ['train', 'val', 'test']

/**
 * A family (tasks that may share one intent) is in one split and stays in it. New families go to the split
 * that is furthest below its share; with a fraction above zero, val gets a family as soon as there are two,
 * and test as soon as there are three. A new task that is related to two splits is held back, because in
 * either it would leak the other.
 */
export function placeFamilies(
  families: readonly (readonly FamilyMember[])[],
  fractions: SplitFractions,
  seed: number,
): ReadonlyMap<string, TaskSplit> {
  checkFractions(fractions)
  const shares: Record<Placed, number> = {
    train: 1 - fractions.val - fractions.test,
    val: fractions.val,
    test: fractions.test,
  }
  const members = families.flat().length
  const sizes: Record<Placed, number> = { train: 0, val: 0, test: 0 }
  const splitOf = new Map<readonly FamilyMember[], TaskSplit>()
  const put = (family: readonly FamilyMember[], split: Placed) => {
    splitOf.set(family, split)
    sizes[split] += family.length
  }
  for (const family of families) {
    const [split, another] = new Set(family.map(placeOf).filter(place => place !== undefined))
    if (split !== undefined && another === undefined) put(family, split)
    else if (another !== undefined) splitOf.set(family, 'held-back')
  }
  const drawn = drawingOrder(
    families.filter(family => !splitOf.has(family)),
    seed,
  )
  for (const [index, family] of drawn.entries()) {
    const missing = (split: Placed) => shares[split] * members - sizes[split]
    // The last families are reserved for splits that would stay empty.
    const empty = (['val', 'test'] as const).filter(split => shares[split] > 0 && sizes[split] === 0)
    const isNeeded = sizes.train > 0 && drawn.length - index <= empty.length
    const open = isNeeded ? empty : placedSplits.filter(split => shares[split] > 0)
    const [first = 'train', ...others] = open
    put(
      family,
      others.reduce<Placed>((best, split) => (missing(split) > missing(best) ? split : best), first),
    )
  }
  const places = [...splitOf].flatMap(([family, split]) =>
    family.map(member => [member.id, placeOf(member) ?? split] as const),
  )
  return new Map(places)
}

function placeOf({ split }: FamilyMember): Placed | undefined {
  return split === 'held-back' ? undefined : split
}

/**
 * Sorted, so that the input order has no effect; shuffled, so that the order is not always the same; large
 * families first.
 */
function drawingOrder(
  families: readonly (readonly FamilyMember[])[],
  seed: number,
): readonly (readonly FamilyMember[])[] {
  const nameOf = (family: readonly FamilyMember[]) => family.map(({ id }) => id).sort()[0] ?? ''
  const sorted = families.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
  return seededShuffle(sorted, seed).toSorted((left, right) => right.length - left.length)
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

/** A request and its session. */
interface Asked {
  readonly session: string
  readonly text: string
}

export interface ExampleSearch<Candidate extends Asked> {
  readonly id: string
  readonly split: TaskSplit
  /** Examples from earlier nights, which are kept. */
  readonly taken: readonly Asked[]
  /** Best first. */
  readonly candidates: readonly Candidate[]
}

/**
 * Chooses the example requests of each task, from sessions that no other split uses, because requests in one
 * session are related. Tasks take turns, those with the fewest sessions first, so that no task takes all
 * sessions.
 */
export function chooseExamples<Candidate extends Asked>(
  searches: readonly ExampleSearch<Candidate>[],
  most: number,
): ReadonlyMap<string, readonly Candidate[]> {
  const user = new Map<string, TaskSplit>()
  for (const { split, taken } of searches) for (const { session } of taken) user.set(session, split)
  const sessionsOf = ({ candidates }: ExampleSearch<Candidate>) =>
    new Set(candidates.map(({ session }) => session)).size
  const open = searches
    .filter(({ split }) => split !== 'held-back')
    .toSorted((left, right) => sessionsOf(left) - sessionsOf(right) || (left.id < right.id ? -1 : 1))
  const chosen = new Map<string, Candidate[]>(searches.map(({ id }) => [id, []]))
  for (let round = 0; round < most; round += 1) {
    for (const { id, split, taken, candidates } of open) {
      const examples = chosen.get(id) ?? []
      const known: readonly Asked[] = [...taken, ...examples]
      if (known.length >= most) continue
      const isNew = ({ session, text }: Asked) =>
        known.every(other => other.session !== session && wordsOf(other.text) !== wordsOf(text))
      const found = candidates.find(
        candidate => isNew(candidate) && (user.get(candidate.session) ?? split) === split,
      )
      if (found === undefined) continue
      user.set(found.session, split)
      examples.push(found)
    }
  }
  return chosen
}

const wordsOf = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

export interface MadeTask {
  readonly id: string
  readonly family: string
  /** The source task. */
  readonly derivedFrom?: string | undefined
  readonly sessions: readonly string[]
}

export interface RealTask extends MadeTask {
  readonly split: TaskSplit
}

/**
 * Derived and archived tasks may be used for training, never for measuring. If they are related to a
 * held-out task, they are not used for training either.
 */
export function placeMade<Made extends MadeTask>(
  made: readonly Made[],
  real: readonly RealTask[],
): { readonly train: readonly Made[]; readonly leftOut: readonly Made[] } {
  const heldOut = real.filter(({ split }) => split !== 'train')
  const keys = new Set(heldOut.flatMap(keysOf))
  const givesAway = (task: Made) => keysOf(task).some(key => keys.has(key))
  return { train: made.filter(task => !givesAway(task)), leftOut: made.filter(givesAway) }
}

function keysOf({ id, family, derivedFrom, sessions }: MadeTask): readonly string[] {
  return [
    `task ${id}`,
    ...(derivedFrom === undefined ? [] : [`task ${derivedFrom}`]),
    `family ${family}`,
    ...sessions.map(session => `session ${session}`),
  ]
}
