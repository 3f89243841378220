import type { Place, StageName } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { type SkillDocument, seedDocument } from '../../core/skill/document.js'
import { aggregate } from '../stages/aggregate.js'
import { compose } from '../stages/compose.js'
import { editBudget } from '../stages/learning-rate.js'
import type { CarriedMemory, Memory } from '../stages/memory.js'
import { reflect } from '../stages/reflect.js'
import { rollout, rolloutScope } from '../stages/rollout.js'
import { select } from '../stages/select.js'
import { testSkill } from './evaluation.js'
import type { Setup } from './setup.js'
import { decide } from './steps/decide.js'
import { epochEnd } from './steps/epoch-end.js'
import {
  announceStep,
  recordRollout,
  recordStep,
  recordUpdate,
  recordVersion,
  stepRecord,
} from './steps/record-step.js'
import { type StepTaken, stepTaken } from './steps/step-taken.js'
import { endOf } from './steps/stop-reason.js'
import { prepareTraining, scored, type Training, testBaselines } from './training.js'
import { initialState, type TrainingState } from './training-state.js'

/** Trains the skill. Everything is read from or written to the run's log, so this is also how a run is resumed. */
export async function train(run: Run, setup: Setup): Promise<TrainingState> {
  const training = prepareTraining(run, setup)
  const seed = seedDocument(setup.skill)
  const [state] = await Promise.all([
    loop(training, seed),
    // The baseline gets a lane only when no stage has calls waiting.
    scored(training, initialState(seed), { stage: 'baseline', epoch: 0, step: 0 }),
    testBaselines(training),
  ])
  return state
}

async function loop(training: Training, seed: SkillDocument): Promise<TrainingState> {
  const { run, setup, plan } = training
  const { mode, control } = setup.config.optimizer
  const { reuse, samples } = setup.config.train
  const { prompts, limit, frame, carried } = setup
  const options = { ...setup.config.reflect, prompts, mode, control, limit, samples, around: frame?.around }
  let state = initialState(seed)
  let memory: Memory = { steps: [], metaSkill: carried?.metaSkill, earlier: carried?.steps ?? [] }
  let taken: readonly StepTaken[] = []
  let end: string | undefined
  let lastEpoch = 0
  await recordVersion(run, state, 'the seed skill')

  for (let epoch = 1; epoch <= plan.epochs && end === undefined; epoch++) {
    const epochStart = epoch === 1 ? previousOf(carried) : state.current
    lastEpoch = epoch
    const steps = plan.steps(epoch, taken)
    for (const { step, batches, budget: scheduled } of steps) {
      const at = (stage: StageName): Place => ({ stage, epoch, step })
      const skill = state.current.text
      const notes = memory
      await announceStep(training, skill, batches, scheduled, at)

      // Forward and backward overlap: an analyst starts as soon as its minibatch is known.
      const rollouts = batches.map((batch, round) =>
        rollout(run, skill, batch, rolloutScope(reuse, step, round), at('rollout'), { samples }),
      )
      const reflections = rollouts.map((attempts, round) =>
        reflect(run, skill, attempts, notes, { ...options, editLimit: scheduled, round }, at('reflect')),
      )
      const [merged, reflected] = await Promise.all([
        aggregate(run, skill, reflections, notes.metaSkill, options, at('aggregate')),
        Promise.all(reflections.map(reflection => reflection.whole)),
        Promise.all(rollouts.map((attempts, round) => recordRollout(run, attempts, round, at('rollout')))),
      ])
      const { edits, reminders = [] } = merged
      const budget = await editBudget(run, skill, edits, notes, { ...options, scheduled }, at('select'))
      const { metaSkill } = notes
      const { edits: chosen } = await select(run, skill, edits, budget, metaSkill, prompts, at('select'))
      const update = await compose(run, state.current, chosen, reminders, metaSkill, options, at('update'))
      await recordUpdate(run, update, at('update'))

      const { state: next, decided } = await decide(training, state, update, at)
      state = { ...next, version: step }
      const record = stepRecord({ step, edits: [...chosen, ...reminders], update, decided, reflected })
      await recordStep(run, state, record, at('update'))
      memory = { ...memory, steps: [...memory.steps, record] }
      taken = [...taken, await stepTaken(skill, rollouts, record)]
      const isLast = epoch === plan.epochs && step === steps.at(-1)?.step
      end = endOf(taken, state.current.text, isLast, setup.tasks.train.length, setup.config.train)
      if (end !== undefined) break
    }
    ;({ state, memory } = await epochEnd(training, epoch, epochStart, state, memory))
  }

  state = await scored(training, state, { stage: 'baseline', epoch: lastEpoch, step: state.version })
  await testAll(training, seed, state)
  const { best, version } = state
  const finished = { best: best.version, last: version, score: best.score, because: end }
  await run.emit('run.finished', finished, 'run')
  return state
}

/**
 * A standalone run has no previous skill; a run that follows others compares with the skill that the last
 * one started from.
 */
function previousOf(carried: CarriedMemory | undefined): SkillDocument | undefined {
  return carried?.previous === undefined ? undefined : seedDocument(carried.previous)
}

/** The best skill ships; the others show what training was worth. */
async function testAll(training: Training, seed: SkillDocument, state: TrainingState): Promise<void> {
  const { text: best } = state.best.document
  const texts = { none: '', initial: seed.text, best, last: state.current.text }
  const { test } = training.setup.config.evaluation
  await Promise.all(test.map(which => testSkill(training, which, texts[which])))
}
