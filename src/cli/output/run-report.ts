import { createTwoFilesPatch } from 'diff'
import type { PairedScores } from '../../core/comparison/skill-comparison.js'
import { valueAt } from '../../core/config/tree.js'
import type { EventBody } from '../../core/log/event.js'
import { cachedTokens, knownTokens, workTime } from '../../core/text/format.js'
import { trialCountsText } from '../../core/view/edit-evidence.js'
import type { RunView, Spending } from '../../core/view/fold.js'
import { gateChange } from '../../core/view/gate-estimate.js'
import { type RunVerdict, verdictOf } from '../../core/view/run-verdict.js'
import { isFree, simulatedMark } from '../../core/view/simulated-mark.js'
import { countedColumns } from '../../core/view/summary-columns.js'
import { inTestOrder, testedNames } from '../../core/view/test-results.js'
import { costOf } from './plain.js'
import { kinds, outcomeText } from './progress.js'
import {
  aboutTokens,
  type Colors,
  clean,
  count,
  knownCost,
  oneLine,
  plural,
  points,
  signedPoints,
  table,
} from './text.js'
import { acceptedEditsBlock } from './trial-edits.js'

export interface ReportOptions {
  readonly colors: Colors
  readonly directory: string
  readonly seed: string
  readonly best: string | undefined
  readonly tokens: SkillTokens
  /** Paired scores of the best and the initial skill on the test split. */
  readonly tested?: PairedScores | undefined
}

/** Token counts of a run's first skill and, if there is one, its best skill. */
export interface SkillTokens {
  readonly seed: number
  readonly best?: number | undefined
}

/** The summary at the end of a run: whether training helped, what changed, where files are, what it cost. */
export function endReport(view: RunView, options: ReportOptions): string {
  const { colors } = options
  const blocks = [
    heading(view, colors),
    verdictLines(view, options.tested, colors),
    acceptedEditsBlock(view, colors, options.seed),
    testTable(view, colors),
    typeTable(view, colors),
    gateLine(view, colors),
    // The changes are left out if the run can be resumed; `skillopt show --diff` prints them.
    view.outcome === 'finished' ? skillDiff(view, options) : '',
    whereIsIt(view, options),
    spendingReport(view, colors),
  ]
  return blocks.filter(block => block !== '').join('\n\n')
}

function heading(view: RunView, colors: Colors): string {
  const simulated = simulatedMark(view)
  const mark = simulated ? ` ${colors.inverse(` ${simulated} `)}` : ''
  const steps = view.steps.filter(step => step.outcome !== undefined)
  if (view.loop === 'trials')
    return `${colors.bold(view.run)}${mark}  ${outcomeText(view)} · ${plural(steps.length, 'round')}; edits: ${trialCountsText(view.trialEdits)}`
  const accepted = steps.filter(step => step.outcome === 'accepted').length
  return `${colors.bold(view.run)}${mark}  ${outcomeText(view)} · ${plural(steps.length, 'step')}, ${accepted} accepted`
}

const verdictColors = {
  better: 'green',
  worse: 'red',
  'cannot-tell': 'yellow',
  'no-change': 'yellow',
} as const

/** Whether the skill is better on unseen tasks, and what to do next. */
export function verdictLines(view: RunView, tested: PairedScores | undefined, colors: Colors): string {
  const verdict = verdictOf(view, tested)
  if (verdict === undefined) return ''
  return `${verdictLine(view, verdict, colors)}\n${oneLine(verdict.next)}`
}

function verdictLine(view: RunView, { answer, sentence }: RunVerdict, colors: Colors): string {
  const mark = view.simulated ? ` (${simulatedMark(view)})` : ''
  return `${colors[verdictColors[answer]](oneLine(sentence))}${mark}`
}

/** Says what the gate prevented: how many candidates did worse on validation, and by how much. */
export function gateLine(view: RunView, colors: Colors): string {
  // A training by trials has no rejected candidates; its checkpoints take edits back.
  if (view.loop === 'trials') return ''
  const gates = view.steps.flatMap(({ step, gate }) => (gate === undefined ? [] : [{ step, gate }]))
  const rejected = gates.filter(({ gate }) => gate.action === 'reject')
  const loss = ({ gate }: (typeof gates)[number]) => gateChange(gate) ?? 0
  const [worst] = rejected.toSorted((a, b) => loss(a) - loss(b))
  if (worst === undefined || loss(worst) >= 0) return ''
  const harmful = rejected.filter(each => loss(each) < 0).length
  return `The gate rejected ${plural(harmful, 'candidate')} that did worse on validation, ${worst.gate.verdict.complete ? 'up to' : 'one by about'} ${colors.red(`${signedPoints(loss(worst))} points`)} (step ${worst.step}).`
}

type Test = EventBody<'test.finished'>

export function testTable(view: RunView, colors: Colors): string {
  if (view.tests.length === 0) return ''
  const initial = testOf(view, 'initial')
  const counted = countedColumns(view.tests)
  const rows = inTestOrder(view.tests).map(test => [
    test.which === 'best' ? colors.bold(testedNames[test.which]) : testedNames[test.which],
    test.failed > 0 ? `${count(test.scored)} (${test.failed} failed)` : count(test.scored),
    test.scored === 0 ? 'none scored' : points(test.score),
    test.scored === 0 ? '' : between(test.interval),
    initial && test.which !== 'initial' && test.scored > 0 && initial.scored > 0
      ? signedPoints(test.score - initial.score)
      : '',
    ...counted.map(({ cell }) => cell(test)),
  ])
  const usual = ['test split', 'tasks', 'score', '95% interval', 'against initial']
  const head = [...usual, ...counted.map(column => column.head)]
  const right = [1, 2, 4, ...counted.map((_, index) => usual.length + index)]
  return table(head, rows, { colors, right })
}

