import type { Place } from '../../../core/log/event.js'
import { scoreOfAttempt } from '../../../core/task/metric.js'
import type { Attempt, Task } from '../../../core/task/task.js'
import { startEarly } from '../../stages/concurrency.js'
import { rowOf } from '../../stages/rollout.js'
import type { Belief } from './belief.js'
import { constants } from './constants.js'
import { type DesignInput, designRound } from './design.js'
import { headroom } from './measure.js'
import { isViable, onProbation, pendingIn, rivalOf } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'
import type { Trial } from './types.js'
import { type Composed, composeVariant } from './variants.js'

/** Running attempts, in the order of the design. */
export interface Round {
  readonly round: number
  readonly attempts: readonly {
    readonly task: string
    readonly variant: Composed
    readonly attempt: Promise<Attempt>
  }[]
}

function plannedTrials({ round, attempts }: Round): readonly Trial[] {
  return attempts.map(({ task, variant }) => ({ round, task, score: 0, edits: variant.edits }))
}

/** Share of attempts that include an edit for all tasks: larger if the edit looks good, never 0 or 1. */
function inclusion(belief: Belief | undefined): number {
  const { globalStart, globalFrom, globalTo } = constants
  if (belief === undefined) return globalStart
  const { helps, harms } = belief
  return globalFrom + (globalTo - globalFrom) * (helps / (helps + harms + 1e-9))
}

/** Starts all attempts of a round's design at once. */
export async function startRound(
  training: TrialTraining,
  state: TrialState,
  { round, running }: { readonly round: number; readonly running?: Round },
): Promise<Round> {
  const { run, setup, seed } = training
  const { trials: settings, train } = setup.config
  const place: Place = { stage: 'rollout', epoch: training.epochOf(round), step: round }
  const input: DesignInput = {
    round,
    seed: train.seed,
    size: Math.min(settings.round, setup.tasks.train.length),
    explore: settings.explore,
    tasks: training.taskIds,
    trials: state.trials,
    running: running === undefined ? [] : plannedTrials(running),
    pending: pendingIn(state.pool),
    probation: onProbation(state.pool, settings),
    helps: edit => state.pool.beliefs.get(edit)?.helps ?? 0.2,
    inclusion: edit => inclusion(state.pool.beliefs.get(edit)),
    headroom: headroom(state.pool, state.trials, setup.tasks.train.length),
    rival: edit => rivalOf(state.pool, edit),
    isViable: edit => isViable(state.pool, edit, settings),
  }
  const planned = designRound(input).flatMap(({ task, variant }) => {
    const found = training.taskById.get(task)
    if (found === undefined) return []
    return [{ task: found, variant: composeVariant({ seed, limit: setup.limit }, state.pool, variant) }]
  })
  await announceRound(training, { state, round, planned }, place)
  return {
    round,
    attempts: planned.map(({ task, variant }) => ({
      task: task.id,
      variant,
      attempt: startEarly(
        run.perform(
          { kind: 'attempt', skill: variant.document.text, task, sample: 0, scope: `round ${round}` },
          place,
        ),
      ),
    })),
  }
}

interface Announced {
  readonly state: TrialState
  readonly round: number
  readonly planned: readonly { readonly task: Task; readonly variant: Composed }[]
}

async function announceRound(
  { run, budgetOf }: TrialTraining,
  { state, round, planned }: Announced,
  place: Place,
): Promise<void> {
  const { epoch } = place
  const variants = [...new Map(planned.map(({ variant }) => [variant.skill, variant])).values()]
  const tasks = planned.map(({ task }) => task.id)
  const skill = composeVariant(
    { seed: state.current, limit: undefined },
    { ...state.pool, accepted: [] },
    { pending: [], without: [] },
  ).skill
  await run.emit(
    'step.started',
    { epoch, step: round, budget: budgetOf(round), tasks, skill },
    `step ${round}`,
  )
  await run.emit('stage.started', { ...place, total: planned.length }, `rollout step ${round}`)
  const body = variants.map(variant => ({
    skill: variant.skill,
    text: run.put(variant.document.text),
    edits: [...variant.edits],
    attempts: planned.filter(one => one.variant.skill === variant.skill).length,
  }))
  await run.emit('trials.designed', { epoch, step: round, variants: body }, `round ${round}`)
}

export interface Observed {
  readonly trials: readonly Trial[]
  readonly attempts: readonly Attempt[]
}

/** Results of a round as trials, without attempts that failed for external reasons. */
export async function observe(training: TrialTraining, { round, attempts }: Round): Promise<Observed> {
  const done = await Promise.all(
    attempts.map(async ({ variant, attempt }) => ({ variant, attempt: await attempt })),
  )
  const trials = done.flatMap(({ variant, attempt }) => {
    const score = scoreOfAttempt(rowOf(attempt), training.score)
    return score === undefined ? [] : [{ round, task: attempt.task, score, edits: variant.edits }]
  })
  return { trials, attempts: done.filter(({ variant }) => variant.isWhole).map(({ attempt }) => attempt) }
}
