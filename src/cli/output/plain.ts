import { valueAt } from '../../core/config/paths.js'
import type { EventBody, RunEvent } from '../../core/log/event.js'
import { minedText } from '../../core/text/format.js'
import { editEvidence, isAccepted, trialFateWords } from '../../core/view/edit-evidence.js'
import { editText } from '../../core/view/edit-text.js'
import type { GateView, RunView } from '../../core/view/fold.js'
import { gateOf } from '../../core/view/fold-edits.js'
import { gateScoreText } from '../../core/view/gate-estimate.js'
import { mostSteps } from '../../core/view/most-steps.js'
import { isFree } from '../../core/view/simulated-mark.js'
import { earlyEnd } from '../../core/view/stop-reason.js'
import { decisionOf } from './progress.js'
import { type Colors, duration, knownCost, oneLine, plural, points } from './text.js'
import { roundText } from './trial-edits.js'

function resumeLine(view: RunView): string {
  const last = view.steps.at(-1)
  if (last === undefined) return 'resuming'
  const step = last.outcome === undefined ? last.step : last.step + 1
  return step > mostSteps(view) ? 'resuming after the last step' : `resuming at step ${step}`
}

/**
 * Output for a pipe or a log file instead of the live view: one line per notable event, none for single
 * calls. `view` is the state after the event.
 */
export function plainLines(view: RunView, event: RunEvent, colors: Colors): string[] {
  switch (event.type) {
    case 'run.started':
      return [runLine(event.body)]
    case 'session.started':
      return event.body.resumed ? [resumeLine(view)] : []
    case 'call.failed':
      return firstOfItsKind(view, event.body)
    case 'attempt.failed':
      return [
        `attempt at ${oneLine(event.body.task)} failed (${event.body.kind}), not scored: ${oneLine(event.body.message)}`,
      ]
    case 'optimizer.failed':
      return [`optimizer failed in ${event.body.stage}: ${oneLine(event.body.message)}`]
    case 'evaluation.finished':
      if (event.body.stage !== 'baseline') return []
      return [`baseline: validation ${points(event.body.score)} on ${scored(event.body)}`]
    case 'trials.admitted': {
      const { edits, step, refused = [] } = event.body
      return [
        ...refused.map(({ edit, reason }) => `  refused edit ${oneLine(edit)}: ${oneLine(reason)}`),
        ...(edits.length === 0 ? [] : [`  ${admittedText(edits.length, step, view)}`]),
      ]
    }
    case 'edit.decided':
      return decidedLines(view, event.body, colors)
    case 'trials.designed':
      return [roundLine(view, event.body)]
    case 'step.started':
      // A round of trials prints its line at the event `trials.designed` instead.
      if (valueAt(view.config, ['train', 'loop']) === 'trials') return []
      return [
        `step ${event.body.step}/${mostSteps(view)} (epoch ${event.body.epoch}/${view.epochs}), at most ${plural(event.body.budget ?? 0, 'edit')}`,
      ]
    case 'rollout.finished':
      return [`  rollout: train ${points(event.body.hard)} on ${scored(event.body)}`]
    case 'reflect.finished':
      return [`  reflect: ${proposed(event.body)}`]
    case 'select.finished':
      return [
        `  select: ${plural(event.body.edits.length, 'edit')} kept, ${event.body.dropped.length} dropped`,
      ]
    case 'gate.decided':
      return [gateLine(event.body)]
    case 'step.finished':
      return stepLines(view, event.body, colors)
    case 'best.changed':
      return [`  best is now v${event.body.version}: validation ${points(event.body.score)}`]
    case 'slow-update.finished':
      return [`epoch ${event.body.epoch}: slow update ${event.body.outcome}`]
    case 'meta-skill.finished':
      return [
        `epoch ${event.body.epoch}: meta skill ${event.body.content === undefined ? 'failed' : 'written'}`,
      ]
    case 'test.finished':
      return [
        `test with ${event.body.which === 'none' ? 'no' : `the ${event.body.which}`} skill: ${points(event.body.score)} on ${scored(event.body)}`,
      ]
    case 'one-shot.finished':
      return [
        event.body.text === undefined
          ? `one-shot skill: not written, ${oneLine(event.body.summary)}`
          : `one-shot skill: written; ${oneLine(event.body.summary)}`,
      ]
    case 'task.mined':
      return minedLines(event.body)
    case 'task.dreamed':
      return dreamedLines(event.body)
    case 'mining.finished':
      return [`${minedText(event.body)}; ${plural(view.spending.total.calls, 'call')}, ${costOf(view)}`]
    case 'run.finished':
      return [
        ...endedEarly(view),
        `finished in ${duration(view.activeMs)}, ${plural(view.spending.total.calls, 'call')}, ${costOf(view)}`,
      ]
    case 'run.stopped':
      return [`stopped (${event.body.reason}): ${oneLine(event.body.message)}`]
    default:
      return []
  }
}

