import { type Config, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import type { Sandbox } from '../core/ports/sandbox.js'

/** Throws if a judge, sandbox or program that scoring needs is missing, before any money is spent. */
export async function checkScoring(
  environment: Environment,
  config: Config,
  sandbox: Sandbox,
): Promise<void> {
  if (asksJudge(environment) && config.models.judge === undefined) {
    throw new InputError('Answers are scored by a rubric, but the config names no judge model.', {
      hint: "Add `judge: provider/model` under `models`; do not use the optimizer's model.",
    })
  }
  if (environment.scoring?.sandbox !== true) return
  await sandbox.check()
  await environment.checkSandbox?.(sandbox)
}

export function scoringWarnings(environment: Environment, { models, sandbox }: Config): string[] {
  const unsafe =
    'The sandbox is off (`sandbox: none`): model-written programs and scoring commands run with your full permissions.'
  const alike =
    'The judge is the same model as the optimizer: edits may please the judge instead of helping. Use another model for one of them.'
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
