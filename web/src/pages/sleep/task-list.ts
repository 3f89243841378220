import type { SleepTaskLine } from '../../../../src/dashboard/contract/sleep.js'
import type { TaskSplit } from '../../../../src/sleep/model/sleep-task.js'
import { type Sort, sorted } from '../../parts/table.js'
import { splits } from './words.js'

/** Groups of tasks; dropped ones are shown only on request. */
type TaskGroup = 'all' | 'dropped' | TaskSplit
export const taskGroups: readonly TaskGroup[] = ['all', ...splits, 'dropped']

export function groupFrom(text: string | null): TaskGroup {
  return taskGroups.find(group => group === text) ?? 'all'
}

export function inGroup(tasks: readonly SleepTaskLine[], group: TaskGroup): readonly SleepTaskLine[] {
  return tasks.filter(({ split, droppedAt }) =>
    group === 'dropped'
      ? droppedAt !== undefined
      : droppedAt === undefined && (group === 'all' || split === group),
  )
}

const values = new Map<string, (task: SleepTaskLine) => string | number | undefined>([
  ['task', ({ intent }) => intent],
  ['occasions', ({ occasions }) => occasions],
  ['days', ({ days }) => days],
  ['sessions', ({ sessions }) => sessions],
  ['reworked', ({ reworked }) => reworked],
  ['last', ({ lastAt }) => lastAt],
])

/** Tasks with every search word in their intent or id. By default, the most frequent tasks come first. */
export function tasksShown(
  tasks: readonly SleepTaskLine[],
  {
    group,
    words,
    sort,
  }: { readonly group: TaskGroup; readonly words: string; readonly sort: Sort | undefined },
): readonly SleepTaskLine[] {
  const wanted = words.toLowerCase().split(/\s+/)
  const found = inGroup(tasks, group).filter(({ id, intent }) => {
    const text = `${id} ${intent}`.toLowerCase()
    return wanted.every(word => text.includes(word))
  })
  const value = sort === undefined ? undefined : values.get(sort.key)
  return value === undefined || sort === undefined
    ? sorted(found, ({ score }) => score, true)
    : sorted(found, value, sort.descending)
}
