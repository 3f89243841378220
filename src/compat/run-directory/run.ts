import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import type { RunFolder } from './folder.js'
import { type StepRecord, type SummaryRecord, stepSchema, summarySchema } from './records.js'
import { versionFile } from './step.js'

/** Core data of a Python SkillOpt run, read before anything else. */
export interface ReferenceRun {
  /** As written: all settings on one level. */
  readonly config: Readonly<Record<string, unknown>>
  readonly history: readonly StepRecord[]
  /** Absent if the run did not finish. */
  readonly summary: SummaryRecord | undefined
  readonly seed: string
  readonly bestSkill: string | undefined
  /** Time when its last file was written; absent if unknown. */
  readonly endedAt: number | undefined
}

export async function readReferenceRun(folder: RunFolder): Promise<ReferenceRun> {
  const names = await folder.names('.')
  const no = (why: string, hint: string) =>
    new InputError(`${folder.path} is not a run of the Python SkillOpt: ${why}.`, { hint })
  if (names.length === 0)
    throw no('there is no such folder, or it is empty', 'Name the folder that its out_root was.')
  if (names.includes('events.jsonl'))
    throw no('it is a run of this program already', '`skillopt show` reads it as it is.')
  if (names.includes('eval_summary.json') && !names.includes('history.json'))
    throw no(
      'it is an evaluation of a skill, without a training',
      '`skillopt eval` scores skills; `skillopt data import` takes trainings.',
    )
  const history = await folder.json('history.json', z.array(stepSchema))
  if (history === undefined)
    throw no('it has no history.json', 'Name the folder that its out_root was, as the program left it.')
  const seed = await folder.text(versionFile(0))
  if (seed === undefined)
    throw no(
      `it has no ${versionFile(0)}, the skill that it began with`,
      'Put the file that its skill_init named there, and import it again.',
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
    { hint: 'Two runs were mixed in one folder; import each from a folder of its own.' },
  )
}
