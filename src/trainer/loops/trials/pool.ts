import type { RecordedEdit } from '../../../core/log/event.js'
import type { Belief, Likelihoods } from './belief.js'
import { constants } from './constants.js'
import type { EditEstimate } from './estimate.js'
import { isGlobal, type TrialEdit } from './types.js'

/** All edits that were ever on trial, with the evidence about them. */
export interface Pool {
  /** All edits in the order of admission. */
  readonly edits: readonly TrialEdit[]
  /** Accepted edits in the order of acceptance. */
  readonly accepted: readonly string[]
  readonly estimates: ReadonlyMap<string, EditEstimate>
  readonly likelihoods: ReadonlyMap<string, Likelihoods>
  readonly beliefs: ReadonlyMap<string, Belief>
}

export const emptyPool: Pool = {
  edits: [],
  accepted: [],
  estimates: new Map(),
  likelihoods: new Map(),
  beliefs: new Map(),
}

export interface PoolSettings {
  readonly slots: number
  readonly alternatives: number
  readonly accept: number
  readonly drop: number
  readonly confirm: number
}

/**
 * Whether a pending edit is shelved because another remedy for its cause was accepted. The edit returns to
 * trial if that remedy is taken back.
 */
export function isShelved({ edits }: Pool, { slot, status }: TrialEdit): boolean {
  return status === 'pending' && edits.some(one => one.slot === slot && one.status === 'accepted')
}

/**
 * Whether the evidence on a pending edit still justifies trying it. An edit that fails this test stays in the
 * pool and is retried if nothing better is left; the optimizer may propose for its cause again.
 */
export function isViable(pool: Pool, subject: TrialEdit, { drop }: Pick<PoolSettings, 'drop'>): boolean {
  const isLikely = (pool.beliefs.get(subject.edit.id)?.ratio ?? 1) > drop
  return subject.status === 'pending' && isLikely && !isShelved(pool, subject)
}

/** Number of causes with a viable remedy on trial, and of edits on trial that concern all tasks. */
export function openSlots(
  pool: Pool,
  { tasks, ...settings }: Pick<PoolSettings, 'drop'> & { readonly tasks: number },
): { readonly local: number; readonly global: number } {
  const pending = pendingIn(pool)
  const global = pending.filter(one => isGlobal(one, tasks))
  const viable = pending.filter(one => !isGlobal(one, tasks) && isViable(pool, one, settings))
  return { local: new Set(viable.map(({ slot }) => slot)).size, global: global.length }
}

/** The cause of an edit, as the optimizer named it. */
export function causeOf({ cause, id }: Pick<RecordedEdit, 'cause' | 'id'>): string {
  return (cause ?? id).trim().toLowerCase()
}

/** The accepted edit for the same cause, unless the edit on trial builds on its text. */
export function rivalOf(pool: Pool, { edit, status, slot }: TrialEdit): TrialEdit | undefined {
  if (status !== 'pending') return undefined
  return pool.edits.find(
    one =>
      one.status === 'accepted' &&
      one.slot !== slot &&
      causeOf(one.edit) === causeOf(edit) &&
      !buildsOn(edit, one.edit),
  )
}

const sameTasks = 0.4

/** Whether two sets of concerned tasks overlap by enough of the smaller set. */
export function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  let both = 0
  for (const task of one) if (other.has(task)) both += 1
  return both >= sameTasks * Math.max(1, Math.min(one.size, other.size))
}

/**
 * Accepted edits that another accepted edit for the same cause makes redundant. The other edit is more likely
 * to help, and attempts with both do no better than attempts with it alone.
 */
export function superfluous(pool: Pool, accepted: readonly TrialEdit[]): ReadonlySet<TrialEdit> {
  const helps = ({ edit }: TrialEdit) => pool.beliefs.get(edit.id)?.helps ?? 0
  const found = new Set<TrialEdit>()
  const byBelief = accepted.toSorted((one, other) => helps(other) - helps(one))
  for (const [index, one] of byBelief.entries()) {
    const isServed = byBelief
      .slice(0, index)
      .some(
        other =>
          !found.has(other) &&
          causeOf(other.edit) === causeOf(one.edit) &&
          areAlike(other.concerned, one.concerned) &&
          !buildsOn(other.edit, one.edit),
      )
    if (isServed && !seemsHelpful(pool, one)) found.add(one)
  }
  return found
}

/** Whether an edit targets text that another edit adds. */
function buildsOn(edit: RecordedEdit, other: RecordedEdit): boolean {
  const target = 'target' in edit ? edit.target : ''
  return target !== '' && 'content' in other && other.content.includes(target)
}

export interface EditVerdict {
  readonly edit: TrialEdit
  readonly decision: 'accepted' | 'dropped' | 'taken-back'
  readonly reason: string
  /** Whether the edit returns to trial. */
  readonly isOnTrialAgain?: boolean
  /** Whether the edit is out for good, so that further trials cannot revive it. */
  readonly isOut?: boolean
}

/**
 * Accepted edits with an uncertain effect. Unless attempts with the edit do better than those without it, the
 * gain may have another cause.
 */
export function onProbation(pool: Pool, settings: PoolSettings): readonly TrialEdit[] {
  return pool.edits.filter(
    one =>
      one.status === 'accepted' &&
      ((pool.beliefs.get(one.edit.id)?.helps ?? 0) < settings.confirm || !seemsHelpful(pool, one)),
  )
}

/** Whether attempts with the edit do better than attempts without it, by more than noise. */
export function seemsHelpful(pool: Pool, { edit }: TrialEdit): boolean {
  const estimate = pool.estimates.get(edit.id)
  return estimate !== undefined && estimate.effect.mean > constants.agrees * estimate.effect.sd
}

/**
 * Revives dropped edits if later trials speak for them, since another remedy may have been missing when they
 * were dropped.
 */
export function revive(pool: Pool, { revive: least }: { readonly revive: number }): Pool {
  const edits = pool.edits.map(one => {
    const isBack =
      one.status === 'dropped' && one.isOut !== true && (pool.beliefs.get(one.edit.id)?.ratio ?? 0) >= least
    return isBack ? { ...one, status: 'pending' as const } : one
  })
  return { ...pool, edits }
}

export function pendingIn(pool: Pool): readonly TrialEdit[] {
  return pool.edits.filter(({ status }) => status === 'pending')
}

function statusAfter({ decision, isOnTrialAgain }: EditVerdict): TrialEdit['status'] {
  if (decision === 'accepted') return 'accepted'
  return isOnTrialAgain === true ? 'pending' : 'dropped'
}

/** The pool after the verdicts are applied. */
export function apply(pool: Pool, decided: readonly EditVerdict[], round: number): Pool {
  const fates = new Map(decided.map(verdict => [verdict.edit.edit.id, verdict]))
  const edits = pool.edits.map(one => {
    const verdict = fates.get(one.edit.id)
    if (verdict === undefined) return one
    const isOut = verdict.isOut === true ? { isOut: true } : {}
    return { ...one, status: statusAfter(verdict), decided: round, ...isOut }
  })
  const gone = new Set(
    decided.filter(({ decision }) => decision !== 'accepted').map(({ edit }) => edit.edit.id),
  )
  const added = decided.filter(({ decision }) => decision === 'accepted').map(({ edit }) => edit.edit.id)
  return { ...pool, edits, accepted: [...pool.accepted.filter(id => !gone.has(id)), ...added] }
}
