import { z } from 'zod'
import type { Environment } from '../../core/ports/environment.js'
import { readReviewedTasks } from './read.js'
import { createReplay, type ReplayedTask } from './replay.js'

export const options = z.strictObject({
  path: z
    .string()
    .min(1)
    .describe(
      'A file of reviewed tasks (.yaml or .json) from `skillopt sleep`, relative to the folder of the config. It says itself which task is in which split.',
    ),
})

/** What a person keeps asking their agents for, asked again. */
export async function create(
  { path }: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<ReplayedTask>> {
  return createReplay(await readReviewedTasks(path, baseDir), { files: 'none' }, path)
}