function runLine({ run, kind, simulated, tasks, epochs, stepsPerEpoch }: EventBody<'run.started'>): string {
  const mark = simulated ? ' [simulated]' : ''
  const counts = `${tasks.train} train, ${tasks.val} validation, ${tasks.test} test tasks`
  const plan =
    kind === 'train' ? `; ${plural(epochs, 'epoch')} of at most ${plural(stepsPerEpoch, 'step')}` : ''
  const what = {
    train: 'run',
    eval: 'evaluating',
    baseline: 'baselines of',
    'judge-check': 'judge check of',
    'gate-check': 'gate check of',
    probe: 'probe of',
    mine: 'mining tasks for',
  }[kind]
  if (kind === 'mine') return `${what} ${run}${mark}`
  return `${what} ${run}${mark}: ${counts}${plan}`
}

/** A permanent failure was already printed at the event `optimizer.failed`, with its reason. */
function minedLines(mined: EventBody<'task.mined'>): string[] {
  if (mined.status === 'failed') return []
  if (mined.status === 'skipped') return [`  no task: ${oneLine(mined.reason)}`]
  return [
    `  task: ${oneLine(mined.intent)}`,
    ...mined.dropped.map(check => `    check skipped: ${oneLine(check)}`),
  ]
}

function dreamedLines(dreamed: EventBody<'task.dreamed'>): string[] {
  const { task, status } = dreamed
  if (status === 'failed') return []
  if (status === 'skipped') return [`  no variants of ${oneLine(task)}: ${oneLine(dreamed.reason)}`]
  return [
    `  ${plural(dreamed.variants.length, 'variant')} of ${oneLine(task)}`,
    ...dreamed.dropped.map(text => `    variant skipped: ${oneLine(text)}`),
  ]
}

/**
 * A line for the first failure of each kind. The log and the report contain all of them; a line for each
 * would hide the other output.
 */
function firstOfItsKind(view: RunView, { kind, message, role }: EventBody<'call.failed'>): string[] {
  if (view.failedTries[kind] !== 1) return []
  return [`${role} call failed (${kind}; further ones are only counted): ${oneLine(message)}`]
}

function scored({ scored, failed }: { scored: number; failed: number }): string {
  return plural(scored, 'task') + (failed > 0 ? ` (${failed} failed, not scored)` : '')
}

function proposed({ patches, failed }: EventBody<'reflect.finished'>): string {
  const edits = patches.reduce((sum, patch) => sum + patch.edits.length, 0)
  const failures = failed > 0 ? `, ${plural(failed, 'analyst call')} failed` : ''
  return `${plural(edits, 'edit')} proposed by ${plural(patches.length, 'analyst call')}${failures}`
}

const gateNames: Readonly<Record<EventBody<'gate.decided'>['what'], string>> = {
  step: '  gate',
  'slow-update': 'slow update gate',
  last: 'last skill gate',
  checkpoint: '  checkpoint',
  final: 'final test against the seed',
}

function gateLine(gate: EventBody<'gate.decided'>): string {
  return `${gateNames[gate.what]}: ${gateSentence(gateOf(gate))}`
}

/** Text about edits admitted to the next round of trials. Edits of the last round have none. */
function admittedText(edits: number, step: number, view: RunView): string {
  const many = plural(edits, 'edit')
  return step > mostSteps(view)
    ? `${many} proposed too late to be tried`
    : `${many} on trial from round ${step} on`
}

function roundLine(view: RunView, { epoch, step }: EventBody<'trials.designed'>): string {
  const found = view.steps.find(each => each.step === step)
  return `round ${step}/${mostSteps(view)} (epoch ${epoch}/${view.epochs}): ${found === undefined ? '' : roundText(found)}`
}

/**
 * Prints each decision with its evidence and its round, because the next round has already begun. The end of
 * the run lists accepted and undecided edits.
 */
function decidedLines(
  view: RunView,
  { edit, decision, step }: EventBody<'edit.decided'>,
  colors: Colors,
): string[] {
  const known = view.trialEdits.find(({ id }) => id === edit)
  if (known === undefined || decision === 'kept' || decision === 'undecided') return []
  const [sign, word] = isAccepted(known)
    ? [colors.green('+'), `${trialFateWords[known.fate]}: `]
    : [colors.red('−'), '']
  return [`  ${sign} round ${step}: ${editText(known)}`, `    ${word}${oneLine(editEvidence(known))}`]
}

function stepLines(view: RunView, { step, outcome }: EventBody<'step.finished'>, colors: Colors): string[] {
  const record = view.steps.find(candidate => candidate.step === step)
  // In a training by trials, decisions are printed when they are made.
  if (record?.round !== undefined) return []
  const decisions = (record?.edits ?? []).flatMap(edit => {
    const decision = record && decisionOf(record, edit, colors)
    return decision ? [`  ${decision.paint(decision.sign)} ${decision.text}`] : []
  })
  return [...decisions, `  step ${step} ${outcome.replaceAll('-', ' ')}`]
}

function endedEarly(view: RunView): string[] {
  const reason = earlyEnd(view)
  return reason === undefined ? [] : [`training ended early: ${reason}`]
}

export function costOf(view: RunView): string {
  return isFree(view) ? 'simulated: no money was spent' : `cost ${knownCost(view.spending.total)}`
}

export function gateSentence(gate: Omit<GateView, 'candidate' | 'best'>): string {
  return `${gate.action.replaceAll('_', ' ')}, validation ${gateScoreText(gate)} (was ${points(gate.current)}): ${oneLine(gate.verdict.reason)}`
}
