import { diffLines } from 'diff'
import { editAdditions, sensitiveText } from '../../core/redaction/sensitive.js'
import { stripMarkers } from '../../core/skill/skill.js'
import type { Interval } from '../../core/statistics/intervals.js'
import {
  count,
  duration,
  listed,
  money,
  oneLine,
  plural,
  points,
  signedPoints,
} from '../../core/text/format.js'
import { fencedLines, markdownText } from '../../core/text/markdown-text.js'
import { editText } from '../../core/view/edit-text.js'
import { simulatedMark } from '../../core/view/simulated-mark.js'
import { gateText } from '../model/gate-text.js'
import { intentOf, occasionCounts } from '../model/occasions.js'
import type { Proposal, ProposalEdit } from '../model/proposal.js'
import { meaningOf, type SplitMeasure } from './measures.js'
import { type NightSpending, nothingNew, spentOf } from './outcome.js'
import type { PlannedNight } from './proposal.js'
import type { TargetResult } from './target-result.js'
import { decisionText } from './verdict.js'

export interface ReportSource {
  readonly night: PlannedNight
  readonly results: readonly TargetResult[]
  readonly proposal: Proposal
}

/**
 * Writes the report of a night for a person who did not watch it. Names, reasons and rules come from models
 * and transcripts. Each is therefore escaped within a line that we begin, or put into a code block that it
 * cannot close.
 */
export function nightReport(source: ReportSource): string {
  const { night, results, proposal } = source
  const views = results.map(({ run }) => run.log.view)
  const parts = [
    `# Night ${night.begun.number}: what was learned`,
    ...banners(source),
    lookedAt(source),
    ...results
      .filter(({ name }) => targetOf(proposal, name) !== undefined)
      .flatMap(target => learned(target, source)),
    ...unlearned(source),
    ...leftOut(proposal),
    '## What it took',
    costText(
      night.spent ?? spentOf(views),
      views.every(view => simulatedMark(view) === 'simulated'),
    ),
    '## What you can do',
    ...todo(proposal, night.begun.number),
  ]
  return `${parts.join('\n\n')}\n`
}

const quoted = (text: string, longest: number) => {
  const line = oneLine(text)
  return markdownText(line.length > longest ? `${line.slice(0, longest)}…` : line)
}

const targetOf = ({ targets }: Proposal, name: string) => targets.find(target => target.name === name)

// ── Warnings at the top ─────────────────────────────────────────────────────

function banners({ results, proposal }: ReportSource): readonly string[] {
  const marks = new Set(results.flatMap(({ run }) => simulatedMark(run.log.view) ?? []))
  const [simulated] = marks
  const ungated = results.filter(({ isNew, isGated }) => isNew && !isGated)
  return [
    ...(simulated === undefined
      ? []
      : [
          `> **${simulated.toUpperCase()}**: models that only pretend took part. Nothing here says anything about a real one.`,
        ]),
    ...(proposal.verdict.accepted
      ? []
      : [`> **NOT ACCEPTED**: ${quoted(proposal.verdict.reason, 1_000)} It cannot be adopted.`]),
    ...(ungated.length === 0
      ? []
      : [
          `> **NOT GATED**: what is proposed for ${ungated.map(({ name }) => markdownText(name)).join(', ')} was let in without asking whether it helps. Look at the test below before you adopt it.`,
        ]),
  ]
}

function lookedAt({ night, proposal }: ReportSource): string {
  const { tasks, models, sessions: read } = night.plan
  const { train, val, test } = occasionCounts(tasks)
  const intents = new Set(tasks.map(intentOf)).size
  const sessions = new Set(tasks.flatMap(({ evidence }) => evidence.sessions)).size
  const dreams = night.dreams?.length ?? 0
  const roles = Object.entries(models).map(([role, model]) => `${markdownText(role)} ${markdownText(model)}`)
  return [
    `- Project: ${markdownText(proposal.project)}`,
    `- Made: ${markdownText(proposal.madeAt)}`,
    `- Sessions read: ${count(read)}`,
    `- Looked at: ${plural(intents, 'task')} that recur in ${plural(sessions, 'session')}, on ${plural(train, 'occasion')} to learn from, ${val} to decide by, ${test} kept for the test`,
    ...(dreams === 0 ? [] : [`- Made up to learn from, too: ${plural(dreams, 'variant')} of them`]),
    `- Models: ${roles.length === 0 ? 'not said' : roles.join(', ')}`,
  ].join('\n')
}

// ── Learned changes ─────────────────────────────────────────────────────────

function learned(result: TargetResult, source: ReportSource): readonly string[] {
  const { name, run, region, validation, test } = result
  const edits = source.proposal.edits.filter(({ target, status }) => target === name && status === 'proposed')
  const measures = [validation, test].flatMap(measure => measure ?? [])
  return [
    `## ${markdownText(name)}`,
    `In ${markdownText(run.target.path)}. ${quoted(decisionText(result), 1_000)}`,
    ...(measures.length === 0
      ? ['Nobody has measured it.']
      : [measureTable(measures), ...measures.map(meaning), likely]),
    ...edits.map(edit => editItem(edit, { night: source.night, before: run.target.region })),
    'What Sleep keeps in this file would change so:',
    fencedLines('diff', regionDiff(run.target.region, region)),
  ]
}

const splitNames = { val: 'tasks to decide by', test: 'tasks that the night had not seen' } as const

