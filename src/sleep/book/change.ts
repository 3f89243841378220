import { canonicalJson } from '../../core/text/hash.js'
import { splitProblems } from '../model/sleep-splits.js'
import type { SleepTask, TaskBook } from '../model/sleep-task.js'

/** A person's changes to a task. Undefined fields stay as they are; null removes the skill or the tools. */
export interface TaskChange {
  readonly intent?: string | undefined
  readonly rubric?: SleepTask['rubric'] | undefined
  readonly checks?: SleepTask['checks'] | undefined
  readonly tools?: SleepTask['tools'] | null
  readonly skill?: string | null | undefined
  readonly reviewed?: boolean | undefined
}

/** A person who changes the intent or the scoring of a task becomes its author. */
export function changeTask(task: SleepTask, change: TaskChange): SleepTask {
  const { skill: before, tools: given, ...rest } = task
  const {
    intent = task.intent,
    rubric = task.rubric,
    checks = task.checks,
    reviewed = task.reviewed,
  } = change
  const skill = change.skill === undefined ? before : (change.skill ?? undefined)
  const tools = change.tools === undefined ? given : (change.tools ?? undefined)
  const isRewritten = wordsOf({ intent, rubric, checks }) !== wordsOf(task)
  return {
    ...rest,
    intent,
    rubric,
    checks,
    reviewed,
    writtenBy: isRewritten ? 'person' : task.writtenBy,
    ...(tools === undefined ? {} : { tools }),
    ...(skill === undefined ? {} : { skill }),
  }
}

const wordsOf = ({ intent, rubric, checks }: Pick<SleepTask, 'intent' | 'rubric' | 'checks'>): string =>
  canonicalJson({ intent, rubric, checks })

export const isSameTask = (one: SleepTask, other: SleepTask): boolean =>
  canonicalJson(one) === canonicalJson(other)

/** Returns the same book if the task does not change. */
export function withTask(book: TaskBook, task: SleepTask): TaskBook {
  const before = book.tasks.find(({ id }) => id === task.id)
  if (before === undefined || isSameTask(before, task)) return book
  return { ...book, tasks: book.tasks.map(one => (one === before ? task : one)) }
}

/**
 * Removes tasks. They stay in a separate list of the book, so that the next harvest does not add them again.
 */
export function dropTasks(book: TaskBook, ids: ReadonlySet<string>, at: Date): TaskBook {
  if (ids.size === 0) return book
  const gone = book.tasks.filter(({ id }) => ids.has(id))
  return {
    ...book,
    tasks: book.tasks.filter(({ id }) => !ids.has(id)),
    dropped: [
      ...book.dropped,
      ...gone.map(task => ({
        id: task.id,
        intent: task.intent,
        at: at.toISOString(),
        requestIds: task.evidence.requestIds,
        task,
      })),
    ],
  }
}

export interface Restored {
  readonly book: TaskBook
  /**
   * Ids of restored tasks that are now held back, because in their split they would leak tasks added since.
   */
  readonly heldBack: readonly string[]
}

export function restoreTasks(book: TaskBook, ids: ReadonlySet<string>): Restored {
  const heldBack: string[] = []
  const tasks = [...book.tasks]
  for (const { id, task } of book.dropped) {
    if (!ids.has(id)) continue
    const fits = splitProblems([...tasks, task]).length === splitProblems(tasks).length
    if (!fits) heldBack.push(id)
    tasks.push(fits ? task : { ...task, split: 'held-back' })
  }
  return { book: { ...book, tasks, dropped: book.dropped.filter(({ id }) => !ids.has(id)) }, heldBack }
}
