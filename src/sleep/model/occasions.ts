import type { SleepTask, TaskExample } from './sleep-task.js'

/** The occasions of a task are its examples, each in one split. */

export const occasionSplits = ['train', 'val', 'test'] as const
export type OccasionSplit = (typeof occasionSplits)[number]

/** Returns the split of an example; undefined if it is in none. */
export function splitOfOccasion(
  { split }: Pick<SleepTask, 'split'>,
  example: Pick<TaskExample, 'split'>,
): OccasionSplit | undefined {
  if (split === 'held-back') return undefined
  return split === 'divided' ? example.split : split
}

/** Returns the id that all parts of a divided task share; for other tasks, their own id. */
export const intentOf = ({ id, partOf }: Pick<SleepTask, 'id' | 'partOf'>): string => partOf ?? id

/** Maximum length of a task id. */
const longestId = 80

/** Replaces a divided task by one task for each split that has occasions; other tasks stay as they are. */
export function partsOf(task: SleepTask): readonly SleepTask[] {
  if (task.split !== 'divided') return [task]
  return occasionSplits.flatMap(split => {
    const examples = task.examples.filter(example => example.split === split)
    if (examples.length === 0) return []
    const ending = split === 'train' ? '' : `-${split}`
    const id = `${task.id.slice(0, longestId - ending.length)}${ending}`
    return [{ ...task, id, partOf: task.id, split, examples }]
  })
}

interface Placed extends Pick<SleepTask, 'split'> {
  readonly examples: readonly Pick<TaskExample, 'split'>[]
}

/** Counts the occasions in each split. A task without examples counts as one occasion. */
export function occasionCounts(tasks: readonly Placed[]): Readonly<Record<OccasionSplit, number>> {
  const counts = { train: 0, val: 0, test: 0 }
  for (const task of tasks) {
    const occasions: readonly Pick<TaskExample, 'split'>[] = task.examples.length === 0 ? [{}] : task.examples
    for (const occasion of occasions) {
      const split = splitOfOccasion(task, occasion)
      if (split !== undefined) counts[split] += 1
    }
  }
  return counts
}

/** Minimum number of validation occasions. With fewer, a night cannot show that a rule helps. */
const fewestToJudge = 2

/** Explains in a sentence why a night could not learn from these tasks; undefined if it could. */
export function tooFewOccasions(tasks: readonly Placed[]): string | undefined {
  const { val } = occasionCounts(tasks)
  if (val >= fewestToJudge) return undefined
  return `Too few occasions: ${val} to judge by, and a night needs ${fewestToJudge}. Each request that recurs on two more occasions adds one.`
}
