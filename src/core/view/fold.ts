import type { EventBody, EventOf, RunEvent, StageName } from '../log/event.js'
import { editsOfAggregate, editsOfRewrite, editsOfSelect, editsOfUpdate, gateOf } from './fold-edits.js'
import { countSpending, countSummed } from './fold-spending.js'
import {
  advance,
  attemptsAreTheWork,
  callsAreTheWork,
  finishStages,
  isBackground,
  noticeStage,
  startStage,
} from './fold-stages.js'
import { admitEdits, decideEdit, designRound, foldTrialGate } from './fold-trials.js'
import type { Draft, EpochEndView, Point, RunView, StepView } from './run-view.js'

export * from './run-view.js'

/**
 * Applies one event to the view. It is pure, and the only source of run state for all readers (live view,
 * report, dashboard, files of the run), so that they cannot disagree. It must run in a browser.
 */
export function foldEvent(before: RunView, event: RunEvent): RunView {
  const elapsed =
    event.type === 'session.started' || before.events === 0 ? 0 : Math.max(0, event.at - before.lastAt)
  const view: Draft = {
    ...before,
    events: event.seq + 1,
    lastAt: event.at,
    activeMs: before.activeMs + elapsed,
  }
  return foldBody(view, event)
}

/** `view` is a private copy, so events of calls and attempts, which are frequent, mutate it in place. */
function foldBody(view: Draft, event: RunEvent): RunView {
  switch (event.type) {
    case 'run.started':
      return startRun(view, event)
    case 'session.started':
      return startSession(view, event)
    case 'stage.started':
      return startStage(view, event)
    case 'step.started':
      return startStep(view, event)
    case 'call.started':
      countSpending(view, event)
      return noticeStage(view, event)
    case 'call.failed':
      countSpending(view, event)
      return view
    case 'call.finished':
      countSpending(view, event)
      if (callsAreTheWork(event.body.stage)) advance(view, event.body, event.at, false)
      return view
    case 'calls.summed':
      return countSummed(view, event)
    case 'attempt.finished': {
      const { outcome } = event.body
      return countAttempt(view, event, outcome.status === 'failed' ? outcome.failure : undefined)
    }
    case 'attempt.failed':
      return countAttempt(view, event, event.body)
    case 'optimizer.failed':
      return {
        ...view,
        optimizerFailures: view.optimizerFailures + 1,
        lastFailure: { at: event.at, kind: 'optimizer', message: event.body.message },
      }
    case 'rollout.finished':
      return foldRollout(view, event.body)
    case 'reflect.finished':
      return updateStep(view, event.body, step => ({
        proposed: countProposed(step.proposed, event.body.patches),
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'aggregate.finished':
      return updateStep(
        finishStages(view, ['rollout', 'reflect', 'aggregate'], event.at),
        event.body,
        step => ({
          edits: editsOfAggregate(event.body),
          optimizerFailures: step.optimizerFailures + event.body.failed,
        }),
      )
    case 'trials.admitted':
      return admitEdits(view, event.body)
    case 'trials.classified':
      return updateStep(view, event.body, step => ({
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'trials.designed':
      return designRound(view, event.body)
    case 'edit.decided':
      return decideEdit(view, event.body)
    case 'rate.decided':
      return updateStep(view, event.body, step => ({
        budget: event.body.budget,
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'select.finished':
      return updateStep(finishStages(view, ['select'], event.at), event.body, step => ({
        edits: editsOfSelect(step.edits, event.body),
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'rewrite.finished':
      return updateStep(view, event.body, step => ({
        edits: editsOfRewrite(step.edits, event.body.edit),
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'appendix.consolidated':
      return updateStep(view, event.body, step => ({
        optimizerFailures: step.optimizerFailures + event.body.failed,
      }))
    case 'update.finished':
      return updateStep(
        {
          ...finishStages(view, ['update'], event.at),
          unmatchedEdits:
            view.unmatchedEdits + event.body.reports.filter(report => report.status === 'unmatched').length,
        },
        event.body,
        step => ({
          edits: editsOfUpdate(step.edits, event.body),
          candidate: { skill: event.body.skill, text: event.body.text },
        }),
      )
    case 'evaluation.finished':
      return foldEvaluation(view, event)
    case 'skills.named':
      return { ...view, skills: event.body.skills }
    case 'gate.decided':
      return foldGate(view, event)
    case 'step.finished':
      return updateStep(view, event.body, () => ({
        outcome: event.body.outcome,
        activeTo: view.activeMs,
        spentTo: view.spending.total,
      }))
    case 'skill.version':
      return {
        ...view,
        versions: [...view.versions.filter(other => other.version !== event.body.version), event.body],
      }
    case 'best.changed':
      return {
        ...view,
        best: event.body,
        series: {
          ...view.series,
          best: putPoint(view.series.best, { step: event.body.version, value: event.body.score }),
        },
      }
    case 'slow-update.finished':
      return updateEpochEnd(finishStages(view, ['slow-update'], event.at), event.body.epoch, {
        slowUpdate: event.body,
      })
    case 'meta-skill.finished':
      return updateEpochEnd(finishStages(view, ['meta-skill'], event.at), event.body.epoch, {
        metaSkill: event.body,
      })
    case 'test.finished':
      return { ...view, tests: [...view.tests.filter(test => test.which !== event.body.which), event.body] }
    case 'one-shot.finished':
      return { ...finishStages(view, ['one-shot'], event.at), oneShot: event.body }
    case 'comparison.finished':
      // A training compares its tested skills before it ends.
      if (view.kind === 'train') return { ...view, comparison: event.body }
      return {
        ...finishStages(view, ['test'], event.at),
        comparison: event.body,
        outcome: 'finished',
        stopped: undefined,
      }
    case 'gain.measured':
      return view
    case 'task.mined':
      advance(view, { stage: 'mine', epoch: 0, step: 0 }, event.at, event.body.status === 'failed')
      return view
    case 'task.dreamed':
      advance(view, { stage: 'dream', epoch: 0, step: 0 }, event.at, event.body.status === 'failed')
      return view
    case 'mining.finished':
      return {
        ...finishStages(view, ['mine', 'dream'], event.at),
        mining: event.body,
        outcome: 'finished',
        stopped: undefined,
      }
    case 'run.finished':
      return {
        ...finishStages(view, ['test'], event.at),
        outcome: 'finished',
        stopped: undefined,
        because: event.body.because,
      }
    case 'run.stopped':
      if (view.outcome === 'finished') return view
      return {
        ...view,
        outcome: event.body.reason,
        stopped: { message: event.body.message, hint: event.body.hint },
      }
  }
}

function startRun(view: RunView, { at, body }: EventOf<'run.started'>): RunView {
  const { run, kind, product, simulated, config, sources, seedSkill, epochs, stepsPerEpoch } = body
  const { train = 0, val = 0, test = 0 } = body.tasks
  return {
    ...view,
    run,
    kind,
    product,
    simulated,
    config,
    sources,
    seedSkill,
    epochs,
    stepsPerEpoch,
    tasks: { train, val, test },
    forkedFrom: body.forkedFrom,
    importedFrom: body.importedFrom,
    startedAt: at,
  }
}

function startSession(view: RunView, { at, body }: EventOf<'session.started'>): RunView {
  return {
    ...view,
    sessions: view.sessions + 1,
    pid: body.pid,
    limits: body.limits,
    outcome: view.outcome === 'finished' ? 'finished' : 'running',
    stopped: undefined,
    lastFailure: undefined,
    callsLost: view.callsLost + view.callsInFlight,
    callsInFlight: 0,
    stages: view.stages.map(stage =>
      stage.finished ? stage : { ...stage, startedAt: at, doneBefore: stage.done },
    ),
  }
}

function startStep(view: RunView, { at, body }: EventOf<'step.started'>): RunView {
  const step: StepView = {
    epoch: body.epoch,
    step: body.step,
    budget: body.budget,
    taskCount: body.tasks.length,
    skill: body.skill,
    startedAt: at,
    activeFrom: view.activeMs,
    activeTo: undefined,
    spentFrom: view.spending.total,
    spentTo: undefined,
    rollout: undefined,
    proposed: { patches: 0, failure: 0, success: 0 },
    edits: [],
    round: undefined,
    optimizerFailures: 0,
    candidate: undefined,
    evaluation: undefined,
    gate: undefined,
    outcome: undefined,
  }
  // The next round of trials begins while attempts of the previous one are still running.
  const outlives = (stage: StageName) =>
    isBackground(stage) || (view.loop === 'trials' && stage === 'rollout')
  const stages = view.stages.filter(({ stage, finished }) => outlives(stage) && !finished)
  return {
    ...view,
    epoch: body.epoch,
    step: body.step,
    stage: undefined,
    stages,
    steps: [...view.steps, step],
  }
}

function countAttempt(
  view: Draft,
  { at, body }: EventOf<'attempt.finished'> | EventOf<'attempt.failed'>,
  failure: { kind: string; message: string } | undefined,
): RunView {
  const { scored, failed, cached } = view.attempts
  if (attemptsAreTheWork(body.stage)) advance(view, body, at, failure !== undefined)
  const isCached = 'cached' in body && body.cached === true
  view.attempts = failure
    ? { scored, failed: failed + 1, cached }
    : { scored: scored + 1, failed, cached: cached + (isCached ? 1 : 0) }
  if (failure) {
    const { kind, message } = failure
    view.failedAttempts = { ...view.failedAttempts, [kind]: (view.failedAttempts[kind] ?? 0) + 1 }
    view.lastFailure = { at, kind, message }
  }
  return view
}

function foldRollout(view: RunView, body: EventBody<'rollout.finished'>): RunView {
  const { hard, soft, scored, failed } = body
  const updated = updateStep(view, body, ({ rollout }) => {
    if (!rollout) return { rollout: { hard, soft, scored, failed } }
    const all = rollout.scored + scored
    const mean = (a: number, b: number) => (all === 0 ? 0 : (a * rollout.scored + b * scored) / all)
    return {
      rollout: {
        hard: mean(rollout.hard, hard),
        soft: mean(rollout.soft, soft),
        scored: all,
        failed: rollout.failed + failed,
      },
    }
  })
  const rollout = updated.steps.find(step => step.step === body.step)?.rollout
  if (!rollout || rollout.scored === 0) return updated
  const train = putPoint(updated.series.train, { step: body.step, value: rollout.hard })
  return { ...updated, series: { ...updated.series, train } }
}

function foldEvaluation(before: RunView, { at, body }: EventOf<'evaluation.finished'>): RunView {
  const { hard, soft, scored, failed, score, skill } = body
  // Fills in the score of a version that was added without one: the seed, or a forced slow update.
  const versions =
    body.split === 'val'
      ? before.versions.map(version =>
          version.skill === skill && version.score === undefined ? { ...version, score } : version,
        )
      : before.versions
  const testRows = body.split === 'test' ? { ...before.testRows, [skill]: body.rows } : before.testRows
  const view = { ...before, versions, testRows }
  if (body.stage === 'gate') {
    // The gate evaluates the slow update in the epoch's last step too, but it is not that step's candidate.
    return updateStep(view, body, step =>
      step.candidate?.skill === skill ? { evaluation: { hard, soft, scored, failed, score } } : {},
    )
  }
  if (view.kind !== 'train') return { ...view, evaluations: [...view.evaluations, body] }
  if (body.stage !== 'baseline') return view
  const finished = finishStages(view, ['baseline'], at)
  // The first baseline is that of the seed. Later ones score a text that was added without evaluation.
  if (view.baseline) return finished
  const validation = putPoint(view.series.validation, { step: 0, value: score })
  return { ...finished, baseline: body, series: { ...view.series, validation } }
}

function foldGate(before: RunView, { at, body }: EventOf<'gate.decided'>): RunView {
  const view = finishStages(before, ['gate'], at)
  const gate = gateOf(body)
  if (body.what === 'last') return { ...view, lastVerdict: gate }
  if (body.what === 'checkpoint' || body.what === 'final') {
    const trials = foldTrialGate(view, body, gate)
    if (!body.verdict.complete || body.action === 'abstain') return trials
    const validation = putPoint(view.series.validation, { step: body.step, value: body.score })
    return { ...trials, series: { ...trials.series, validation } }
  }
  if (body.what === 'slow-update') return updateEpochEnd(view, body.epoch, { slowUpdateGate: gate })
  const decided = updateStep(view, body, step => ({
    gate,
    evaluation: body.verdict.complete ? step.evaluation : undefined,
  }))
  // Only measured scores belong to the series: a bound or an estimate is no point of the line.
  if (!body.verdict.complete || body.action === 'abstain') return decided
  const validation = putPoint(view.series.validation, { step: body.step, value: body.score })
  return { ...decided, series: { ...decided.series, validation } }
}

function countProposed(before: StepView['proposed'], patches: EventBody<'reflect.finished'>['patches']) {
  const of = (from: 'failure' | 'success') =>
    patches.reduce(
      (sum, patch) => sum + (patch.from === from ? patch.edits.length + (patch.reminders?.length ?? 0) : 0),
      before[from],
    )
  return { patches: before.patches + patches.length, failure: of('failure'), success: of('success') }
}

function updateStep(
  view: RunView,
  { step: number }: { step: number },
  change: (step: StepView) => Partial<StepView>,
): RunView {
  return {
    ...view,
    steps: view.steps.map(step => (step.step === number ? { ...step, ...change(step) } : step)),
  }
}

function updateEpochEnd(view: RunView, epoch: number, change: Partial<EpochEndView>): RunView {
  const known = view.epochEnds.find(end => end.epoch === epoch)
  if (known) {
    return { ...view, epochEnds: view.epochEnds.map(end => (end === known ? { ...end, ...change } : end)) }
  }
  const fresh = { epoch, slowUpdate: undefined, slowUpdateGate: undefined, metaSkill: undefined, ...change }
  return { ...view, epochEnds: [...view.epochEnds, fresh] }
}

/**
 * Adds a point. A later value for the same step (a second round, a slow update) replaces the earlier one.
 * Points are sorted by step, because a baseline may end after the first step's rollouts.
 */
function putPoint(points: readonly Point[], point: Point): readonly Point[] {
  return [...points.filter(other => other.step !== point.step), point].sort((a, b) => a.step - b.step)
}
