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
import { testAtEnd } from './evaluation.js'
import type { Setup } from './setup.js'
import { epochEnd } from './steps/epoch-end.js'
import { type FinishedStep, finishedStep, stopReason } from './steps/finished-steps.js'
import { decide, finishStep, recordRollout, recordVersion, startStep } from './steps/step.js'
import {
  ensureScored,
  initialState,
  prepareTraining,
  type Training,
  type TrainingState,
  testBaselines,
} from './training.js'

/** Trains the skill. Everything is read from or written to the run's log, so this is also how a run is resumed. */
export async function train(run: Run, setup: Setup): Promise<TrainingState> {
  const training = prepareTraining(run, setup)
  const seed = seedDocument(setup.skill)
  const [state] = await Promise.all([
    loop(training, seed),
    // The baseline gets a lane only when no stage has calls waiting.
    ensureScored(training, initialState(seed), { stage: 'baseline', epoch: 0, step: 0 }),
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
  let finished: readonly FinishedStep[] = []
  let end: string | undefined
  let lastEpoch = 0
  await recordVersion(run, state, 'the seed skill')

  for (let epoch = 1; epoch <= plan.epochs && end === undefined; epoch++) {
    const epochStart = epoch === 1 ? previousOf(carried) : state.current
    lastEpoch = epoch
    const steps = plan.steps(epoch, finished)
    for (const { step, batches, budget: scheduled } of steps) {
      const at = (stage: StageName): Place => ({ stage, epoch, step })
      const skill = state.current.text
      const { metaSkill } = memory
      await startStep(training, { epoch, step, skill, batches, budget: scheduled })

      // Forward and backward overlap: an analyst starts as soon as its minibatch is known.
      const rollouts = batches.map((tasks, round) => {
        const scope = rolloutScope(reuse, step, round)
        return rollout(run, { skill, tasks, scope, place: at('rollout'), samples })
      })
      const reflections = rollouts.map((attempts, round) => {
        const input = { skill, attempts, memory, place: at('reflect') }
        return reflect(run, input, { ...options, editLimit: scheduled, round })
      })
      const [merged, reflected] = await Promise.all([
        aggregate(run, { skill, reflections, metaSkill, place: at('aggregate') }, options),
        Promise.all(reflections.map(reflection => reflection.whole)),
        Promise.all(rollouts.map((attempts, round) => recordRollout(run, attempts, { epoch, step, round }))),
      ])
      const { edits, reminders = [] } = merged
      const rated = { skill, edits, memory, place: at('select') }
      const budget = await editBudget(run, rated, { ...options, scheduled })
      const pool = { skill, edits, budget, metaSkill, place: at('select') }
      const { edits: selected } = await select(run, pool, prompts)
      const chosen = { current: state.current, selected, reminders, metaSkill, place: at('update') }
      const update = await compose(run, chosen, options)

      const { state: next, decided } = await decide(training, state, { update, epoch, step })
      state = { ...next, version: step }
      const result = { epoch, step, edits: [...selected, ...reminders], update, decided, reflected }
      const record = await finishStep(run, state, result)
      memory = { ...memory, steps: [...memory.steps, record] }
      finished = [...finished, await finishedStep(skill, rollouts, record)]
      const isLast = epoch === plan.epochs && step === steps.at(-1)?.step
      const trainSize = setup.tasks.train.length
      end = stopReason(finished, { ...setup.config.train, current: state.current.text, isLast, trainSize })
      if (end !== undefined) break
    }
    ;({ state, memory } = await epochEnd(training, { epoch, epochStart, state, memory }))
  }

  state = await ensureScored(training, state, { stage: 'baseline', epoch: lastEpoch, step: state.version })
  await testAll(training, seed, state)
  const { best, version } = state
  const body = { best: best.version, last: version, score: best.score, because: end }
  await run.emit('run.finished', body, 'run')
  return state
}

/**
 * The skill to compare with at the end of the first epoch: the skill that the last run started from. A
 * standalone run has none.
 */
function previousOf(carried: CarriedMemory | undefined): SkillDocument | undefined {
  return carried?.previous === undefined ? undefined : seedDocument(carried.previous)
}

/** Tests the skills named in the config. The best skill ships; the others show how much training gained. */
async function testAll(training: Training, seed: SkillDocument, state: TrainingState): Promise<void> {
  const { text: best } = state.best.document
  const texts = { none: '', initial: seed.text, best, last: state.current.text }
  const { test } = training.setup.config.evaluation
  await testAtEnd(training, test, texts)
}
