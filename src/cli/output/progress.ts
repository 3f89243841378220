import type { StageName } from '../../core/log/event.js'
import { isTrialEdit } from '../../core/view/edit-evidence.js'
import { editText } from '../../core/view/edit-text.js'
import type { EditView, RunView, StageProgress, StepOutcome, StepView } from '../../core/view/fold.js'
import { mostSteps } from '../../core/view/most-steps.js'
import { isFree, simulatedMark } from '../../core/view/simulated-mark.js'
import { earlyEnd } from '../../core/view/stop-reason.js'
import { elapsed, rateOf, timeLeft } from '../../core/view/time-left.js'
import { scoreChart } from './chart.js'
import {
  type Colors,
  duration,
  fit,
  joinLines,
  joinWithin,
  knownCost,
  oneLine,
  padEnd,
  padStart,
  plural,
  shortCount,
} from './text.js'
import { trialDecision } from './trial-edits.js'

export interface FrameOptions {
  readonly width: number
  /** Number of terminal rows. If they do not suffice, the plot is dropped first. */
  readonly height?: number
  readonly now: number
  readonly colors: Colors
  readonly name?: string
}

/** Formats the live view. No line exceeds the width, so nothing wraps. */
export function renderFrame(view: RunView, options: FrameOptions): string {
  const width = Math.max(40, options.width)
  const head = [...titleLines(view, options, width), '', ...stageLines(view, options, width)]
  const foot = [...moneyLines(view, options, width), timeLine(view, options, width)]
  const room = (options.height ?? 40) - head.length - foot.length - 3
  const plotHeight = room >= 12 ? 6 : 3
  const chart = room < 6 ? [] : scoreChart(view, { width, height: plotHeight, colors: options.colors })
  const edits = editLines(view, options.colors, {
    width,
    most: Math.max(1, Math.min(6, room - chart.length)),
  })
  return [head, chart, edits, foot]
    .filter(block => block.length > 0)
    .map(block => block.join('\n'))
    .join('\n\n')
}

function titleLines(view: RunView, { colors, name }: FrameOptions, width: number): string[] {
  const mark = simulatedMark(view)
  const badge = mark ? ` ${colors.inverse(colors.bold(` ${mark} `))}` : ''
  const badgeWidth = mark ? mark.length + 3 : 0
  const title = fit(oneLine(name ?? view.run), width - badgeWidth)
  if (view.kind === 'mine') return [colors.bold(title) + badge, fit(view.stage ?? 'starting', width)]
  const where = [
    `epoch ${Math.max(1, view.epoch)}/${view.epochs}`,
    `${view.loop === 'trials' ? 'round' : 'step'} ${view.step}/${mostSteps(view)}`,
    view.stage ?? 'starting',
    `tasks ${view.tasks.train} train, ${view.tasks.val} validation, ${view.tasks.test} test`,
  ]
  const line =
    view.epoch === 0 && view.steps.length === 0 ? [view.stage ?? 'starting', ...where.slice(3)] : where
  return [colors.bold(title) + badge, joinWithin(line, width)]
}

/** Stages that every step goes through. They have fixed positions, so that the display does not jump. */
const stepStages: readonly StageName[] = ['rollout', 'reflect', 'aggregate', 'select', 'gate']
const roundStages: readonly StageName[] = ['rollout', 'reflect', 'gate']

function stageLines(view: RunView, options: FrameOptions, width: number): string[] {
  const { colors } = options
  // Two rounds of trials run at the same time, so the current step may be either.
  const inStep = view.steps.slice(view.loop === 'trials' ? -2 : -1).some(({ step }) => step === view.step)
  const fixed = inStep ? (view.loop === 'trials' ? roundStages : stepStages) : []
  const rest = view.stages.filter(stage => !fixed.some(name => name === stage.stage))
  const rows = fixed.map(name => view.stages.find(stage => stage.stage === name) ?? name)
  return [...rows, ...rest].map(row =>
    typeof row === 'string' ? colors.dim(`${padEnd(row, 11)} –`) : stageLine(row, options, width),
  )
}

function stageLine(stage: StageProgress, { colors, now }: FrameOptions, width: number): string {
  const barWidth = Math.max(10, Math.min(40, width - 46))
  const paint = stage.finished ? colors.green : colors.cyan
  const name = padEnd(stage.stage, 11)
  if (stage.total === 0) return `${name} ${paint(plural(stage.done, 'call'))}`
  const filled = Math.round((stage.done / stage.total) * barWidth)
  const bar = `${paint('█'.repeat(filled))}${colors.dim('░'.repeat(barWidth - filled))}`
  const counts = padStart(`${shortCount(stage.done)}/${shortCount(stage.total)}`, 12)
  const failed = stage.failed > 0 ? colors.yellow(` ${plural(stage.failed, 'failure')}`) : ''
  return `${name} ${bar}${counts} ${padEnd(rateText(stage, now), 9)}${failed}`.trimEnd()
}

