import type { EventBody, Place, StageName } from '../core/event.js'
import type { Update } from '../stages/compose.js'
import { acceptWhatCarries } from './attribution.js'
import { type TrainingState, withRows } from './state.js'
import { gate, isAccepted, scored, type Training } from './training.js'

export interface Decision {
  readonly state: TrainingState
  readonly decided: EventBody<'gate.decided'>
  /** Of an accepted candidate, where it was asked for. */
  readonly attribution?: EventBody<'attribution.finished'> | undefined
}

/** Held-out validation: the candidate replaces the current skill if the gate says so, and not otherwise. */
export async function decide(
  training: Training,
  before: TrainingState,
  update: Update,
  at: (stage: StageName) => Place,
): Promise<Decision> {
  const baseline = await scored(training, before, at('baseline'))
  const decided = await gate(training, baseline, update.document, 'step', at('gate'))
  const state = withRows(baseline, decided.candidate, decided.rows)
  if (!isAccepted(decided)) return { state, decided }
  const accepted = await acceptWhatCarries(training, state, update, decided, at('attribution'))
  return { ...accepted, decided }
}
