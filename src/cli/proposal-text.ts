import { gateText } from '../core/gate-text.js'
import type { Proposal, ProposalEdit, ProposalTarget } from '../core/proposal.js'
import type { SleepTask } from '../core/sleep-task.js'
import type { NightProposal } from '../night-proposals.js'
import { unifiedDiff } from './report.js'
import { type Colors, count, fit, plural, points, shownPath, signedPoints } from './text.js'
import { hiddenWarning, visible, visibleLine } from './visible.js'

/** What a night proposes, for a person who decides on it. All of it was written by models, so all of it is made visible. */

export interface ProposalView {
  readonly colors: Colors
  readonly cwd: string
  readonly width: number
  /** Without it, long texts are cut, and it is said where. */
  readonly full: boolean
}

/** What a target says now and what is proposed; `problem` is why it cannot be adopted as it is. */
export interface TargetDiff {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly problem?: string | undefined
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
    lines.push('A simulated model wrote it: it says nothing about your work, and is there to try things out.')
  return lines.join('\n')
}

/** In the time of whoever reads it. */
export function timeText(at: string): string {
  const date = new Date(at)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

export function targetText(
  { proposal, night }: NightProposal,
  { name, path }: ProposalTarget,
  diff: TargetDiff,
  view: ProposalView,
): string {
  const { colors, cwd } = view
  const edits = proposal.edits.filter(edit => edit.target === name && edit.status === 'proposed')
  const warning = hiddenIn(diff)
  return [
    `${colors.bold(visibleLine(name))}  ${shownPath(path, cwd)}`,
    ...measuresOf(proposal, name).map(text => `  ${text}`),
    ...(diff.problem === undefined
      ? []
      : [`  ${colors.yellow('cannot be adopted as it is:')} ${diff.problem}`]),
    ...(warning === undefined ? [] : [`  ${colors.red('warning:')} ${warning}`]),
    '',
    diffText(diff, view),
    ...edits.map(edit => `\n${editText(edit, night.plan?.tasks ?? [], view)}`),
  ].join('\n')
}

/** Of what is new only: the person's own text is their own affair. */
export function hiddenIn({ before, after }: Pick<TargetDiff, 'before' | 'after'>): string | undefined {
  const own = new Set(before.split(/\r?\n/))
  return hiddenWarning(after.split(/\r?\n/).filter(line => !own.has(line)))
}

function measuresOf({ measures }: Proposal, name: string): string[] {
  const own = measures.filter(({ targets }) => targets.includes(name))
  if (own.length === 0) return ['It was not measured on tasks that the night had not seen.']
  return own.map(({ targets, tasks, split, before, after, difference, measured }) => {
    const others = targets.filter(other => other !== name)
    const where = measured
      ? split === 'val'
        ? 'On the tasks that decided'
        : 'On tasks that the night had not seen'
      : `On ${plural(tasks.length, 'task')} that edits were made from, so it proves nothing`
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
  if (from === to) return '  It says so already.'
  const lines = unifiedDiff(from, to, {
    ...{ from: before === '' ? 'no such file yet' : 'as it is', to: 'as proposed' },
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

const opWords: Readonly<Record<ProposalEdit['op'], string>> = {
  append: 'adds',
  insert_after: 'adds, after',
  replace: 'replaces',
  delete: 'removes',
}

function editText(edit: ProposalEdit, tasks: readonly SleepTask[], view: ProposalView): string {
  const { colors } = view
  const { id, op, anchor, content, why, effect, gate } = edit
  const about = anchor === undefined ? '' : ` "${fit(visibleLine(anchor), 80)}"`
  const by = op === 'replace' ? ' by' : ''
  const lines = op === 'delete' ? [] : visible(content).split('\n')
  return [
    `  ${colors.bold(`edit ${visibleLine(id)}`)} ${opWords[op]}${about}${by}`,
    ...cut(lines, view.full ? lines.length : mostEditLines, colors).map(line => `      ${line}`),
    `    why: ${cutText(visibleLine(why), view)}`,
    ...evidenceOf(edit, tasks, view).map(line => `    ${line}`),
    ...(gate === undefined ? [] : [`    ${gateText(gate)}`]),
    ...(effect === undefined
      ? []
      : [
          `    without it the score loses ${signedPoints(effect.mean)} points (${signedPoints(effect.low)} to ${signedPoints(effect.high)})`,
        ]),
  ].join('\n')
}

function cutText(text: string, { full, colors }: ProposalView): string {
  if (full || text.length <= mostWhy) return text
  return `${text.slice(0, mostWhy)}${colors.yellow(`… ${count(text.length - mostWhy)} more characters: --full`)}`
}

function evidenceOf(edit: ProposalEdit, all: readonly SleepTask[], view: ProposalView): string[] {
  const known = new Map(all.map(task => [task.id, task]))
  const ids = [...new Set(edit.tasks.map(id => taskOf(id, known)))]
  if (ids.length === 0) return ['no task is named for it']
  const rows = ids.slice(0, view.full ? ids.length : shownTasks).map(id => {
    const intent = known.get(id)?.intent
    return `  ${visibleLine(id)}${intent === undefined ? '' : `: ${fit(visibleLine(intent), view.width)}`}`
  })
  const left = ids.length - rows.length
  return [
    `because of ${plural(ids.length, 'task')}${sessionsText(edit, ids, known)}:`,
    ...rows,
    ...(left === 0 ? [] : [`  … ${count(left)} more: --full`]),
  ]
}

/** Each example of a task is tried by itself, under the task's id with a number. */
function taskOf(id: string, known: ReadonlyMap<string, SleepTask>): string {
  const whole = id.replace(/\.\d+$/, '')
  return known.has(id) || !known.has(whole) ? id : whole
}

function sessionsText(
  { sessions }: ProposalEdit,
  ids: readonly string[],
  known: ReadonlyMap<string, SleepTask>,
): string {
  const evidence = ids.flatMap(id => known.get(id)?.evidence ?? [])
  const days = evidence
    .flatMap(({ firstAt, lastAt }) => [firstAt, lastAt])
    .flatMap(at => (at === undefined ? [] : [new Date(at).toISOString().slice(0, 10)]))
    .sort()
  const [first, last] = [days[0], days.at(-1)]
  const period = first === undefined ? '' : first === last ? `, ${first}` : `, ${first} to ${last}`
  return sessions.length === 0 ? period : ` in ${plural(new Set(sessions).size, 'session')}${period}`
}

/** What came to nothing, one line each. */
export function leftOutText({ proposal }: NightProposal, view: ProposalView): string {
  const blocks = (['rejected', 'unmatched'] as const).flatMap(status => {
    const edits = proposal.edits.filter(edit => edit.status === status)
    if (edits.length === 0) return []
    const title =
      status === 'rejected'
        ? `${plural(edits.length, 'edit')} tried and rejected`
        : `${plural(edits.length, 'edit')} that fitted no text`
    const rows = edits.slice(0, view.full ? edits.length : shownTasks).map(edit => {
      const said = edit.op === 'delete' ? (edit.anchor ?? '') : edit.content
      return `  ${visibleLine(edit.id)} ${opWords[edit.op]} "${fit(visibleLine(said), 60)}": ${fit(visibleLine(edit.why), view.width)}`
    })
    const left = edits.length - rows.length
    return [[title, ...rows, ...(left === 0 ? [] : [`  … ${count(left)} more: --full`])].join('\n')]
  })
  return blocks.join('\n\n')
}
