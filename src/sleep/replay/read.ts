import { extname, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { itemProblems } from '../../tasks/loading/item-problems.js'
import { readText } from '../../tasks/loading/rows.js'
import { partsOf } from '../model/occasions.js'
import { type SleepTask, taskBookSchema } from '../model/sleep-task.js'

/**
 * Reads the tasks of a file, except those without a split. Throws `InputError` if it is not a task file or
 * was not reviewed.
 */
export async function readReviewedTasks(path: string, baseDir: string): Promise<readonly SleepTask[]> {
  if (!['.yaml', '.yml', '.json'].includes(extname(path).toLowerCase())) {
    throw new InputError(`environment.path is ${path}, and a file of tasks ends in .yaml, .yml or .json.`, {
      hint: 'Name the file that `skillopt sleep harvest --output` has written, and that you have reviewed.',
    })
  }
  const data = parsed(await readText(resolve(baseDir, path)), path)
  const book = taskBookSchema.safeParse(data)
  if (!book.success) {
    throw new InputError(`${path} is not a file of tasks: ${problemsIn(data, book.error)}.`, {
      hint: '`skillopt sleep harvest --output FILE` writes one.',
    })
  }
  const { reviewed, tasks } = book.data
  if (!reviewed) {
    throw new InputError(`The tasks in ${path} have not been reviewed.`, {
      hint: 'Read and correct them: they were made of your sessions, and are sent to models. Then write `reviewed: true` at the top of the file.',
    })
  }
  return tasks.filter(({ split }) => split !== 'held-back').flatMap(partsOf)
}

/** Showing a few problems is enough to find the cause. */
const shownProblems = 5

function problemsIn(data: unknown, { issues }: z.ZodError): string {
  const fields = z.record(z.string(), z.unknown()).safeParse(data)
  return itemProblems(new z.ZodError(issues.slice(0, shownProblems)), fields.data ?? {})
}

function parsed(text: string, path: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    throw new InputError(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
