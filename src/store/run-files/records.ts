import type { EventBody } from '../../core/log/event.js'
import type { Row } from '../../core/task/task.js'
import type { RunView, StepView, TrialEditView } from '../../core/view/fold.js'

/** Warning in files that users may mistake for the source of truth. */
const derived = 'Written from events.jsonl, which is the truth. Changes here are lost and change nothing.'

/** A record of `history.json`. */
export function stepRecord(step: StepView) {
  const { epoch, budget, outcome, rollout, proposed, candidate, evaluation, gate, optimizerFailures } = step
  return {
    step: step.step,
    epoch,
    budget,
    outcome: outcome ?? 'under way',
    skill: step.skill,
    train: rollout,
    proposed,
    optimizerFailures,
    candidate: candidate?.skill,
    validation: evaluation,
    gate,
    ...(step.round === undefined ? {} : { round: step.round }),
    edits: step.edits.map(({ tasks, taskCount, ...edit }) => ({ ...edit, tasks, taskCount })),
  }
}

/** A record of `edits.json`: an edit under test, and the evidence for or against it. */
export function editRecord({ trial, fate, reason, match: _, ...edit }: TrialEditView) {
  const { evidence, cause, concerned, admitted, decided } = trial
  return {
    ...edit,
    cause,
    concerned,
    proposedIn: admitted,
    decision: fate,
    decidedIn: decided,
    reason,
    ...evidence,
    trials: evidence?.trials ?? 0,
    triedOn: evidence?.tasks ?? 0,
    tasks: edit.tasks,
  }
}

export function summaryRecord(view: RunView) {
  const { run, kind, product, simulated, outcome, stopped, because, tasks, epochs, stepsPerEpoch } = view
  const { tests, spending } = view
  return {
    derived,
    run,
    kind,
    product,
    simulated,
    outcome,
    stopped,
    because,
    tasks,
    epochs,
    stepsPerEpoch,
    steps: view.steps.length,
    activeMs: view.activeMs,
    sessions: view.sessions,
    forkedFrom: view.forkedFrom,
    baseline: view.baseline && {
      score: view.baseline.score,
      hard: view.baseline.hard,
      soft: view.baseline.soft,
    },
    best: view.best && { version: view.best.version, skill: view.best.skill, score: view.best.score },
    ...(view.loop === 'trials' ? { checkpoints: view.checkpoints, finalTest: view.finalTest } : {}),
    series: view.series,
    tests,
    attempts: view.attempts,
    spending,
    trouble: {
      failedTries: view.failedTries,
      failedAttempts: view.failedAttempts,
      optimizerFailures: view.optimizerFailures,
      unmatchedEdits: view.unmatchedEdits,
      callsLost: view.callsLost,
    },
  }
}

/** The state of the run, for readers only. A resume uses the log instead. */
export function runtimeRecord(view: RunView) {
  const { run, outcome, stage, events, lastAt } = view
  const current = view.versions.at(-1)
  const last = view.steps.at(-1)
  return {
    derived,
    run,
    outcome,
    epoch: last?.epoch ?? 0,
    step: last?.step ?? 0,
    stage,
    events,
    lastAt,
    current: current && { version: current.version, skill: current.skill, score: current.score },
    best: view.best && { version: view.best.version, skill: view.best.skill, score: view.best.score },
  }
}

export function evaluationRecord(
  gate: EventBody<'gate.decided'>,
  evaluation: EventBody<'evaluation.finished'> | undefined,
  rows: readonly Row[] | undefined,
) {
  const { hard, soft, scored, failed } = evaluation ?? {}
  return { ...gate, hard, soft, scored, failed, rows }
}

export function rolloutRecord(body: EventBody<'attempt.finished'>, answer: string | undefined) {
  const { task, type, sample, skill, outcome, messages } = body
  return { task, type, sample, skill, ...outcome, answer, messages }
}
