import type { EventBody, FailurePattern } from '../../core/log/event.js'
import type { Edit } from '../../core/skill/edit.js'
import { editLine, roundToThousandth, section } from './render.js'

/** A step's edits and their outcome, shown to later steps of the epoch and to the meta skill. */
export interface StepRecord {
  readonly step: number
  /** Label of an earlier run, such as “night 6”, shown in place of the step number. */
  readonly when?: string
  readonly outcome: EventBody<'step.finished'>['outcome']
  readonly edits: readonly Edit[]
  readonly before?: number
  readonly after?: number
  /** False if the candidate did not run on every task. `after` is then only a bound, and shown as one. */
  readonly complete?: boolean
  /** Effect on the concerned tasks, as a share of the score, if the edit was judged by its own trials. */
  readonly effect?: number
  readonly patterns: readonly FailurePattern[]
}

/** What analysts are told about the epoch so far. The meta skill persists across epochs. */
export interface Memory {
  readonly steps: readonly StepRecord[]
  readonly metaSkill: string | undefined
  /** Rejected edits of earlier runs, kept for the whole of this one. */
  readonly earlier?: readonly StepRecord[]
}

/** Memory that a run passes on to the next one that trains the same skill. */
export interface CarriedMemory {
  /** Steps that the gate rejected. */
  readonly steps: readonly StepRecord[]
  readonly metaSkill: string | undefined
  /** The skill before the last run, if it has changed since. */
  readonly previous: string | undefined
}

export function stepLine(record: StepRecord): string {
  const { before, after, complete, effect } = record
  const scores =
    before === undefined || after === undefined
      ? effect === undefined
        ? ''
        : ` (effect ${effect < 0 ? '' : '+'}${roundToThousandth(effect).toFixed(3)})`
      : ` (${roundToThousandth(before).toFixed(3)} -> ${complete === false ? 'at most ' : ''}${roundToThousandth(after).toFixed(3)})`
  const when = record.when ?? `step ${record.step}`
  return record.edits.map(edit => `- ${when} ${record.outcome}${scores}: ${editLine(edit)}`).join('\n')
}

/** Text about earlier steps for analysts: the rejected edits and the failure patterns of the epoch. */
export function earlierSteps(
  memory: Memory,
  show: { readonly failurePatterns: boolean; readonly rejectedEdits: boolean },
): string {
  const patterns = show.failurePatterns
    ? memory.steps.flatMap(record =>
        record.patterns.map(
          pattern => `- step ${record.step} saw ${pattern.count} × ${pattern.type}: ${pattern.description}`,
        ),
      )
    : []
  const rejected = show.rejectedEdits
    ? [...(memory.earlier ?? []), ...memory.steps]
        .filter(record => record.outcome === 'rejected')
        .map(stepLine)
    : []
  return section('earlier_steps', [...patterns, ...rejected].join('\n'))
}
