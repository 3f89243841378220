import { editAdditions, sensitiveText } from '../../core/redaction/sensitive.js'
import { visible, visibleLine } from '../../core/text/visible.js'
import { gateText } from '../../sleep/model/gate-text.js'
import type { Proposal, ProposalEdit, ProposalTarget } from '../../sleep/model/proposal.js'
import type { SleepTask } from '../../sleep/model/sleep-task.js'
import { editWords, measuredOn } from '../../sleep/model/wording.js'
import { evidenceOf, hiddenIn, type TargetDiff } from '../../sleep/proposal/adoption.js'
import type { NightProposal } from '../../sleep/proposal/night-proposals.js'
import { unifiedDiff } from './run-report.js'
import { type Colors, count, fit, plural, points, shownPath, signedPoints } from './text.js'

/**
 * Formats a night's proposal for the user's decision. Models wrote all of it, so invisible characters are
 * made visible.
 */

export interface ProposalView {
  readonly colors: Colors
  readonly cwd: string
  readonly width: number
  /** If false, long texts are truncated and marked as such. */
  readonly full: boolean
}

const mostDiffLines = 120
const mostEditLines = 12
const mostWhy = 400
const shownTasks = 5

export function headingOf({ night, proposal }: NightProposal, { colors }: ProposalView): string {
  const mark = night.outcome?.simulated === true ? ` ${colors.inverse(' SIMULATED ')}` : ''
  const { accepted, reason } = proposal.verdict
  const verdict = accepted ? colors.green('accepted') : colors.red('not accepted')
  const lines = [
    `${colors.bold(`Night ${night.number}`)}${mark}  proposed ${timeText(proposal.madeAt)}`,
    `${verdict}: ${visibleLine(reason)}`,
  ]
  if (night.outcome?.simulated === true)
    lines.push('Written by a simulated model, for trying things out; it says nothing about your work.')
  return lines.join('\n')
}

