import { type Config, resolveModel } from '../../core/config/config.js'
import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { metricScore } from '../../core/task/metric.js'
import { validate } from '../stages/validate.js'
import { type EvaluationNeeds, evaluateOnce, testSkill } from './evaluation.js'
import type { Setup } from './setup.js'
import { type Plan, planTraining } from './steps/step-plan.js'
import { type TrainingState, withScore, withSkill } from './training-state.js'

/** Context shared by the stages of a training. */
export interface Training extends EvaluationNeeds {
  readonly setup: Setup
  readonly plan: Plan
}

export function prepareTraining(run: Run, setup: Setup): Training {
  const { metric, mixedWeight } = setup.config.evaluation
  return {
    run,
    setup,
    plan: planTraining(setup.config, setup.tasks.train),
    score: summary => metricScore(summary, metric, mixedWeight),
    // Twice the number of concurrent calls, so that no lane waits for the setup of the next attempt.
    lanes: 2 * resolveModel(setup.config.models.target, 'target').concurrency,
  }
}

/** Under a cap, training has priority: optional calls are skipped, and others are deferred. */
export function isCapped(limits: Config['limits']): boolean {
  return Object.values(limits).some(limit => limit !== undefined)
}

/**
 * Tests the baselines while training runs: they are certain to be needed and depend on nothing. They get a
 * lane only when no stage has calls waiting. Under a cap they wait for the end, because training has
 * priority.
 */
export async function testBaselines(training: Training): Promise<void> {
  const { skill, config } = training.setup
  if (isCapped(config.limits)) return
  const { test } = config.evaluation
  await Promise.all([
    ...(test.includes('none') ? [testSkill(training, 'none', '')] : []),
    ...(test.includes('initial') ? [testSkill(training, 'initial', skill)] : []),
  ])
}

/**
 * Ensures that the current text has its own score: the seed, a forced slow update, or a last skill that was
 * never gated.
 */
export async function scored(training: Training, state: TrainingState, place: Place): Promise<TrainingState> {
  if (state.score !== undefined) return state
  const { current } = state
  const { val } = training.setup.tasks
  const { score } = await evaluateOnce(training, current.text, 'val', val, place)
  return withScore(training.run, state, score)
}

export function gate(
  { run, setup, score, lanes }: Training,
  state: TrainingState,
  candidate: SkillDocument,
  what: EventBody<'gate.decided'>['what'],
  place: Place,
): Promise<EventBody<'gate.decided'>> {
  const options = {
    gate: setup.gate,
    settings: setup.config.evaluation,
    score,
    tasks: setup.tasks.val,
    lanes,
  }
  return validate(run, state.current.text, candidate.text, state.best.score, what, options, place)
}

export function isAccepted({ action }: EventBody<'gate.decided'>): boolean {
  return action === 'accept' || action === 'accept_new_best'
}

export function accept(
  run: Run,
  state: TrainingState,
  candidate: SkillDocument,
  { score, verdict }: EventBody<'gate.decided'>,
  version: number,
): Promise<TrainingState> {
  return withSkill(run, { ...state, version }, candidate, verdict.complete ? score : undefined)
}
