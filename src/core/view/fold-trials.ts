import type { EventBody } from '../log/event.js'
import { editView } from './fold-edits.js'
import type { GateView, RoundView, RunView, StepView, TrialEditView } from './run-view.js'

/** The part of the fold for the trials loop. */

const noRound: RoundView = { variants: 0, attempts: 0, admitted: [], known: 0, full: 0, refused: [] }

export function designRound(view: RunView, { step, variants }: EventBody<'trials.designed'>): RunView {
  const attempts = variants.reduce((sum, variant) => sum + variant.attempts, 0)
  return updateRound({ ...view, loop: 'trials' }, step, round => ({
    ...round,
    variants: variants.length,
    attempts,
  }))
}

/**
 * Adds admitted edits to the view. Edits proposed in the last round are admitted to a round that never
 * begins; they still count as part of the pool.
 */
export function admitEdits(view: RunView, body: EventBody<'trials.admitted'>): RunView {
  const joined = body.edits.map((edit): TrialEditView => {
    const { cause = '', concerned } = edit
    const trial = { cause, concerned, admitted: body.step, decided: undefined, evidence: undefined }
    return { ...editView(edit, 'on-trial'), fate: 'on-trial', trial }
  })
  const pool = { ...view, loop: 'trials', trialEdits: [...view.trialEdits, ...joined] } as const
  return updateRound(pool, body.step, round => ({
    ...round,
    admitted: [...round.admitted, ...joined.map(({ id }) => id)],
    known: round.known + body.known,
    full: round.full + body.full,
    refused: [...round.refused, ...(body.refused ?? [])],
  }))
}

export function decideEdit(view: RunView, body: EventBody<'edit.decided'>): RunView {
  const known = view.trialEdits.find(({ id }) => id === body.edit)
  if (known === undefined) return view
  const { effect, elsewhere, helps, trials, tasks } = body
  // The last check only confirms an edit that an earlier round accepted.
  const isConfirmed = body.decision === 'kept' && known.trial.decided !== undefined
  const step = isConfirmed ? (known.trial.decided ?? body.step) : body.step
  const decided: TrialEditView = {
    ...known,
    fate: body.decision,
    reason: body.reason,
    trial: { ...known.trial, decided: step, evidence: { effect, elsewhere, helps, trials, tasks } },
  }
  const trialEdits = view.trialEdits.map(edit => (edit === known ? decided : edit))
  if (body.decision === 'undecided' || (isConfirmed && step !== body.step)) return { ...view, trialEdits }
  // An edit accepted in the last round is checked once more in the same round; the later decision counts.
  return updateStep({ ...view, trialEdits }, body.step, ({ edits }) => ({
    edits: [...edits.filter(({ id }) => id !== body.edit), decided],
  }))
}

/** Folds a gate decision. A checkpoint belongs to its round; the final test is stored separately. */
export function foldTrialGate(view: RunView, body: EventBody<'gate.decided'>, gate: GateView): RunView {
  if (body.what === 'final') return { ...view, finalTest: gate }
  const { epoch, step } = body
  const checkpoints = [...view.checkpoints.filter(other => other.step !== step), { ...gate, epoch, step }]
  return updateStep({ ...view, checkpoints }, step, () => ({ gate }))
}

function updateRound(view: RunView, step: number, change: (round: RoundView) => RoundView): RunView {
  return updateStep(view, step, ({ round }) => ({ round: change(round ?? noRound) }))
}

function updateStep(view: RunView, number: number, change: (step: StepView) => Partial<StepView>): RunView {
  const steps = view.steps.map(step => (step.step === number ? { ...step, ...change(step) } : step))
  return { ...view, steps }
}