/** Formats a time in the reader's time zone. */
export function timeText(at: string): string {
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

export function targetText(
  { proposal, night }: NightProposal,
  { target: { name, path }, diff }: { readonly target: ProposalTarget; readonly diff: TargetDiff },
  view: ProposalView,
): string {
  const { colors, cwd } = view
  const edits = proposal.edits.filter(edit => edit.target === name && edit.status === 'proposed')
  const warning = hiddenIn(diff)
  return [
    `${colors.bold(visibleLine(name))}  ${shownPath(path, cwd)}`,
    ...measuresOf(proposal, name).map(text => `  ${text}`),
    ...(diff.problem === undefined ? [] : [`  ${colors.yellow('cannot be adopted:')} ${diff.problem}`]),
    ...(warning === undefined ? [] : [`  ${colors.red('warning:')} ${warning}`]),
    '',
    diffText(diff, view),
    ...edits.map(
      edit => `\n${editText(edit, { tasks: night.plan?.tasks ?? [], before: diff.before }, view)}`,
    ),
  ].join('\n')
}

function measuresOf({ measures }: Proposal, name: string): string[] {
  const own = measures.filter(({ targets }) => targets.includes(name))
  if (own.length === 0) return ['Not measured on fresh tasks.']
  return own.map(measure => {
    const { targets, before, after, difference } = measure
    const others = targets.filter(other => other !== name)
    const where = measuredOn(measure)
    const together = others.length === 0 ? '' : `, together with ${others.map(visibleLine).join(', ')}`
    const gain =
      difference === undefined
        ? `${signedPoints(after.mean - before.mean)} points`
        : `${signedPoints(difference.mean)} points (${signedPoints(difference.low)} to ${signedPoints(difference.high)})`
    return `${where}${together}: ${scoreText(before)} → ${scoreText(after)}: ${gain}`
  })
}

interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

export function scoreText({ mean, low, high }: Interval): string {
  return `${points(mean)} (${points(low)} to ${points(high)})`
}

export function diffText({ before, after }: TargetDiff, view: Pick<ProposalView, 'colors' | 'full'>): string {
  const shown = [before, after].map(visible)
  const [from = '', to = ''] = shown
  if (from === to) return '  Already in the file.'
  const lines = unifiedDiff(from, to, {
    from: before === '' ? 'new file' : 'before',
    to: 'proposed',
    colors: view.colors,
  }).split('\n')
  return cut(lines, view.full ? lines.length : mostDiffLines, view.colors)
    .map(line => `  ${line}`)
    .join('\n')
}

function cut(lines: readonly string[], most: number, colors: Colors): readonly string[] {
  if (lines.length <= most) return lines
  const left = lines.length - most
  return [...lines.slice(0, most), colors.yellow(`… ${plural(left, 'more line')}: --full shows all`)]
}

function editText(
  edit: ProposalEdit,
  { tasks, before }: { readonly tasks: readonly SleepTask[]; readonly before: string },
  view: ProposalView,
): string {
  const { colors } = view
  const { id, op, anchor, content, why, gate } = edit
  const about = anchor === undefined ? '' : ` "${fit(visibleLine(anchor), 80)}"`
  const by = op === 'replace' ? ' by' : ''
  const lines = op === 'delete' ? [] : visible(content).split('\n')
  const additions = sensitiveText(editAdditions({ target: anchor, content }, before))
  return [
    `  ${colors.bold(`edit ${visibleLine(id)}`)} ${editWords[op]}${about}${by}`,
    ...cut(lines, view.full ? lines.length : mostEditLines, colors).map(line => `      ${line}`),
    ...(additions === undefined ? [] : [`    ${colors.red('adds:')} ${visibleLine(additions)}`]),
    `    why: ${cutText(visibleLine(why), view)}`,
    ...evidenceLines(edit, tasks, view).map(line => `    ${line}`),
    ...(gate === undefined ? [] : [`    ${gateText(gate)}`]),
  ].join('\n')
}

function cutText(text: string, { full, colors }: ProposalView): string {
  if (full || text.length <= mostWhy) return text
  return `${text.slice(0, mostWhy)}${colors.yellow(`… ${count(text.length - mostWhy)} more characters: --full`)}`
}

function evidenceLines(edit: ProposalEdit, all: readonly SleepTask[], view: ProposalView): string[] {
  const { tasks, sessions, period } = evidenceOf(edit, all)
  if (tasks.length === 0) return ['no tasks named']
  const rows = tasks.slice(0, view.full ? tasks.length : shownTasks).map(({ id, task }) => {
    return `  ${visibleLine(id)}${task === undefined ? '' : `: ${fit(visibleLine(task.intent), view.width)}`}`
  })
  const left = tasks.length - rows.length
  const seen = sessions === 0 ? '' : ` in ${plural(sessions, 'session')}`
  return [
    `because of ${plural(tasks.length, 'task')}${seen}${period === undefined ? '' : `, ${period}`}:`,
    ...rows,
    ...(left === 0 ? [] : [`  … ${count(left)} more: --full`]),
  ]
}

/** Lists edits that were rejected or matched nothing, one line each. */
export function leftOutText({ proposal }: NightProposal, view: ProposalView): string {
  const blocks = (['rejected', 'unmatched'] as const).flatMap(status => {
    const edits = proposal.edits.filter(edit => edit.status === status)
    if (edits.length === 0) return []
    const title =
      status === 'rejected'
        ? `${plural(edits.length, 'edit')} tried and rejected`
        : `${plural(edits.length, 'edit')} that matched no text`
    const rows = edits.slice(0, view.full ? edits.length : shownTasks).map(edit => {
      const said = edit.op === 'delete' ? (edit.anchor ?? '') : edit.content
      return `  ${visibleLine(edit.id)} ${editWords[edit.op]} "${fit(visibleLine(said), 60)}": ${fit(visibleLine(edit.why), view.width)}`
    })
    const left = edits.length - rows.length
    return [[title, ...rows, ...(left === 0 ? [] : [`  … ${count(left)} more: --full`])].join('\n')]
  })
  return blocks.join('\n\n')
}
