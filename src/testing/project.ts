import type { Environment, ScoreContext } from '../core/ports/environment.js'
import type { Task } from '../core/task/task.js'
import { loadProject } from '../project/load.js'
import { loadEnvironment } from '../project/parts.js'
import { createSandbox } from '../sandbox/index.js'
import { scoreContext } from './score-context.js'

/**
 * The environment of a project, as a training would load it: the file that its config names, with the options that stand
 * there, and the project's sandbox. No model is needed; a score that asks the judge fails.
 */
export async function projectEnvironment<T extends Task = Task>(
  project: string,
): Promise<{ create(): Promise<Environment<T>>; readonly context: ScoreContext }> {
  // Whoever runs a test of the project runs the project's code already.
  const loaded = await loadProject({ project, env: process.env, trust: true })
  return {
    create: async () => (await loadEnvironment(loaded)) as unknown as Environment<T>,
    context: { ...scoreContext, sandbox: createSandbox(loaded.config.sandbox) },
  }
}
