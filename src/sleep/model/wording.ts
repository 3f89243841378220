import type { Check } from '../../core/task/check.js'
import { plural } from '../../core/view/figures.js'
import type { NightOutcome } from './night-record.js'
import type { Proposal, ProposalEdit } from './proposal.js'
import type { TaskEvidence, TaskFailure } from './sleep-task.js'

/** Sleep's messages to the user, shared by the terminal and the dashboard. */

export const outcomeWords: Readonly<Record<NightOutcome['outcome'], string>> = {
  proposed: 'it learned something',
  'nothing-learned': 'nothing was better than what is there',
  'nothing-to-learn': 'there was nothing to learn from',
  'nothing-new': 'nothing had changed since the night before',
  refused: 'what it learned could not be put up for review',
  'given-up': 'it was given up',
}

export const editWords: Readonly<Record<ProposalEdit['op'], string>> = {
  append: 'adds',
  insert_after: 'adds, after',
  replace: 'replaces',
  delete: 'removes',
}

export const failureWords: Readonly<Record<TaskFailure['kind'], string>> = {
  correction: 'corrected',
  undo: 'taken back',
  again: 'done again',
  'asked-again': 'asked again',
  'broken-off': 'broken off',
}

/** Describes the effect of an adoption on a file. */
export function adoptedWords(change: { readonly before: unknown; readonly merged: boolean }): string {
  if (change.before === null) return 'made'
  return change.merged ? 'region changed, your own changes kept' : 'region changed'
}

/** Describes the effect of an undo on a file; `change` is undefined if the file needed no change. */
export function takenBackWords(
  change: { readonly after: unknown; readonly merged: boolean } | undefined,
): string {
  if (change === undefined) return 'said so already'
  if (change.after === null) return 'removed, as it was not there before'
  return change.merged ? 'its region is as before' : 'as before'
}

/** Hint of the only error that `force` overrides. The dashboard offers `force` only for this error. */
export const forceHint =
  'Nothing was changed. With force it is taken back all the same, and what it says now is kept as a copy.'

/** Returns the beginning of a sentence that says on which tasks a score was measured. */
export function measuredOn({
  measured,
  split,
  tasks,
}: Pick<Proposal['measures'][number], 'measured' | 'split' | 'tasks'>): string {
  if (!measured) return `On ${plural(tasks.length, 'task')} that edits were made from, so it proves nothing`
  return split === 'val' ? 'On the tasks that decided' : 'On tasks that the night had not seen'
}

/** Formats a check. The caller's `quoted` formats the check's argument. */
export function checkWords({ op, arg }: Check, quoted: (text: string) => string): string {
  if (op === 'no_refusal') return op
  return typeof arg === 'number' ? `${op} ${arg}` : `${op} ${quoted(arg)}`
}

/** Returns the UTC date, because days are counted in UTC. */
export function dayOf(at: string | undefined): string {
  return at === undefined ? 'no date' : new Date(at).toISOString().slice(0, 10)
}

/** Returns the first and last day, or a single day; undefined if the times are unknown. */
export function periodOf(evidence: readonly Pick<TaskEvidence, 'firstAt' | 'lastAt'>[]): string | undefined {
  const days = evidence
    .flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])
    .flatMap(at => (at === undefined ? [] : [dayOf(at)]))
    .sort()
  const [first, last] = [days[0], days.at(-1)]
  return first === last ? first : `${first} to ${last}`
}