function measureTable(measures: readonly SplitMeasure[]): string {
  const share = ({ mean, low, high }: Interval) => `${points(mean)} (${points(low)} to ${points(high)})`
  const rows = measures.map(
    ({ split, tasks, before, after, difference: { mean, low, high }, better, worse }) =>
      [
        splitNames[split],
        count(tasks),
        share(before),
        share(after),
        `${signedPoints(mean)} (${signedPoints(low)} to ${signedPoints(high)})`,
        `${better} / ${worse}`,
      ].join(' | '),
  )
  return [
    '| measured on | tasks | before | after | difference in points | better / worse |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(row => `| ${row} |`),
  ].join('\n')
}

const likely = 'In parentheses stands the range in which the true value lies, with a certainty of 95%.'

function meaning(measure: SplitMeasure): string {
  const on = measure.split === 'val' ? 'By the tasks that decided' : 'By tasks that the night had not seen'
  const bias =
    measure.split === 'val' ? ' These tasks chose among several changes, so they flatter a little.' : ''
  return `${on}: ${meaningOf(measure)}${bias}`
}

function editItem(
  edit: ProposalEdit,
  { night, before }: { readonly night: PlannedNight; readonly before: string },
): string {
  const { id, why, gate, tasks, sessions, anchor, content } = edit
  const additions = sensitiveText(editAdditions({ target: anchor, content }, before))
  const asked = [...night.plan.tasks, ...(night.dreams ?? [])].filter(task => tasks.includes(task.id))
  return [
    `- **${markdownText(id)}**: ${quoted(shownEdit(edit), 600)}`,
    ...(additions === undefined ? [] : [`  - **Brings in**: ${quoted(additions, 600)}`]),
    `  - Why: ${why.trim() === '' ? 'not said' : quoted(why, 600)}`,
    ...(gate === undefined ? [] : [`  - ${gateText(gate)}`]),
    `  - Learned from: ${
      asked.length === 0
        ? 'no single tasks'
        : asked
            .slice(0, 5)
            .map(({ intent }) => `“${quoted(intent, 160)}”`)
            .join(', ')
    }${asked.length > 5 ? ` and ${asked.length - 5} more` : ''}`,
    ...(sessions.length === 0 ? [] : [`  - Asked for in: ${markdownText(listed(sessions))}`]),
  ].join('\n')
}

const shownEdit = ({ op, content, anchor }: ProposalEdit) =>
  editText({ op, content: stripMarkers(content), target: stripMarkers(anchor ?? ''), title: undefined })

function regionDiff(before: string, after: string): readonly string[] {
  return diffLines(before === '' ? '' : `${before}\n`, `${after}\n`).flatMap(({ added, removed, value }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map(line => `${added ? '+' : removed ? '-' : ' '}${line}`),
  )
}

// ── Edits that were not accepted ────────────────────────────────────────────

function unlearned({ night, results, proposal }: ReportSource): readonly string[] {
  const others = results.filter(({ name }) => targetOf(proposal, name) === undefined)
  const lines = [
    ...others.map(({ name, isNew, objection, run }) => {
      const reason = isNew ? (objection ?? '') : nothingNew(run.log.view)
      return `- ${markdownText(name)}: ${quoted(reason, 1_000)}`
    }),
    ...night.plan.skipped.map(({ name, reason }) => `- ${quoted(name, 160)}: ${quoted(reason, 600)}`),
  ]
  return lines.length === 0 ? [] : ['## Nothing new for', lines.join('\n')]
}

/** Maximum number of edits in the report; the manifest lists them all. */
const mostShown = 30

function leftOut({ edits }: Proposal): readonly string[] {
  const lost = edits.filter(({ status }) => status !== 'proposed')
  if (lost.length === 0) return []
  const lines = lost
    .slice(0, mostShown)
    .map(
      edit =>
        `- ${edit.status === 'unmatched' ? 'Not made' : 'Rejected'}, ${markdownText(edit.target)}: ${quoted(shownEdit(edit), 300)}. ${quoted(edit.why, 600)}`,
    )
  const more = lost.length > mostShown ? [`…and ${lost.length - mostShown} more in proposal.json.`] : []
  return ['## What was tried and is not in it', lines.join('\n'), ...more]
}

// ── Cost and next steps ─────────────────────────────────────────────────────

function costText(spent: NightSpending, isFree: boolean): string {
  const { calls, tokens, cost, unknownUsage, unknownCost, activeMs } = spent
  const known = (amount: string, unknown: number, what: string) => {
    if (unknown === 0) return amount
    return unknown >= calls
      ? `unknown ${what}`
      : `${amount} and unknown ${what} of ${plural(unknown, 'call')}`
  }
  const used = known(plural(tokens, 'token'), unknownUsage, 'tokens')
  const price = isFree ? 'no money' : known(money(cost), unknownCost, 'cost')
  return `${plural(calls, 'call')}, ${used}, ${price}, in ${duration(activeMs)} of work.`
}

function todo({ verdict, edits }: Proposal, number: number): readonly string[] {
  if (!verdict.accepted)
    return ['Nothing: it cannot be adopted. The next night begins from what your files say then.']
  const [first] = edits.filter(({ status }) => status === 'proposed')
  const adopt = `skillopt sleep adopt --night ${number}`
  return [
    'Nothing has been changed yet. In the project’s folder:',
    fencedLines('sh', [
      `skillopt sleep review --night ${number}`,
      adopt,
      ...(first === undefined ? [] : [`${adopt} --edit ${first.id}`]),
      'skillopt sleep undo',
    ]),
    'The first shows it again, the second takes it over, `--edit` takes single changes only, and the last takes it back.',
  ]
}
