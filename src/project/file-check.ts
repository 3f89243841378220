import { InputError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import type { Model } from '../core/ports/model.js'
import { limitProblem } from '../core/task/file-limits.js'
import type { Split, Task } from '../core/task/task.js'

const kinds = { images: 'image', documents: 'document' } as const

/** Throws for images and documents that the target does not accept, before any money is spent. */
export function checkFiles(
  environment: Environment,
  tasks: Readonly<Record<Split, readonly Task[]>>,
  target: Model,
): void {
  const hint = 'Choose another target model or change the files.'
  for (const task of [...tasks.train, ...tasks.val, ...tasks.test]) {
    const problem = limitProblem(task.attachments ?? [], target)
    if (problem !== undefined)
      throw new InputError(`The task ${task.id} cannot be sent: ${problem}.`, { hint })
  }
  for (const [need, kind] of Object.entries(kinds)) {
    if (!environment.needs.some(each => each === need) || target.files?.[kind] !== undefined) continue
    throw new InputError(
      `The environment ${environment.id} has ${need}, which ${target.id} does not support.`,
      {
        hint,
      },
    )
  }
}
