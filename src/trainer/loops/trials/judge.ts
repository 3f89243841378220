import type { EventBody, Place } from '../../../core/log/event.js'
import { constants } from './constants.js'
import { measure } from './measure.js'
import { apply, type EditVerdict, type Pool, revive } from './pool.js'
import { intervalOf } from './reasons.js'
import { recordVersion } from './record-version.js'
import type { Observed } from './round.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'
import { composeVariant } from './variants.js'
import { verdicts } from './verdicts.js'

/** Adds the trials of a round, and decides on every edit with enough evidence. */
export async function judgeEdits(
  training: TrialTraining,
  before: TrialState,
  { trials, round }: Pick<Observed, 'trials'> & { readonly round: number },
): Promise<TrialState> {
  const { setup } = training
  const all = [...before.trials, ...trials]
  const settings = { ...setup.config.trials, tasks: setup.tasks.train.length }
  const pool = revive(measure(before.pool, all, settings), constants)
  const decided = verdicts(pool, settings)
  return takeVerdicts(training, { ...before, pool, trials: all }, { decided, round })
}

export interface Decided {
  readonly decided: readonly EditVerdict[]
  readonly round: number
}

/** Records verdicts, and rebuilds the current skill if they change it. */
export async function takeVerdicts(
  training: TrialTraining,
  before: TrialState,
  { decided, round }: Decided,
): Promise<TrialState> {
  if (decided.length === 0) return before
  const { run, setup, seed } = training
  const place: Place = { stage: 'update', epoch: training.epochOf(round), step: round }
  for (const verdict of decided) {
    const body = verdictBody(before.pool, verdict, place)
    await run.emit('edit.decided', body, `${round} ${verdict.edit.edit.id} ${verdict.decision}`)
  }
  const pool = apply(before.pool, decided, round)
  const rejected = decided.filter(
    ({ decision, isOnTrialAgain }) => decision !== 'accepted' && isOnTrialAgain !== true,
  )
  const dropped = rejected.map(({ edit }) => ({
    step: round,
    outcome: 'rejected' as const,
    edits: [edit.edit],
    patterns: [],
  }))
  const { document } = composeVariant({ seed, limit: setup.limit }, pool, { pending: [], without: [] })
  const state = { ...before, pool, dropped: [...before.dropped, ...dropped], lastChange: round }
  if (document.text === before.current.text) return state
  const changed = { ...state, current: document, version: round }
  await recordVersion(run, changed, versionNote(decided, round))
  return changed
}

function versionNote(decided: readonly EditVerdict[], round: number): string {
  const count = (which: EditVerdict['decision']) =>
    decided.filter(({ decision }) => decision === which).length
  const back = count('taken-back')
  return `round ${round}: ${count('accepted')} accepted${back === 0 ? '' : `, ${back} taken back`}`
}

export function verdictBody(
  pool: Pool,
  {
    edit,
    decision,
    reason,
  }: { edit: EditVerdict['edit']; decision: EventBody<'edit.decided'>['decision']; reason: string },
  { epoch, step }: Place,
): EventBody<'edit.decided'> {
  const estimate = pool.estimates.get(edit.edit.id)
  const evidence =
    estimate === undefined || estimate.trials === 0
      ? {}
      : { effect: intervalOf(estimate.effect), elsewhere: intervalOf(estimate.elsewhere) }
  return {
    epoch,
    step,
    edit: edit.edit.id,
    decision,
    ...evidence,
    helps: pool.beliefs.get(edit.edit.id)?.helps ?? 0,
    trials: estimate?.trials ?? 0,
    tasks: estimate?.tasks ?? 0,
    reason,
  }
}
