import type { EventBody, StageName } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { seedDocument } from '../../core/skill/document.js'
import { testSkill } from '../../trainer/loops/evaluation.js'
import type { Setup } from '../../trainer/loops/setup.js'
import {
  acceptCandidate,
  ensureScored,
  gateCandidate,
  initialState,
  isAccepted,
  prepareTraining,
} from '../../trainer/loops/training.js'

export interface ChoiceVerdict {
  readonly accepted: boolean
  readonly decided: EventBody<'gate.decided'>
  /** Scores on held-out test tasks. Absent if there are no test tasks or the gate rejected the text. */
  readonly test?: { readonly before: EventBody<'test.finished'>; readonly after: EventBody<'test.finished'> }
}

/** Runs the training gate once, to decide whether an untrained text may replace the setup's skill. */
export async function measureChoice(run: Run, setup: Setup, candidate: string): Promise<ChoiceVerdict> {
  const training = prepareTraining(run, setup)
  const at = (stage: StageName) => ({ stage, epoch: 0, step: 0 })
  const state = await ensureScored(training, initialState(seedDocument(setup.skill)), at('baseline'))
  const document = seedDocument(candidate)
  const decided = await gateCandidate(training, state, {
    candidate: document,
    what: 'last',
    place: at('gate'),
  })
  if (!isAccepted(decided)) return { accepted: false, decided }
  await acceptCandidate(run, state, { candidate: document, decided, version: 1 })
  if (setup.tasks.test.length === 0) return { accepted: true, decided }
  const [before, after] = await Promise.all([
    testSkill(training, 'initial', setup.skill),
    testSkill(training, 'best', candidate),
  ])
  return { accepted: true, decided, test: { before, after } }
}
