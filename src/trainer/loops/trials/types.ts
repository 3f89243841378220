import type { RecordedEdit } from '../../../core/log/event.js'
import { constants } from './constants.js'

/** An edit on trial, or one that was. */
export interface TrialEdit {
  readonly edit: RecordedEdit
  /** Edits of one slot are alternative remedies for one cause: at most one of them is in a skill. */
  readonly slot: string
  /** Train tasks that the edit should matter for. All tasks where nothing is known about that. */
  readonly concerned: ReadonlySet<string>
  readonly status: 'pending' | 'accepted' | 'dropped'
  /** The round before which the edit joined the pool. */
  readonly since: number
  /** It was dropped for another reason than its trials. */
  readonly isOut?: boolean
  /** The round of the last decision on it. */
  readonly decided?: number
}

/** One scored attempt at a train task, with the edits that were in the skill. */
export interface Trial {
  readonly round: number
  readonly task: string
  readonly score: number
  readonly edits: readonly string[]
}

/** Whether an edit is taken to concern all train tasks. */
export function isGlobal({ concerned }: TrialEdit, tasks: number): boolean {
  return concerned.size > constants.globalShare * tasks
}
