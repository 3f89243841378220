import type { EventOf, Place, StageName } from '../log/event.js'
import type { Draft, RunView, StageProgress } from './run-view.js'

export function startStage(view: RunView, { at, body }: EventOf<'stage.started'>): RunView {
  const stepIsOpen = view.step > 0 && view.steps.at(-1)?.outcome === undefined
  const moved =
    isBackground(body.stage) && stepIsOpen
      ? view
      : { ...view, epoch: body.epoch, step: body.step, stage: body.stage }
  const known = view.stages.find(stage => isAt(stage, body))
  if (!known) return { ...moved, stages: [...view.stages, freshStage(body, body.total, at)] }
  // Another skill under test, or a slow update at the gate, adds to the work of the same stage.
  const more = { ...known, total: known.total + body.total, finished: false }
  return { ...moved, stages: view.stages.map(stage => (stage === known ? more : stage)) }
}

/** Starts a stage at its first call. Some stages consist of a few optimizer calls and have no start event. */
export function noticeStage(view: RunView, { at, body }: EventOf<'call.started'>): RunView {
  if (!unannounced.includes(body.stage) || view.stages.some(stage => isAt(stage, body))) return view
  return { ...view, stage: body.stage, stages: [...view.stages, freshStage(body, 0, at)] }
}

const unannounced: readonly StageName[] = ['aggregate', 'select', 'meta-skill', 'one-shot']

function freshStage({ stage, epoch, step }: Place, total: number, at: number): StageProgress {
  return {
    stage,
    epoch,
    step,
    total,
    done: 0,
    failed: 0,
    finished: false,
    startedAt: at,
    lastAt: at,
    doneBefore: 0,
  }
}

/** Whether a stage runs beside the steps, as baselines and tests do. Its progress bar outlives a step. */
export const isBackground = (stage: StageName) => stage === 'baseline' || stage === 'test'

const attemptStages: readonly StageName[] = ['baseline', 'rollout', 'gate', 'slow-update', 'test']
export const attemptsAreTheWork = (stage: StageName) => attemptStages.includes(stage)
const taskStages: readonly StageName[] = ['mine', 'dream']
/** Whether progress counts calls. Mining and dreaming count tasks, since a task takes one or two calls. */
export const callsAreTheWork = (stage: StageName) => !attemptsAreTheWork(stage) && !taskStages.includes(stage)

function isAt(stage: StageProgress, place: Place): boolean {
  return stage.stage === place.stage && stage.epoch === place.epoch && stage.step === place.step
}

/** Counts one finished or failed unit of a stage's work. */
export function advance(view: Draft, place: Place, at: number, failed: boolean): void {
  const index = view.stages.findIndex(stage => isAt(stage, place))
  const stage = view.stages[index]
  if (!stage) return
  // A repair round, or an attempt repeated after a resume, exceeds the announced total.
  const done = stage.total > 0 ? Math.min(stage.total, stage.done + 1) : stage.done + 1
  const finished = stage.total > 0 && done === stage.total
  view.stages = view.stages.with(index, {
    ...stage,
    done,
    finished,
    failed: stage.failed + (failed ? 1 : 0),
    lastAt: at,
  })
}

/**
 * Marks stages as finished. A stage may end early, because a gate stops or an attempt was cached, and its
 * progress bar is then full all the same.
 */
export function finishStages(view: RunView, names: readonly StageName[], at: number): RunView {
  const stages = view.stages.map(stage =>
    names.includes(stage.stage) && !stage.finished
      ? { ...stage, finished: true, done: Math.max(stage.done, stage.total), lastAt: at }
      : stage,
  )
  return { ...view, stages }
}
