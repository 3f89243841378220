import { InputError } from '../../core/errors/errors.js'
import { listed } from '../../core/text/format.js'
import { checksProblem } from '../../tasks/scoring/rules.js'
import { splitProblems } from '../model/sleep-splits.js'
import { type SleepTask, scoredBy } from '../model/sleep-task.js'

/** Throws `InputError` for tasks whose scores would be misleading. */
export function checkTasks(tasks: readonly SleepTask[], from: string): void {
  const unscored = tasks.filter(task => scoredBy(task) === 'nothing')
  if (unscored.length > 0) {
    throw new InputError(`${from}: nothing can score ${listed(unscored.map(({ id }) => id))}.`, {
      hint: 'Give each a rubric or checks, or take it out with `split: held-back`.',
    })
  }
  for (const { id, checks } of tasks) {
    const problem = checksProblem(checks)
    if (problem !== undefined)
      throw new InputError(`${from}: the task ${id} ${problem}.`, {
        hint: 'Correct the check, or remove it.',
      })
  }
  const [straddling] = splitProblems(tasks)
  if (straddling !== undefined) {
    throw new InputError(
      `${from}: the task ${straddling.task.id} cannot stay in its split: ${straddling.text}.`,
      {
        hint: 'Scores would be measured on what was trained on. Put both into one split, or one of them into held-back.',
      },
    )
  }
}
