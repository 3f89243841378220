import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import type { RunFolder } from './folder.js'
import { type StepRecord, type SummaryRecord, stepSchema, summarySchema } from './records.js'
import { versionFile } from './step.js'

/** The main data of a Python SkillOpt run, which is read first. */
export interface ReferenceRun {
  /** The run's settings as it wrote them, all on one level. */
  readonly config: Readonly<Record<string, unknown>>
  readonly history: readonly StepRecord[]
  /** Absent if the run did not end. */
  readonly summary: SummaryRecord | undefined
  readonly seed: string
  readonly bestSkill: string | undefined
  /** Time at which the run's last file was written; absent if unknown. */
  readonly endedAt: number | undefined
}

export async function readReferenceRun(folder: RunFolder): Promise<ReferenceRun> {
  const names = await folder.names('.')
  const no = (why: string, hint: string) =>
    new InputError(`${folder.path} is not a run of the Python SkillOpt: ${why}.`, { hint })
  if (names.length === 0) throw no('the folder does not exist or is empty', 'Pass its out_root folder.')
  if (names.includes('events.jsonl'))
    throw no('it is already a skillopt run', 'View it with `skillopt show`.')
  if (names.includes('eval_summary.json') && !names.includes('history.json'))
    throw no(
      'it is an evaluation without training',
      '`skillopt data import` imports training runs; `skillopt eval` scores skills.',
    )
  const history = await folder.json('history.json', z.array(stepSchema))
  if (history === undefined) throw no('it has no history.json', 'Pass its out_root folder, unchanged.')
  const seed = await folder.text(versionFile(0))
  if (seed === undefined)
    throw no(
      `it has no ${versionFile(0)}, the initial skill`,
      'Copy its skill_init file there, then import again.',
    )
  checkOrder(history, folder)
  const summary = await folder.json('summary.json', summarySchema)
  const config = await folder.json('config.json', z.record(z.string(), z.unknown()))
  return {
    config: config ?? summary?.config ?? {},
    history,
    summary,
    seed,
    bestSkill: await folder.text('best_skill.md'),
    endedAt: await folder.writtenAt('summary.json', 'history.json'),
  }
}

function checkOrder(history: readonly StepRecord[], { path }: RunFolder): void {
  const wrong = history.findIndex(({ step }, index) => step <= (history[index - 1]?.step ?? 0))
  if (wrong < 0) return
  throw new InputError(
    `${path}/history.json: step ${history[wrong]?.step} comes after step ${history[wrong - 1]?.step}.`,
    { hint: 'Two runs are mixed in one folder; import each from its own folder.' },
  )
}