function rateText(stage: StageProgress, now: number): string {
  const rate = rateOf(stage, now)
  if (rate === undefined || stage.finished) return ''
  if (rate >= 1) return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`
  return rate >= 1 / 60 ? `${Math.round(rate * 60)}/min` : `${Math.round(rate * 3600)}/h`
}

/** The latest decisions about edits, oldest first. */
function editLines(
  view: RunView,
  colors: Colors,
  { width, most }: { readonly width: number; readonly most: number },
): string[] {
  const decided = view.steps.flatMap(step => step.edits.flatMap(edit => decisionOf(step, edit, colors) ?? []))
  return decided.slice(-most).map(({ sign, paint, text, note }) => {
    const room = width - 3 - note.length
    return `${paint(sign)} ${padEnd(fit(text, room), room)} ${colors.dim(note)}`
  })
}

export interface EditDecision {
  readonly sign: '+' | '−' | '?' | '·'
  readonly paint: (text: string) => string
  readonly text: string
  readonly note: string
}

/** The decision on an edit, once it is known. */
export function decisionOf(step: StepView, edit: EditView, colors: Colors): EditDecision | undefined {
  if (isTrialEdit(edit)) return trialDecision(edit, colors)
  const text = editText(edit)
  const note = (word: string) => `${word} · step ${step.step}`
  switch (edit.fate) {
    case 'unmatched':
      return { sign: '?', paint: colors.yellow, text, note: note('unmatched') }
    case 'refused':
      return { sign: '?', paint: colors.yellow, text, note: note('refused') }
    case 'applied':
      return { text, ...judgement(step.outcome, colors, note) }
    default:
      return undefined
  }
}

function judgement(
  outcome: StepOutcome | undefined,
  colors: Colors,
  note: (word: string) => string,
): Omit<EditDecision, 'text'> {
  switch (outcome) {
    case 'accepted':
      return { sign: '+', paint: colors.green, note: note('accepted') }
    case 'rejected':
      return { sign: '−', paint: colors.red, note: note('rejected') }
    case 'abstained':
      return { sign: '·', paint: colors.dim, note: note('not decided') }
    default:
      return { sign: '·', paint: colors.cyan, note: note('in the gate') }
  }
}

/** Milliseconds that the latest failure stays on screen. */
const recentMs = 10_000

/**
 * The display mentions silence after this many milliseconds. An agent may work for minutes on one attempt.
 */
const quietMs = 20_000

function moneyLines(view: RunView, { colors, now }: FrameOptions, width: number): string[] {
  const { total } = view.spending
  const unknown = total.unknownUsage > 0 ? `, ${plural(total.unknownUsage, 'call')} unknown` : ''
  const quiet = now - view.lastAt
  const since = quiet < quietMs ? '' : `, last event ${duration(quiet)} ago`
  const flight = view.callsInFlight > 0 ? ` (${view.callsInFlight} in flight${since})` : ''
  const spent = [
    `calls ${shortCount(total.calls)}${flight}`,
    `tokens ${shortCount(total.input)} in (${shortCount(total.cachedInput)} cached), ${shortCount(total.output)} out${unknown}`,
    `cost ${isFree(view) ? 'none, simulated' : knownCost(total)}`,
  ]
  const trouble = [
    total.failedTries > 0 ? `retries ${total.failedTries} (${kinds(view.failedTries)})` : '',
    view.attempts.failed > 0 ? `failed attempts ${view.attempts.failed}` : '',
    view.optimizerFailures > 0 ? `optimizer failures ${view.optimizerFailures}` : '',
    view.unmatchedEdits > 0 ? `unmatched edits ${view.unmatchedEdits}` : '',
  ].filter(part => part !== '')
  const { lastFailure } = view
  const recent =
    lastFailure && now - lastFailure.at < recentMs
      ? [`${lastFailure.kind}: ${oneLine(lastFailure.message)}`]
      : []
  const lines = [...joinLines(trouble, width), ...recent.map(text => fit(text, width))]
  return [...joinLines(spent, width), ...lines.map(line => colors.yellow(line))]
}

export function kinds(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, number]) => `${kind} ${number}`)
    .join(', ')
}

function timeLine(view: RunView, { now, colors }: FrameOptions, width: number): string {
  const left = timeLeft(view, now)
  const parts = [`elapsed ${duration(elapsed(view, now))}`]
  if (left !== undefined) parts.push(`about ${duration(left)} left`)
  if (view.outcome === 'running') parts.push(colors.dim('Ctrl-C stops safely'))
  else parts.push(outcomeText(view))
  return joinWithin(parts, width)
}

/** Short description of how a run ended. */
export function outcomeText(view: RunView): string {
  const reason = earlyEnd(view)
  if (reason !== undefined) return `finished early: ${reason}`
  return view.outcome === 'cap' ? 'cap reached' : view.outcome
}
