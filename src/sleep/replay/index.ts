import { z } from 'zod'
import type { Environment } from '../../core/ports/environment.js'
import { readReviewedTasks } from './read.js'
import { createReplay, type ReplayedTask } from './replay.js'

export const options = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe('File of reviewed tasks from `skillopt sleep`; it names the split of each task.'),
})

/** Environment that replays a person's recurring requests. */
export async function create(
  { path }: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<ReplayedTask>> {
  return createReplay(await readReviewedTasks(path, baseDir), { files: 'none' }, path)
}
