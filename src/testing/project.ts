import type { Environment, ScoreContext } from '../core/ports/environment.js'
import type { Task } from '../core/task/task.js'
import { loadProject } from '../project/load.js'
import { loadEnvironment } from '../project/parts.js'
import { createSandbox } from '../sandbox/index.js'
import { scoreContext } from './score-context.js'

/**
 * Loads a project's environment as a training would: the file named in its config, with its options and the
 * project's sandbox. No model is needed, so a score that asks the judge fails.
 */
export async function projectEnvironment<T extends Task = Task>(
  project: string,
): Promise<{ create(): Promise<Environment<T>>; readonly context: ScoreContext }> {
  // The project is trusted, because running its tests already runs its code.
  const loaded = await loadProject({ project, env: process.env, trust: true })
  return {
    create: async () => (await loadEnvironment(loaded)) as unknown as Environment<T>,
    context: { ...scoreContext, sandbox: createSandbox(loaded.config.sandbox) },
  }
}
