import type { SleepTask, TaskSplit } from './sleep-task.js'

export interface SplitProblem {
  readonly task: SleepTask
  readonly key: keyof SleepTask
  readonly text: string
}

/**
 * Finds leaks between splits: a session or a family in two splits, or a task derived from a held-out task.
 * Held-back tasks are in no split.
 */
export function splitProblems(tasks: readonly SleepTask[]): readonly SplitProblem[] {
  const placed = tasks.filter(({ split }) => split !== 'held-back')
  return [
    ...straddling(placed, 'family', ({ family }) => [family]),
    ...straddling(placed, 'examples', ({ examples }) => examples.map(({ session }) => session)),
    ...placed.flatMap(task => originProblem(task, placed)),
  ]
}

function straddling(
  tasks: readonly SleepTask[],
  key: 'family' | 'examples',
  namesOf: (task: SleepTask) => readonly string[],
): SplitProblem[] {
  const first = new Map<string, { readonly id: string; readonly split: TaskSplit }>()
  const what = key === 'family' ? 'family' : 'session'
  return tasks.flatMap(task =>
    [...new Set(namesOf(task))].flatMap(name => {
      const seen = first.get(name)
      if (seen === undefined) first.set(name, task)
      if (seen === undefined || seen.split === task.split) return []
      const text = `its ${what} "${name}" is in ${task.split}, and with task "${seen.id}" in ${seen.split}`
      return [{ task, key, text }]
    }),
  )
}

function originProblem(task: SleepTask, tasks: readonly SleepTask[]): SplitProblem[] {
  const { origin, split, derivedFrom } = task
  if (origin !== 'real' && split !== 'train')
    return [{ task, key: 'split', text: `it is ${origin}, and in ${split}: only what was asked may measure` }]
  const made = tasks.find(({ id }) => id === derivedFrom)
  if (made === undefined || made.split === split) return []
  return [
    {
      task,
      key: 'derivedFrom',
      text: `it was made of task "${made.id}", which is in ${made.split}, and is in ${split}`,
    },
  ]
}
