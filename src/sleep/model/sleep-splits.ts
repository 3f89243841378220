import { splitOfOccasion } from './occasions.js'
import type { SleepTask } from './sleep-task.js'

export interface SplitProblem {
  readonly task: SleepTask
  readonly key: keyof SleepTask
  readonly text: string
}

/**
 * Finds leaks between splits. A leak is a session in two splits, a family of a test task that is also in
 * another split, or a task derived from a held-out one. Held-back tasks are in no split.
 */
export function splitProblems(tasks: readonly SleepTask[]): readonly SplitProblem[] {
  const placed = tasks.filter(({ split }) => split !== 'held-back')
  return [
    ...placed.flatMap(undividedOccasion),
    // The occasions of a divided task belong to one family on purpose, so they are no leak.
    ...straddling(placed, 'family', task => [{ name: task.family, split: wholeSplit(task) }]),
    ...straddling(placed, 'examples', task =>
      task.examples.map(example => ({
        name: example.session,
        split: splitOfOccasion(task, example) ?? 'held-back',
      })),
    ),
    ...placed.flatMap(task => originProblem(task, placed)),
  ]
}

const wholeSplit = ({ split, partOf }: SleepTask): string => (partOf === undefined ? split : 'divided')

function undividedOccasion(task: SleepTask): SplitProblem[] {
  if (task.split !== 'divided' || task.examples.every(({ split }) => split !== undefined)) return []
  return [{ task, key: 'examples', text: 'it is divided, and one of its examples has no split' }]
}

interface Placed {
  readonly name: string
  readonly split: string
}

function straddling(
  tasks: readonly SleepTask[],
  key: 'family' | 'examples',
  placesOf: (task: SleepTask) => readonly Placed[],
): SplitProblem[] {
  const first = new Map<string, { readonly id: string; readonly split: string }>()
  const what = key === 'family' ? 'family' : 'session'
  return tasks.flatMap(task =>
    placesOf(task).flatMap(({ name, split }) => {
      const seen = first.get(name)
      if (seen === undefined) first.set(name, { id: task.id, split })
      if (seen === undefined || seen.split === split) return []
      const text = `its ${what} "${name}" is in ${split}, and with task "${seen.id}" in ${seen.split}`
      return [{ task, key, text }]
    }),
  )
}

function originProblem(task: SleepTask, tasks: readonly SleepTask[]): SplitProblem[] {
  const { origin, split, derivedFrom } = task
  if (origin !== 'real' && split !== 'train')
    return [{ task, key: 'split', text: `it is ${origin}, and in ${split}: only what was asked may measure` }]
  const made = tasks.find(({ id }) => id === derivedFrom)
  if (made === undefined || made.split === split || made.split === 'divided') return []
  return [
    {
      task,
      key: 'derivedFrom',
      text: `it was made of task "${made.id}", which is in ${made.split}, and is in ${split}`,
    },
  ]
}
