import { join } from 'node:path'
import type { StepOutcome } from '../core/view/run-view.js'
import type { TargetOutcome } from '../sleep/model/night-record.js'
import { listNights, type Night } from '../sleep/nights/nights.js'
import { viewRun } from '../store/run-directories.js'

/** An edit that a night tried as part of a candidate, from the night's log. */
export interface TriedEdit {
  readonly night: number
  readonly step: number
  /** The text that the edit adds; undefined if it only removes text. */
  readonly text: string | undefined
  readonly outcome: StepOutcome | undefined
}

/** A night, from its files. */
export interface NightRow {
  readonly number: number
  readonly outcome: string
  readonly reason: string
  readonly sessions: number
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number }
  /** Scores on the night's test tasks, before and after the night. */
  readonly test: TargetOutcome['test']
  readonly edits: readonly TriedEdit[]
  readonly calls: number
  readonly tokens: number
}

export async function nightRows(folder: string): Promise<readonly NightRow[]> {
  const rows: NightRow[] = []
  for (const night of await listNights(folder)) rows.push(await rowOf(night))
  return rows
}

async function rowOf(night: Night): Promise<NightRow> {
  const { number, plan, outcome } = night
  if (outcome === undefined) throw new Error(`Night ${number} has not ended.`)
  const inSplit = (wanted: string) => (plan?.tasks ?? []).filter(({ split }) => split === wanted).length
  return {
    number,
    outcome: outcome.outcome,
    reason: outcome.reason,
    sessions: outcome.sessions,
    tasks: { train: inSplit('train'), val: inSplit('val'), test: inSplit('test') },
    test: outcome.targets[0]?.test,
    edits: (await Promise.all(outcome.targets.map(target => triedEdits(night, target)))).flat(),
    calls: outcome.spent.calls,
    tokens: outcome.spent.tokens,
  }
}

async function triedEdits({ number, folder }: Night, { run }: TargetOutcome): Promise<readonly TriedEdit[]> {
  if (run === undefined) return []
  const { steps } = await viewRun(join(folder, run))
  return steps.flatMap(step =>
    step.edits
      .filter(({ fate }) => fate === 'applied')
      .map(edit => ({
        night: number,
        step: step.step,
        outcome: step.outcome,
        text: edit.op === 'delete' ? undefined : edit.content,
      })),
  )
}
