import { InputError } from '../core/errors/errors.js'
import { type SplitCounts, seededShuffle, splitCounts } from '../core/statistics/random.js'
import type { Split } from '../core/task/task.js'
import { labelsOf } from './scorer.js'
import { findSimilar } from './similar.js'
import { canonical, type PreparedTask } from './task.js'

export interface Division {
  readonly train: readonly PreparedTask[]
  readonly val: readonly PreparedTask[]
  readonly test: readonly PreparedTask[]
  /** Tasks beyond the requested counts. */
  readonly unused: readonly PreparedTask[]
}

type Part = Split | 'unused'

const parts: readonly Part[] = ['train', 'val', 'test', 'unused']

/**
 * Divides tasks so that each type has its share in every split. If there are only a few distinct answers, so
 * has each answer. Near-duplicates stay together, because a held-out task that resembles a train task would
 * measure memorisation. The same seed gives the same division.
 */
export function divideTasks(tasks: readonly PreparedTask[], wanted: SplitCounts, seed: number): Division {
  const targets: Record<Part, number> = {
    ...wanted,
    unused: tasks.length - wanted.train - wanted.val - wanted.test,
  }
  const filled: Record<Part, number> = { train: 0, val: 0, test: 0, unused: 0 }
  const partOf = new Map<PreparedTask, Part>()
  let placed = 0
  // Groups are placed kind by kind, each into the split furthest below its share, so that every split gets a
  // similar mix.
  for (const group of inOrderOfKind(tasks, groupsOf(tasks), seed)) {
    placed += group.length
    const lag = (part: Part) => (targets[part] * placed) / tasks.length - filled[part]
    const withRoom = parts.filter(part => filled[part] + group.length <= targets[part])
    const candidates = withRoom.length > 0 ? withRoom : parts.filter(part => filled[part] < targets[part])
    const part = candidates.reduce((best, next) => (lag(next) > lag(best) ? next : best))
    filled[part] += group.length
    for (const task of group) partOf.set(task, part)
  }
  const inPart = (part: Part) => tasks.filter(task => partOf.get(task) === part)
  const division = {
    train: inPart('train'),
    val: inPart('val'),
    test: inPart('test'),
    unused: inPart('unused'),
  }
  refuseEmpty(division)
  return division
}

/**
 * Computes the split counts from a ratio such as `2:1:7`, or parses the given counts. Throws if a split would
 * be empty.
 */
export function wantedCounts(
  total: number,
  { ratio, counts }: { readonly ratio: string; readonly counts?: string | undefined },
): SplitCounts {
  const wanted = counts === undefined ? splitCounts(total, ratio) : parseCounts(counts)
  const sum = wanted.train + wanted.val + wanted.test
  if (sum > total) {
    throw new InputError(`${counts} needs ${sum} tasks, but there are ${total}.`, {
      hint: 'Ask for fewer, or give a ratio such as --ratio 2:1:7.',
    })
  }
  const empty = Object.entries(wanted).find(([, number]) => number === 0)?.[0]
  if (empty !== undefined) {
    throw new InputError(`Splitting ${total} tasks ${counts ?? ratio} leaves none for "${empty}".`, {
      hint: 'Every split needs at least one task: add tasks or change the ratio.',
    })
  }
  return wanted
}

/**
 * Throws if a split is empty. The requested counts are never zero, but groups that must stay together can
 * still leave a split empty.
 */
function refuseEmpty({ unused: _, ...splits }: Division): void {
  const empty = Object.entries(splits).find(([, tasks]) => tasks.length === 0)?.[0]
  if (empty === undefined) return
  throw new InputError(`Too many near-duplicates: no tasks are left for "${empty}".`, {
    hint: '`skillopt tasks check` lists them; `skillopt tasks dedupe --near` removes them.',
  })
}

function parseCounts(counts: string): SplitCounts {
  const numbers = counts.split(':').map(part => (/^\d+$/.test(part.trim()) ? Number(part) : Number.NaN))
  const [train = 0, val = 0, test = 0] = numbers
  if (numbers.length !== 3 || numbers.some(Number.isNaN)) {
    throw new InputError(`Invalid --counts "${counts}".`, {
      hint: 'Expected three whole numbers for train, validation and test, such as 100:50:100.',
    })
  }
  return { train, val, test }
}

function groupsOf(tasks: readonly PreparedTask[]): PreparedTask[][] {
  const { groups } = findSimilar(tasks)
  const grouped = new Set(groups.flat())
  const together = groups.map(group => group.flatMap(place => tasks[place] ?? []))
  return [...together, ...tasks.filter((_, place) => !grouped.has(place)).map(task => [task])]
}

/** Orders groups by type and, if there are only a few distinct answers, also by answer. */
function inOrderOfKind(
  tasks: readonly PreparedTask[],
  groups: readonly PreparedTask[][],
  seed: number,
): PreparedTask[][] {
  const hasLabels = labelsOf(tasks) !== undefined
  const kindOf = ([first]: readonly PreparedTask[]) =>
    JSON.stringify([first?.type ?? '', hasLabels ? canonical(first?.answer ?? '') : ''])
  // The sort is stable, so groups of the same kind and size keep their shuffled order. Large groups come
  // first, while there is room.
  return seededShuffle(groups, seed).sort(
    (left, right) => compareText(kindOf(left), kindOf(right)) || right.length - left.length,
  )
}

const compareText = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)
