import type { EventBody, Place } from '../../../core/log/event.js'
import type { GateFactory } from '../../../core/ports/gate.js'
import type { SkillDocument } from '../../../core/skill/document.js'
import { validate } from '../../stages/validate.js'
import { takeVerdicts } from './judge.js'
import type { EditVerdict } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'

type Decision = EventBody<'gate.decided'>

export interface Comparison {
  readonly what: 'checkpoint' | 'final'
  readonly before: SkillDocument
  readonly after: SkillDocument
  readonly gate: GateFactory
}

/** Placeholder below any score: trials keep no best score, since each comparison takes fresh samples. */
const belowAnyScore = -1

/** Compares two skills on the validation split, on samples that no earlier decision has used. */
export function compareOnValidation(
  { run, setup, score, concurrency }: TrialTraining,
  { what, before, after, gate }: Comparison,
  place: Place,
): Promise<Decision> {
  const { evaluation, trials } = setup.config
  const options = {
    gate,
    settings: what === 'final' ? { ...evaluation, falseAccepts: trials.finalAlpha } : evaluation,
    score,
    tasks: setup.tasks.val,
    concurrency,
    scope: `${what} ${place.step}`,
  }
  return validate(
    run,
    { current: before.text, candidate: after.text, bestScore: belowAnyScore, what, place },
    options,
  )
}

export const isPassed = ({ action }: Decision): boolean => action === 'accept' || action === 'accept_new_best'

/**
 * Compares the current skill with the last checkpoint. If validation rejects the current skill, the half of
 * the newly accepted edits with the weakest evidence is taken back.
 */
export async function checkpoint(
  training: TrialTraining,
  state: TrialState,
  round: number,
): Promise<TrialState> {
  const { pool, current } = state
  if (current.text === state.checkpoint.document.text) return state
  const changes = pool.accepted.filter(id => !state.checkpoint.accepted.includes(id)).length
  if (changes < training.setup.config.trials.checkpoint) return state
  const place: Place = { stage: 'gate', epoch: training.epochOf(round), step: round }
  const decided = await compareOnValidation(
    training,
    { what: 'checkpoint', before: state.checkpoint.document, after: current, gate: training.setup.gate },
    place,
  )
  if (decided.action === 'abstain') return state
  if (isPassed(decided)) return { ...state, checkpoint: { document: current, accepted: pool.accepted } }
  const added = pool.edits
    .filter(({ edit, status }) => status === 'accepted' && !state.checkpoint.accepted.includes(edit.id))
    .toSorted((one, other) => helps(state, one.edit.id) - helps(state, other.edit.id))
  const weakest: EditVerdict[] = added.slice(0, Math.ceil(added.length / 2)).map(edit => ({
    edit,
    decision: 'taken-back',
    isOut: true,
    reason: 'Validation speaks against the skill, and its evidence is among the weakest.',
  }))
  return takeVerdicts(training, state, { decided: weakest, round })
}

function helps({ pool }: TrialState, edit: string): number {
  return pool.beliefs.get(edit)?.helps ?? 0
}
