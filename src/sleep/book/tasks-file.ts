import { access, constants, mkdir } from 'node:fs/promises'
import { dirname, extname, sep } from 'node:path'
import { stringify } from 'yaml'
import { refuse } from '../../core/config/config-problems.js'
import { InputError } from '../../core/errors/errors.js'
import { allChecks } from '../../core/task/check.js'
import { parseText, readText } from '../../system/documents.js'
import { inWords, isThere, writePrivateFile } from '../../system/private-file.js'
import { splitProblems } from '../model/sleep-splits.js'
import { type SleepTask, type TaskBook, taskBookSchema, weakness } from '../model/sleep-task.js'
import { checkFormat, checkProblems, type Origins, schemaProblems } from './task-problems.js'

/** Writes a project's tasks to a file, for review and editing before any training, and reads them back. */

export interface TasksFile {
  readonly book: TaskBook
  /** Problems with the tasks that make scores less meaningful. */
  readonly warnings: readonly string[]
}

const head = `# What recurs in your work with agents in this project. Read it before a skill is trained on it.
#
# What you may change in each task:
#   intent  what is asked of the agent; somebody who knows none of your sessions must be able to do it
#   rubric  what a good answer does, point by point; a model judges by it
#   checks  what a program looks for in the reply, such as {op: contains, arg: npm test};
#           they count only where there is no rubric. There are
#           ${allChecks.join(', ')}
#   tools   what a tool says when the task is tried: {name, description, result}; nothing is run by it
#   skill   the skill that it belongs to, if any
# To drop a task, remove all of it. The rest (split, family, examples, evidence) was counted, and stays as it was.
#
# When you have read all of it, write "reviewed: true" below, and take it back: skillopt sleep tasks import FILE
`

/** Derives the format from the file's extension. Throws `InputError` if it is not supported. */
function formatOf(path: string, shownAs: string): 'yaml' | 'json' {
  const extension = extname(path).toLowerCase()
  if (extension === '.json') return 'json'
  if (extension === '.yaml' || extension === '.yml') return 'yaml'
  throw new InputError(`${shownAs}: a file of tasks ends in .yaml, .yml or .json.`)
}

interface WriteOptions {
  readonly force: boolean
  readonly shownAs?: string
}

/** Checks that the file can be written, before any work is done. */
export async function checkTasksFile(path: string, { force, shownAs = path }: WriteOptions): Promise<void> {
  formatOf(path, shownAs)
  await inWords(shownAs, () => checkFolder(dirname(path)))
  if (!force && (await isThere(path))) {
    throw new InputError(`${shownAs} already exists; nothing was written.`, {
      hint: 'Pass --force to replace it, or choose another name.',
    })
  }
}

export async function writeTasksFile(path: string, book: TaskBook, options: WriteOptions): Promise<void> {
  const { shownAs = path } = options
  await checkTasksFile(path, options)
  const format = formatOf(path, shownAs)
  const shown = reviewable(book)
  const text =
    format === 'json'
      ? `${JSON.stringify(shown, null, 2)}\n`
      : `${head}\n${stringify(shown, { lineWidth: 0, aliasDuplicateObjects: false })}`
  await inWords(shownAs, () => mkdir(dirname(path), { recursive: true }))
  await writePrivateFile(path, text)
}

/**
 * Selects what goes into a file for review. Dropped tasks stay in the book only, and the review state is
 * stated once for the whole file.
 */
function reviewable({ format, project, harvestedAt, sessions, tasks }: TaskBook): object {
  return {
    format,
    project,
    reviewed: false,
    harvestedAt,
    sessions,
    tasks: tasks.map(({ reviewed: _, ...task }) => task),
  }
}

/** Checks that the nearest existing parent folder is writable. Missing folders are created later. */
async function checkFolder(folder: string): Promise<void> {
  if (dirname(folder) !== folder && !(await isThere(folder))) return checkFolder(dirname(folder))
  // With a trailing separator the check fails if the path is a file.
  await access(`${folder}${sep}`, constants.W_OK)
}

/** Reads a tasks file. Throws one `InputError` that lists all problems with their lines. */
export async function readTasksFile(path: string, shownAs: string = path): Promise<TasksFile> {
  formatOf(path, shownAs)
  const { data, lines } = parseText(await readText(path, shownAs), shownAs)
  checkFormat(data, shownAs)
  const origins = new Map([...lines].map(([key, line]) => [key, `${shownAs}:${line}`]))
  const parsed = taskBookSchema.safeParse(data)
  if (!parsed.success) refuse(shownAs, schemaProblems(data, parsed.error, { origins }), tasksHint)
  const { tasks, ...book } = parsed.data
  const problems = problemsAmong(tasks, origins)
  if (problems.length > 0) refuse(shownAs, problems)
  return {
    book: { ...book, tasks: tasks.map(task => ({ ...task, reviewed: task.reviewed || book.reviewed })) },
    warnings: weaknesses(tasks),
  }
}

const tasksHint = '`skillopt sleep tasks export` writes a file as it should be.'

export function weaknesses(tasks: readonly SleepTask[]): string[] {
  return tasks.flatMap(task => {
    const text = weakness(task)
    return text === undefined ? [] : [`Task "${task.id}": ${text}`]
  })
}

/** Finds problems between tasks, and checks that cannot run. */
function problemsAmong(tasks: readonly SleepTask[], origins: Origins): string[] {
  const sentence = (task: SleepTask, place: string, text: string) => {
    const at = origins.get(`tasks.${tasks.indexOf(task)}.${place}`)
    return `task "${task.id}": ${text}${at === undefined ? '' : ` (${at})`}`
  }
  const repeated = tasks.filter(({ id }, index) => tasks.findIndex(other => other.id === id) < index)
  return [
    ...repeated.map(task => sentence(task, 'id', 'its id is used by an earlier task')),
    ...tasks.flatMap(task =>
      checkProblems(task).map(({ check, text }) => sentence(task, `checks.${check}`, text)),
    ),
    ...splitProblems(tasks).map(({ task, key, text }) => sentence(task, key, text)),
  ]
}
