import { join } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { lockRunDirectory } from '../../store/lock.js'
import {
  inWords,
  makePrivateFolder,
  readIfThere,
  removeDrafts,
  writePrivateFile,
} from '../../system/private-file.js'
import { type TaskBook, taskBookSchema, tasksFormat } from '../model/sleep-task.js'
import { checkFormat, schemaProblems } from './task-problems.js'

const bookFile = 'tasks.json'

/** Reads the tasks of a project. The stored file is never changed by reading, even if it is invalid. */
export async function readBook(folder: string, project: string): Promise<TaskBook> {
  const file = join(folder, bookFile)
  const text = await readIfThere(file)
  if (text === undefined) return taskBookSchema.parse({ format: tasksFormat, project, tasks: [] })
  const data = parseJson(text, file)
  checkFormat(data, file)
  const parsed = taskBookSchema.safeParse(data)
  if (!parsed.success) throw damaged(file, schemaProblems(data, parsed.error)[0] ?? 'it is no book of tasks')
  if (parsed.data.project !== project) {
    throw new InputError(`${file} holds the tasks of another project, ${parsed.data.project}.`, {
      hint: `Move the file away to begin anew for ${project}; nothing of it was changed.`,
    })
  }
  return parsed.data
}

/** Changes the stored tasks under a lock. If `change` returns the same book, nothing is written. */
export async function updateBook(
  folder: string,
  project: string,
  change: (book: TaskBook) => TaskBook | Promise<TaskBook>,
): Promise<TaskBook> {
  await makePrivateFolder(folder)
  const lock = await inWords(folder, () => lockRunDirectory(folder))
  try {
    await removeDrafts(folder)
    const book = await readBook(folder, project)
    const changed = await change(book)
    // The new book is validated before writing, so that an unreadable one is never stored.
    if (changed !== book)
      await writePrivateFile(
        join(folder, bookFile),
        `${JSON.stringify(taskBookSchema.parse(changed), null, 2)}\n`,
      )
    return changed
  } finally {
    await lock.release()
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged(file, messageOf(error), error)
  }
}

function damaged(file: string, reason: string, cause?: unknown): InputError {
  return new InputError(`${file} is damaged: ${reason}.`, {
    hint: 'It was left as it is. Restore it from a copy, or move it away: the next harvest begins a new one.',
    cause,
  })
}
