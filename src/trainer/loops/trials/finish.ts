import type { Place } from '../../../core/log/event.js'
import { storedSkill } from '../training.js'
import { compareOnValidation, isPassed } from './checkpoint.js'
import { constants } from './constants.js'
import { verdictBody } from './judge.js'
import { apply, isShelved, pendingIn, seemsHelpful, superfluous } from './pool.js'
import { reasonAgainst, reasonFor } from './reasons.js'
import { recordVersion } from './record-version.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'
import { isGlobal, type TrialEdit } from './types.js'
import { composeVariant } from './variants.js'
import { superseded } from './verdicts.js'

/**
 * Chooses what ships, using all trials: removes accepted edits whose effect is too uncertain, adds edits for
 * all tasks that should gain, and records the evidence on edits still on trial.
 */
export async function prune(
  training: TrialTraining,
  trained: TrialState,
  round: number,
): Promise<TrialState> {
  const { run, setup, seed } = training
  const place: Place = { stage: 'update', epoch: training.epochOf(round), step: round }
  const tasks = setup.tasks.train.length
  const isGain = ({ edit }: TrialEdit) =>
    (trained.pool.beliefs.get(edit.id)?.effect ?? 0) >= constants.globalShip
  const late = pendingIn(trained.pool)
    .filter(edit => isGlobal(edit, tasks) && isGain(edit))
    .map(edit => ({ edit, decision: 'accepted' as const, reason: reasonFor(trained.pool, edit) }))
  for (const verdict of late)
    await run.emit('edit.decided', verdictBody(trained.pool, verdict, place), `last ${verdict.edit.edit.id}`)
  const state = { ...trained, pool: apply(trained.pool, late, round) }
  const accepted = state.pool.edits.filter(({ status }) => status === 'accepted')
  const isCertain = (one: TrialEdit) => {
    const belief = state.pool.beliefs.get(one.edit.id)
    if (belief === undefined) return false
    if (isGlobal(one, tasks)) return isGain(one)
    return belief.helps >= constants.ship || seemsHelpful(state.pool, one)
  }
  const isLocal = (one: TrialEdit) => !isGlobal(one, tasks)
  const doubled = superfluous(
    state.pool,
    accepted.filter(one => isLocal(one) && isCertain(one)),
  )
  const isKept = (one: TrialEdit) => isCertain(one) && !doubled.has(one)
  for (const edit of accepted) {
    const verdict = isKept(edit)
      ? { edit, decision: 'kept' as const, reason: reasonFor(state.pool, edit) }
      : {
          edit,
          decision: 'pruned' as const,
          reason: doubled.has(edit) ? superseded : reasonAgainst(state.pool, edit),
        }
    await run.emit('edit.decided', verdictBody(state.pool, verdict, place), `prune ${edit.edit.id}`)
  }
  for (const edit of pendingIn(state.pool)) {
    const verdict = isShelved(state.pool, edit)
      ? { edit, decision: 'dropped' as const, reason: superseded }
      : { edit, decision: 'undecided' as const, reason: 'Undecided when training ended.' }
    await run.emit('edit.decided', verdictBody(state.pool, verdict, place), `undecided ${edit.edit.id}`)
  }
  const weak = accepted.filter(edit => !isKept(edit))
  const pool = apply(
    state.pool,
    weak.map(edit => ({ edit, decision: 'dropped' as const, reason: '' })),
    round,
  )
  const { document } = composeVariant({ seed, limit: setup.limit }, pool, { pending: [], without: [] })
  if (document.text === state.current.text) return { ...state, pool }
  const pruned = { ...state, pool, current: document, version: round + 1 }
  const added = late.length === 0 ? '' : `, ${late.length} added`
  await recordVersion(run, pruned, `pruned ${weak.length}${added}`)
  return pruned
}

export interface Shipped {
  readonly text: string
  readonly version: number
  readonly score: number
}

/** The final test: the trained skill ships only if it beats the seed on samples not used before. */
export async function finalTest(training: TrialTraining, state: TrialState, round: number): Promise<Shipped> {
  const { run, seed, setup } = training
  const place: Place = { stage: 'gate', epoch: training.epochOf(round), step: round }
  if (state.current.text === seed.text) return ship(seed.text, 0, 0)
  const decided = await compareOnValidation(
    training,
    { what: 'final', before: seed, after: state.current, gate: setup.finalGate },
    place,
  )
  if (!isPassed(decided)) return ship(seed.text, 0, decided.current)
  return ship(state.current.text, state.version, decided.score)

  async function ship(text: string, version: number, score: number): Promise<Shipped> {
    const document = text === seed.text ? seed : state.current
    await run.emit('best.changed', { ...storedSkill(run, document), version, score }, `final ${version}`)
    return { text, version, score }
  }
}
