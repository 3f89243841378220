import { mostSteps } from './most-steps.js'
import type { RunView, StageProgress } from './run-view.js'

/** Work per second of a stage in this session; undefined until two units are done. */
export function rateOf(stage: StageProgress, now: number): number | undefined {
  const until = stage.finished ? stage.lastAt : now
  const done = stage.done - stage.doneBefore
  const seconds = (until - stage.startedAt) / 1000
  return done < 2 || seconds <= 0 ? undefined : done / seconds
}

/** Active time, including the time since the last event. */
export function elapsed(view: RunView, now: number): number {
  return view.activeMs + (view.outcome === 'running' ? Math.max(0, now - view.lastAt) : 0)
}

/**
 * Estimates the active time left: the remaining attempts divided by the attempts per second so far. Stopped
 * gates and cached tasks make the estimate too high, hence "about" wherever it is shown.
 */
export function timeLeft(view: RunView, now: number): number | undefined {
  const done = view.attempts.scored + view.attempts.failed
  const spent = elapsed(view, now)
  if (view.outcome !== 'running' || view.epochs === 0 || done < 10 || spent < 2000) return undefined
  return (attemptsLeft(view) / done) * spent
}

function attemptsLeft(view: RunView): number {
  const validation = view.baseline ? view.baseline.scored + view.baseline.failed : view.tasks.val
  const current = view.steps.at(-1)
  const stage = (name: StageProgress['stage']) => view.stages.find(candidate => candidate.stage === name)
  const open = (progress: StageProgress | undefined, otherwise: number) =>
    progress ? progress.total - progress.done : otherwise
  const batch = current?.taskCount ?? view.tasks.train / Math.max(1, view.stepsPerEpoch)
  // Training may end before its last step; the tests have then begun.
  const isOver = view.stage === 'test' && current?.outcome !== undefined
  // Rounds of trials have no gate of their own; the final test runs two skills.
  const isByTrials = view.loop === 'trials'
  const perStep = isByTrials ? batch : batch + validation
  const final = isByTrials && view.finalTest === undefined && !isOver ? 2 * view.tasks.val : 0
  const stepsAfter = isOver ? 0 : mostSteps(view) - (current?.step ?? 0)
  const inStep =
    current === undefined || current.outcome !== undefined
      ? 0
      : open(stage('rollout'), batch) + open(stage('gate'), isByTrials ? 0 : validation)
  const tested = view.tests.length
  const tests = open(stage('test'), Math.max(0, 4 - tested) * view.tasks.test)
  return Math.max(0, stepsAfter) * perStep + inStep + final + open(stage('baseline'), 0) + tests
}