function testOf(view: RunView, which: Test['which']): Test | undefined {
  return view.tests.find(test => test.which === which)
}

function between({ low, high }: { low: number; high: number }): string {
  return `${points(low)} to ${points(high)}`
}

/** Table of test scores by task type. A single type would repeat the main table, so it is left out. */
export function typeTable(view: RunView, colors: Colors): string {
  const tests = inTestOrder(view.tests)
  const types = [...new Set(tests.flatMap(test => test.types.map(row => row.type)))]
  if (types.length < 2) return ''
  const rows = types.map(type => {
    const cells = tests.map(test => test.types.find(row => row.type === type))
    const tasks = Math.max(...cells.map(cell => (cell ? cell.scored + cell.failed : 0)))
    const scores = cells.map(cell => (cell && cell.scored > 0 ? points(cell.interval.mean) : '–'))
    return [clean(type === '' ? '(no type)' : type), count(tasks), ...scores]
  })
  const head = ['by task type', 'tasks', ...tests.map(test => testedNames[test.which])]
  return table(head, rows, { colors, right: head.map((_, index) => index).slice(1) })
}

function skillDiff(view: RunView, { seed, best, colors }: ReportOptions): string {
  if (best === undefined || best === seed) return ''
  return unifiedDiff(seed, best, {
    from: 'seed skill',
    to: `best skill (v${view.best?.version ?? '?'})`,
    colors,
  })
}

export function unifiedDiff(
  before: string,
  after: string,
  options: { from: string; to: string; colors: Colors },
): string {
  const { colors } = options
  const patch = createTwoFilesPatch(options.from, options.to, before, after, '', '', { context: 3 })
  const lines = clean(patch)
    .trimEnd()
    .split('\n')
    .filter(line => !/^=+$/.test(line))
  return lines
    .map(line => {
      if (line.startsWith('+++') || line.startsWith('---')) return colors.bold(line.trimEnd())
      if (line.startsWith('+')) return colors.green(line)
      if (line.startsWith('-')) return colors.red(line)
      return line.startsWith('@@') ? colors.cyan(line) : line
    })
    .join('\n')
}

function whereIsIt(view: RunView, { directory, colors, tokens }: ReportOptions): string {
  const best = view.best ? `Best skill: ${colors.bold(`${directory}/best_skill.md`)}` : 'No best skill yet.'
  const score = view.best ? ` (v${view.best.version}, validation ${points(view.best.score)})` : ''
  return `${best}${score}\nSize:       ${sizeText(tokens, view)}\nDetails:    skillopt show ${directory}`
}

/** Tokens of the best skill, compared with the seed. Each reading of the skill costs them. */
export function sizeText({ seed, best }: SkillTokens, { config }: RunView): string {
  const limit = valueAt(config, ['optimizer', 'tokenLimit'])
  const shown = aboutTokens(best ?? seed, typeof limit === 'number' ? limit : undefined)
  return best === undefined || best === seed ? shown : `${shown}; the seed skill has about ${count(seed)}`
}

export function spendingReport(view: RunView, colors: Colors): string {
  const { total, roles } = view.spending
  const rows = [
    ...Object.entries(roles).map(([role, spending]) => [role, ...spendingCells(spending, view)]),
    ['total', ...spendingCells(total, view)].map(cell => colors.bold(cell)),
  ]
  const head = ['model', 'calls', 'tokens in', 'of these cached', 'tokens out', 'cost']
  return [table(head, rows, { colors, right: [1, 2, 3, 4, 5] }), '', ...troubleLines(view)].join('\n')
}

function spendingCells(spending: Spending, view: RunView): string[] {
  const tokens = (number: number) => knownTokens(number, spending)
  const { input, cachedInput, output } = spending
  return [
    count(spending.calls),
    tokens(input),
    cachedTokens(cachedInput, spending, view),
    tokens(output),
    isFree(view) ? 'none' : knownCost(spending),
  ]
}

/** Lists every failure that led to no score, or states that there was none. */
function troubleLines(view: RunView): string[] {
  const { total } = view.spending
  const lost = view.callsLost + (view.outcome === 'running' ? 0 : view.callsInFlight)
  const perhaps = total.perhaps.input + total.perhaps.output
  const withKinds = (number: number, by: Readonly<Record<string, number>>) =>
    number === 0 ? 'none' : `${count(number)} (${kinds(by)})`
  return [
    `time ${workTime(view)}${view.importedFrom === undefined ? ` in ${plural(view.sessions, 'session')}` : ''} · ${costOf(view)}`,
    ...(view.importedFrom === undefined
      ? [
          `failed calls, retried: ${withKinds(total.failedTries, view.failedTries)} · failed attempts, not scored: ${withKinds(view.attempts.failed, view.failedAttempts)}`,
          `optimizer failures: ${view.optimizerFailures === 0 ? 'none' : view.optimizerFailures} · unmatched edits: ${view.unmatchedEdits === 0 ? 'none' : view.unmatchedEdits}`,
        ]
      : [`failures: not recorded · unmatched edits: ${view.unmatchedEdits}`]),
    view.attempts.cached > 0
      ? `${plural(view.attempts.cached, 'attempt')} reused from other evaluations at no cost`
      : '',
    total.unknownUsage > 0
      ? `${plural(total.unknownUsage, 'call')} without usage: the provider did not report it`
      : '',
    perhaps > 0 ? `tries without a reply may have been charged: up to ${count(perhaps)} tokens` : '',
    lost > 0
      ? `${plural(lost, 'call')} in flight when a session ended may have been charged; not recorded`
      : '',
  ].filter(line => line !== '')
}
