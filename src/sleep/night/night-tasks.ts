import { resolve } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { listed } from '../../core/text/format.js'
import { requireReviewed } from '../book/review.js'
import { readTasksFile } from '../book/tasks-file.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'

/**
 * Reads the tasks of a reviewed file for a night that uses them instead of a harvest: all tasks that are in
 * a split, unchanged. Throws `InputError` if the tasks are not reviewed, belong to another project or cannot
 * be scored.
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
