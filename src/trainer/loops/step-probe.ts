import type { Place, StageName } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import type { Task } from '../../core/task/task.js'
import { aggregate } from '../stages/aggregate.js'
import { editBudget } from '../stages/learning-rate.js'
import { reflect } from '../stages/reflect.js'
import { rollout, rolloutScope } from '../stages/rollout.js'
import { select } from '../stages/select.js'
import type { Setup } from './setup.js'
import { type PlannedStep, planTraining } from './steps/step-plan.js'

/** At least two analysts read attempts, so that there is something to merge. */
const minibatches = 2

/** The first tasks of the first batch, so that a training with a shared cache can reuse these attempts. */
export function probeTasks({ config, tasks }: Pick<Setup, 'config' | 'tasks'>): readonly Task[] {
  return (firstStep({ config, tasks })?.batches[0] ?? []).slice(0, minibatches * config.reflect.minibatchSize)
}

function firstStep({ config, tasks }: Pick<Setup, 'config' | 'tasks'>): PlannedStep | undefined {
  return planTraining(config, tasks.train).steps(1, [])[0]
}

/**
 * Runs a small first step, up to the point where a candidate would be made. It measures the reply lengths of
 * the target and of the optimizer in each stage, and decides nothing.
 */
export async function probe(run: Run, setup: Setup): Promise<void> {
  const { config, prompts, skill } = setup
  const { mode, control } = config.optimizer
  const at = (stage: StageName): Place => ({ stage, epoch: 1, step: 1 })
  const notes = { steps: [], metaSkill: undefined }
  const scheduled = firstStep(setup)?.budget ?? 0
  const { reuse, samples } = config.train
  const options = { ...config.reflect, prompts, mode, limit: setup.limit, samples }
  const tasks = probeTasks(setup)

  await run.emit('stage.started', { ...at('rollout'), total: tasks.length * samples }, 'rollout probe')
  const attempts = rollout(run, {
    skill,
    tasks,
    scope: rolloutScope(reuse, 1, 0),
    place: at('rollout'),
    samples,
  })
  const reflection = reflect(
    run,
    { skill, attempts, memory: notes, place: at('reflect') },
    { ...options, editLimit: scheduled, round: 0 },
  )
  const [{ edits }] = await Promise.all([
    aggregate(run, { skill, reflections: [reflection], place: at('aggregate') }, options),
    reflection.whole,
    ...attempts,
  ])
  const budget = await editBudget(
    run,
    { skill, edits, memory: notes, place: at('select') },
    { ...options, control, scheduled },
  )
  await select(run, { skill, edits, budget, place: at('select') }, prompts)
}
