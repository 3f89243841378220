import type { RecordedEdit } from '../../../core/log/event.js'
import { constants } from './constants.js'

/** An edit that is or was on trial. */
export interface TrialEdit {
  readonly edit: RecordedEdit
  /** Edits of one slot are alternative remedies for one cause; a skill includes at most one of them. */
  readonly slot: string
  /** Train tasks that the edit should matter for; all tasks if unknown. */
  readonly concerned: ReadonlySet<string>
  readonly status: 'pending' | 'accepted' | 'dropped'
  /** The first round that could try the edit. */
  readonly since: number
  /** Whether the edit was dropped for a reason other than its trials. */
  readonly isOut?: boolean
  /** The round of the last verdict on the edit. */
  readonly decided?: number
}

/** One scored attempt at a train task, with the edits that were in the skill. */
export interface Trial {
  readonly round: number
  readonly task: string
  readonly score: number
  readonly edits: readonly string[]
}

/** Whether an edit counts as an edit for all train tasks. */
export function isGlobal({ concerned }: TrialEdit, tasks: number): boolean {
  return concerned.size > constants.globalShare * tasks
}
