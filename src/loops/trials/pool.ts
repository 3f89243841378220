import type { RecordedEdit } from '../../core/event.js'
import type { Belief, Likelihoods } from './belief.js'
import type { EditEstimate } from './estimate.js'
import { isGlobal, type TrialEdit } from './types.js'

/** All edits that ever were on trial, and what is known about them. */
export interface Pool {
  /** In the order in which they joined. */
  readonly edits: readonly TrialEdit[]
  /** Accepted edits in the order in which they were accepted. */
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
 * Whether a pending edit waits behind another remedy for its cause that was accepted. It comes back on trial if that one is
 * taken back.
 */
export function isShelved({ edits }: Pool, { slot, status }: TrialEdit): boolean {
  return status === 'pending' && edits.some(one => one.slot === slot && one.status === 'accepted')
}

/**
 * Whether what was seen of a pending edit still speaks for trying it. The others stay in the pool, and are tried again where
 * nothing better is left; for the optimizer their cause is open again.
 */
export function isViable(pool: Pool, subject: TrialEdit, { drop }: Pick<PoolSettings, 'drop'>): boolean {
  const isLikely = (pool.beliefs.get(subject.edit.id)?.ratio ?? 1) > drop
  return subject.status === 'pending' && isLikely && !isShelved(pool, subject)
}

/** Causes with a viable remedy on trial, and edits on trial that concern all tasks. */
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
export function causeOf({ cause, id }: RecordedEdit): string {
  return (cause ?? id).trim().toLowerCase()
}

export interface EditVerdict {
  readonly edit: TrialEdit
  readonly decision: 'accepted' | 'dropped' | 'taken-back'
  readonly reason: string
}

/** Accepted edits whose effect is not certain yet. */
export function onProbation(pool: Pool, settings: PoolSettings): readonly TrialEdit[] {
  return pool.edits.filter(
    ({ edit, status }) => status === 'accepted' && (pool.beliefs.get(edit.id)?.helps ?? 0) < settings.confirm,
  )
}

export function pendingIn(pool: Pool): readonly TrialEdit[] {
  return pool.edits.filter(({ status }) => status === 'pending')
}

/** The pool after verdicts. */
export function apply(pool: Pool, decided: readonly EditVerdict[], round: number): Pool {
  const fates = new Map(decided.map(({ edit, decision }) => [edit.edit.id, decision]))
  const edits = pool.edits.map(one => {
    const fate = fates.get(one.edit.id)
    if (fate === undefined) return one
    const status = fate === 'accepted' ? ('accepted' as const) : ('dropped' as const)
    return { ...one, status, decided: round }
  })
  const gone = new Set(
    decided.filter(({ decision }) => decision !== 'accepted').map(({ edit }) => edit.edit.id),
  )
  const added = decided.filter(({ decision }) => decision === 'accepted').map(({ edit }) => edit.edit.id)
  return { ...pool, edits, accepted: [...pool.accepted.filter(id => !gone.has(id)), ...added] }
}
