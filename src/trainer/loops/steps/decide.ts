import type { EventBody, Place, StageName } from '../../../core/log/event.js'
import type { Update } from '../../stages/compose.js'
import { accept, gate, isAccepted, scored, type Training } from '../training.js'
import type { TrainingState } from '../training-state.js'

export interface Decision {
  readonly state: TrainingState
  /** Absent if the candidate equals the current skill, so that there is nothing to decide. */
  readonly decided: EventBody<'gate.decided'> | undefined
}

/** Held-out validation: the candidate replaces the current skill only if the gate accepts it. */
export async function decide(
  training: Training,
  before: TrainingState,
  { document }: Update,
  at: (stage: StageName) => Place,
): Promise<Decision> {
  if (document.text === before.current.text) return { state: before, decided: undefined }
  const state = await scored(training, before, at('baseline'))
  const place = at('gate')
  const decided = await gate(training, state, document, 'step', place)
  if (!isAccepted(decided)) return { state, decided }
  return { state: await accept(training.run, state, document, decided, place.step), decided }
}
