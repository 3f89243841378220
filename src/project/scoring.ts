import { type Config, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import type { Sandbox } from '../core/ports/sandbox.js'

/** Refuses, before any money is spent, a missing judge, sandbox or program that scoring needs. */
export async function checkScoring(
  environment: Environment,
  config: Config,
  sandbox: Sandbox,
): Promise<void> {
  if (asksJudge(environment) && config.models.judge === undefined) {
    throw new InputError('Answers are scored by a rubric, and the config names no judge model.', {
      hint: 'Add it under `models`, and take another model than the optimizer: `judge: provider/model`.',
    })
  }
  if (environment.scoring?.sandbox !== true) return
  await sandbox.check()
  await environment.checkSandbox?.(sandbox)
}

export function scoringWarnings(environment: Environment, { models, sandbox }: Config): string[] {
  const unsafe =
    'The sandbox is off (`sandbox: none`): programs that models wrote, and commands that score them, may read, change and send whatever you may.'
  const alike =
    'The judge is the same model as the optimizer: edits may come to please the judge rather than to help. Take another model for one of them.'
  const { judge, optimizer } = models
  const same =
    judge !== undefined && resolveModel(judge, 'judge').model === resolveModel(optimizer, 'optimizer').model
  return [
    ...(asksJudge(environment) && same ? [alike] : []),
    ...(environment.scoring?.sandbox === true && sandbox === 'none' ? [unsafe] : []),
  ]
}

export function asksJudge({ scoring }: Environment): boolean {
  return (scoring?.judgeCalls ?? 0) > 0
}
