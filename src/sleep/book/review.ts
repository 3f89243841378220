import { resolve } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { listed } from '../../core/text/format.js'
import { splitProblems } from '../model/sleep-splits.js'
import { type SleepTask, scoredBy, type TaskBook } from '../model/sleep-task.js'
import { changeTask, dropTasks, isSameTask } from './change.js'
import { readTasksFile } from './tasks-file.js'

/** Result of merging a reviewed file into a book. */
export interface TakenReview {
  readonly book: TaskBook
  /** Ids of tasks whose text or skill changed. */
  readonly changed: readonly string[]
  /** Ids of tasks that exist only in the file. */
  readonly added: readonly string[]
  /** Ids of tasks that were removed from the file. */
  readonly dropped: readonly string[]
  /** Ids of tasks that are missing from the file only because they were added after it was written. */
  readonly kept: readonly string[]
  /** Ids of tasks in the file that were dropped since it was written. */
  readonly stayDropped: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * Throws unless a person has reviewed the tasks. Called before tasks are sent to paid models or used for
 * results that people rely on.
 */
export function requireReviewed({ reviewed }: Pick<TaskBook, 'reviewed'>, shownAs: string): void {
  if (reviewed) return
  throw new InputError(`${shownAs} says "reviewed: false": nobody has read its tasks yet.`, {
    hint: 'Read and mend them, then write "reviewed: true" at its head.',
  })
}

export function takeReviewed(
  book: TaskBook,
  file: TaskBook,
  { shownAs, at, force = false }: { readonly shownAs: string; readonly at: Date; readonly force?: boolean },
): TakenReview {
  requireReviewed(file, shownAs)
  if (file.project !== book.project && !force) {
    throw new InputError(`${shownAs} holds tasks of another project, ${file.project}.`, {
      hint: `Name that project with --project, or pass --force to take them into ${book.project} all the same.`,
    })
  }
  const ours = new Map(book.tasks.map(task => [task.id, task]))
  const theirs = new Map(file.tasks.map(task => [task.id, task]))
  const droppedBefore = new Set(book.dropped.map(({ id }) => id))
  const unknown = file.tasks.filter(({ id }) => !ours.has(id))
  const added = unknown.filter(({ id }) => !droppedBefore.has(id))
  const both = book.tasks.flatMap(known => {
    const task = theirs.get(known.id)
    return task === undefined ? [] : [{ known, task, merged: inTheirWords(known, task) }]
  })
  const missing = idsOf(book.tasks.filter(({ id }) => !theirs.has(id)))
  // If a later harvest changed the book, it may hold tasks that the person has never seen. Their absence from
  // the file does not mean that they were rejected.
  const isSameHarvest = file.harvestedAt === book.harvestedAt
  const merged = new Map(both.map(({ merged }) => [merged.id, { ...merged, reviewed: true }]))
  const tasks = [...book.tasks.map(task => merged.get(task.id) ?? task), ...added]
  const misfit = splitProblems(tasks).find(({ task }) => added.includes(task))
  if (misfit !== undefined) {
    throw new InputError(`${shownAs}: task "${misfit.task.id}" does not fit: ${misfit.text}.`, {
      hint: 'Put it into that split, or remove it from the file.',
    })
  }
  return {
    book: dropTasks({ ...book, tasks }, new Set(isSameHarvest ? missing : []), at),
    changed: idsOf(both.filter(({ known, merged }) => !isSameTask(known, merged)).map(({ known }) => known)),
    added: idsOf(added),
    dropped: isSameHarvest ? missing : [],
    kept: isSameHarvest ? [] : missing,
    stayDropped: idsOf(unknown.filter(({ id }) => droppedBefore.has(id))),
    warnings: both.flatMap(({ known, task }) => movedWarnings(known, task)),
  }
}

const idsOf = (tasks: readonly SleepTask[]): string[] => tasks.map(({ id }) => id)

/** Takes a task's text from the reviewed file. Counts and split stay as they are in the book. */
function inTheirWords(known: SleepTask, { intent, rubric, checks, tools, skill }: SleepTask): SleepTask {
  return changeTask(known, { intent, rubric, checks, tools: tools ?? null, skill: skill ?? null })
}

function movedWarnings(known: SleepTask, task: SleepTask): string[] {
  return (['split', 'family'] as const)
    .filter(key => known[key] !== task[key])
    .map(key => `Task "${known.id}" stays in ${key} ${known[key]}: a file cannot move it to ${task[key]}.`)
}

/**
 * Reads the tasks of a reviewed file for a night that uses them instead of a harvest. Returns all tasks
 * except held-back ones, unchanged. Throws `InputError` if the tasks are not reviewed, belong to another
 * project or cannot be scored.
 */
export async function readNightTasks(
  path: string,
  { project, cwd }: { readonly project: string; readonly cwd: string },
): Promise<readonly SleepTask[]> {
  const { book } = await readTasksFile(resolve(cwd, path), path)
  requireReviewed(book, path)
  if (book.project !== project) {
    throw new InputError(`${path} holds tasks of another project, ${book.project}.`, {
      hint: 'Name that project with --project, or correct `project` in the file if its folder was moved.',
    })
  }
  const placed = book.tasks.filter(({ split }) => split !== 'held-back')
  const unscored = placed.filter(task => scoredBy(task) === 'nothing').map(({ id }) => id)
  if (unscored.length > 0) {
    throw new InputError(`${path}: nothing can score ${listed(unscored)}.`, {
      hint: 'Give each a rubric or checks, or take it out with `split: held-back`.',
    })
  }
  return placed
}
