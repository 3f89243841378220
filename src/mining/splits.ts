import { InputError } from '../core/errors.js'
import { seededShuffle } from '../core/random.js'

type Split = 'train' | 'val' | 'test'

/** What of a task decides where it may go. */
export interface SplitTask {
  readonly id: string
  readonly cluster: string
  readonly sessions: readonly string[]
  /** Only what was really asked may measure; what was made of it, or comes from an archive, may only teach. */
  readonly origin: 'real' | 'dream' | 'recalled'
  /** The task that it was made of. */
  readonly derivedFrom?: string
}

export interface SplitFractions {
  readonly val: number
  readonly test: number
}

export interface DividedTasks<Task> {
  readonly train: readonly Task[]
  readonly val: readonly Task[]
  readonly test: readonly Task[]
  /** Made of, or nearly the same as, what is in val or test: in train they would give it away. */
  readonly leftOut: readonly Task[]
}

/**
 * Whole groups go to a split: tasks that share a cluster or a session, directly or over others, are one group. The largest
 * group teaches. Val comes as near to its fraction as the groups allow, then test out of the rest; with a fraction above
 * zero, val has a group as soon as there are two, and test as soon as there are three. What was once drawn for test is
 * never moved to fill another split.
 */
export function divideTasks<Task extends SplitTask>(
  tasks: readonly Task[],
  fractions: SplitFractions,
  seed: number,
): DividedTasks<Task> {
  checkFractions(fractions)
  const real = tasks.filter(({ origin }) => origin === 'real')
  // Sorted, so that the order of the tasks decides nothing; shuffled, so that not the same ones are always first.
  const drawn = seededShuffle(sortedGroups(real), seed)
  const [largest, ...others] = drawn.toSorted((left, right) => right.length - left.length)
  const split = { train: largest ?? [], ...heldOut(others, real.length, fractions) }
  const placed = new Map<string, Split>()
  const heldOutKeys = new Set<string>()
  for (const task of split.train) placed.set(task.id, 'train')
  for (const name of ['val', 'test'] as const) {
    for (const task of split[name]) {
      placed.set(task.id, name)
      for (const key of keysOf(task)) heldOutKeys.add(key)
    }
  }
  const givesAway = (task: Task) => task.origin !== 'real' && keysOf(task).some(key => heldOutKeys.has(key))
  const of = (name: Split) =>
    tasks.filter(task => task.origin === 'real' && (placed.get(task.id) ?? 'train') === name)
  const made = tasks.filter(task => task.origin !== 'real' && !givesAway(task))
  return {
    train: [...of('train'), ...made],
    val: of('val'),
    test: of('test'),
    leftOut: tasks.filter(givesAway),
  }
}

function heldOut<Task>(
  groups: readonly (readonly Task[])[],
  total: number,
  { val, test }: SplitFractions,
): { readonly val: readonly Task[]; readonly test: readonly Task[] } {
  // The smallest is kept for test, so that val cannot take all that there is.
  const kept = test > 0 && groups.length > 1 ? groups.slice(-1) : []
  const forVal = val > 0 ? nearestSum(groups.slice(0, groups.length - kept.length), val * total) : []
  const taken = new Set(forVal)
  const rest = groups.filter(group => !taken.has(group))
  const forTest = test > 0 ? nearestSum(rest, test * total) : []
  return { val: forVal.flat(), test: forTest.flat() }
}

/** The groups, at least one if there is any, whose sizes together come nearest to the target. */
function nearestSum<Task>(
  groups: readonly (readonly Task[])[],
  target: number,
): readonly (readonly Task[])[] {
  const largest = Math.max(0, ...groups.map(group => group.length))
  const limit = Math.ceil(target) + largest
  // Sum -> the last group that was needed for it; what the groups before that add up to is in the table too.
  const lastGroup = new Int32Array(limit + 1).fill(-1)
  for (const [index, { length }] of groups.entries()) {
    for (let sum = limit; sum >= length; sum -= 1) {
      const before = sum - length
      const isReached = before === 0 || lastGroup[before] !== -1
      if (isReached && lastGroup[sum] === -1) lastGroup[sum] = index
    }
  }
  let best = 0
  for (let sum = 1; sum <= limit; sum += 1) {
    const isNearer = best === 0 || Math.abs(sum - target) < Math.abs(best - target)
    if (lastGroup[sum] !== -1 && isNearer) best = sum
  }
  const chosen: (readonly Task[])[] = []
  for (let sum = best; sum > 0; ) {
    const group = groups[lastGroup[sum] ?? 0] ?? []
    chosen.push(group)
    sum -= group.length
  }
  return chosen
}

const keysOf = ({ id, cluster, sessions, derivedFrom }: SplitTask): readonly string[] => [
  `task ${id}`,
  ...(derivedFrom === undefined ? [] : [`task ${derivedFrom}`]),
  `cluster ${cluster}`,
  ...sessions.map(session => `session ${session}`),
]

/** Tasks that share a key, directly or over others. */
function sortedGroups<Task extends SplitTask>(tasks: readonly Task[]): readonly (readonly Task[])[] {
  const parents = new Map<string, string>()
  const rootOf = (key: string): string => {
    let root = key
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent
    // Whoever asks next is there at once.
    for (let at = key; at !== root; ) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  for (const task of tasks) {
    const [first = '', ...others] = keysOf(task)
    for (const other of others) {
      const [root, joined] = [rootOf(first), rootOf(other)]
      if (root !== joined) parents.set(joined, root)
    }
  }
  const groups = new Map<string, Task[]>()
  for (const task of tasks.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    const root = rootOf(`task ${task.id}`)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [task])
    else group.push(task)
  }
  return [...groups.values()]
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
