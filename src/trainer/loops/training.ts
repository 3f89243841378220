import { type Config, resolveModel } from '../../core/config/config.js'
import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'
import { metricScore } from '../../core/task/metric.js'
import { validate } from '../stages/validate.js'
import { type EvaluationContext, evaluateOnce, testSkill } from './evaluation.js'
import type { Setup } from './setup.js'
import { type Plan, planTraining } from './steps/step-plan.js'

/** Context shared by the stages of a training. */
export interface Training extends EvaluationContext {
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
    concurrency: 2 * resolveModel(setup.config.models.target, 'target').concurrency,
  }
}

/** Under a cap, training has priority: optional calls are skipped, and tests wait for the end. */
export function isCapped(limits: Config['limits']): boolean {
  return Object.values(limits).some(limit => limit !== undefined)
}

/**
 * Tests the baselines while training runs, since these tests are certain to be needed and depend on nothing.
 * They get a lane only when no stage has calls waiting. Under a cap they wait for the end, because training
 * has priority.
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
 * Makes sure that the current text has a score of its own. It may be the seed, a forced slow update, or a
 * last skill that was never gated.
 */
export async function ensureScored(
  training: Training,
  state: TrainingState,
  place: Place,
): Promise<TrainingState> {
  if (state.score !== undefined) return state
  const { score } = await evaluateOnce(training, { skill: state.current.text, split: 'val', place })
  return withScore(training.run, state, score)
}

interface GateInput {
  readonly candidate: SkillDocument
  readonly what: EventBody<'gate.decided'>['what']
  readonly place: Place
}

export function gateCandidate(
  { run, setup, score, concurrency }: Training,
  state: TrainingState,
  { candidate, what, place }: GateInput,
): Promise<EventBody<'gate.decided'>> {
  const options = {
    gate: setup.gate,
    settings: setup.config.evaluation,
    score,
    tasks: setup.tasks.val,
    concurrency,
  }
  return validate(
    run,
    { current: state.current.text, candidate: candidate.text, bestScore: state.best.score, what, place },
    options,
  )
}

export function isAccepted({ action }: EventBody<'gate.decided'>): boolean {
  return action === 'accept' || action === 'accept_new_best'
}

interface Accepted {
  readonly candidate: SkillDocument
  readonly decided: EventBody<'gate.decided'>
  readonly version: number
}

export function acceptCandidate(
  run: Run,
  state: TrainingState,
  { candidate, decided: { score, verdict }, version }: Accepted,
): Promise<TrainingState> {
  return withSkill(
    run,
    { ...state, version },
    { document: candidate, score: verdict.complete ? score : undefined },
  )
}

/** State carried from step to step. */
export interface TrainingState {
  readonly current: SkillDocument
  /** Absent until the current text itself was evaluated, since a score is never inherited. */
  readonly score: number | undefined
  /** Version N is the skill that step N + 1 starts with. */
  readonly version: number
  readonly best: { readonly document: SkillDocument; readonly score: number; readonly version: number }
}

export function initialState(seed: SkillDocument): TrainingState {
  const best = { document: seed, score: Number.NEGATIVE_INFINITY, version: 0 }
  return { current: seed, score: undefined, version: 0, best }
}

/** Records the score of the current skill, which becomes the best skill if no earlier one scored as high. */
export async function withScore(run: Run, state: TrainingState, score: number): Promise<TrainingState> {
  if (score <= state.best.score) return { ...state, score }
  const { current, version } = state
  const body = { ...storedSkill(run, current), version, score }
  await run.emit('best.changed', body, `${version} ${body.skill}`)
  return { ...state, score, best: { document: current, score, version } }
}

/** Replaces the current skill by another, whose score may still be unknown. */
export async function withSkill(
  run: Run,
  state: TrainingState,
  { document, score }: { readonly document: SkillDocument; readonly score?: number | undefined },
): Promise<TrainingState> {
  const changed = { ...state, current: document, score: undefined }
  return score === undefined ? changed : withScore(run, changed, score)
}

export function storedSkill(
  run: Run,
  document: SkillDocument,
): { skill: string; text: string; origins: string } {
  return {
    skill: skillHash(document.text),
    text: run.put(document.text),
    origins: run.put(JSON.stringify(document.origins)),
  }
}
