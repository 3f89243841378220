import { testedPairs } from '../../../app/evaluation-details.js'
import { failingTasks } from '../../../app/failing-tasks.js'
import { stateOf } from '../../../app/run-state.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { lineOrigins, type Span } from '../../../core/skill/document.js'
import { minedText, provenanceOf, taskCounts } from '../../../core/text/format.js'
import { visibleJson } from '../../../core/text/visible.js'
import { editEvidence, isTrialEdit, trialCountsText } from '../../../core/view/edit-evidence.js'
import { editText } from '../../../core/view/edit-text.js'
import type { EditView, GateView, RunView, StepView } from '../../../core/view/fold.js'
import { gateScoreText } from '../../../core/view/gate-estimate.js'
import { verdictOf } from '../../../core/view/run-verdict.js'
import { settingsOf } from '../../../core/view/settings-list.js'
import { simulatedMark } from '../../../core/view/simulated-mark.js'
import { earlyEnd } from '../../../core/view/stop-reason.js'
import { type OpenedRun, openRunOrNewest, skillTokens } from '../../inputs/open-run.js'
import { evaluatedTable } from '../../output/evaluation-report.js'
import { failingBlock } from '../../output/failing-tasks.js'
import { gateSentence } from '../../output/plain.js'
import { decisionOf } from '../../output/progress.js'
import {
  type SkillTokens,
  sizeText,
  spendingReport,
  testTable,
  typeTable,
  verdictLines,
} from '../../output/run-report.js'
import { ago, type Colors, clean, fit, oneLine, padEnd, plural, points, table } from '../../output/text.js'
import { additionLines, roundText, trialDecision, trialEditsBlock } from '../../output/trial-edits.js'
import { type Io, printLine } from '../../terminal/io.js'
import { showDiff } from './show-diff.js'
import { attemptBlocks, attemptsAt } from './show-task.js'

export interface ShowFlags {
  readonly json?: true | undefined
  readonly sources?: true | undefined
  readonly lines?: true | undefined
  readonly task?: string | undefined
  /** The two versions to compare. `true` means the seed and the best skill. */
  readonly diff?: readonly string[] | true | undefined
}

export async function show(io: Io, named: string | undefined, flags: ShowFlags): Promise<number> {
  const run = await openRunOrNewest(io, named)
  if (flags.diff !== undefined) return showDiff(io, run, flags.diff === true ? [] : flags.diff)
  if (flags.task !== undefined) {
    const attempts = await attemptsAt(run, flags.task)
    printLine(io, flags.json ? visibleJson(attempts) : attemptBlocks(flags.task, attempts, io.colors))
    return exitCodes.ok
  }
  if (flags.json) {
    const verdict = verdictOf(run.view, await testedPairs(run.view, ref => run.reader.get(ref)))
    printLine(io, visibleJson({ directory: run.directory, verdict, ...run.view }))
    return exitCodes.ok
  }
  const { view } = run
  const { colors } = io
  const seed = view.seedSkill === '' ? '' : await run.reader.get(view.seedSkill)
  const answer = verdictLines(view, await testedPairs(view, ref => run.reader.get(ref)), colors)
  const blocks = [
    overview(run, { state: await stateOf(view), tokens: await skillTokens(run), answer }, colors),
    settings(view, flags.sources === true, colors),
    trialEditsBlock(view, colors, seed),
    testTable(view, colors),
    evaluatedTable(view, colors),
    typeTable(view, colors),
    failingBlock(await failingTasks(view, run.reader.events()), colors),
    ...history(view, seed, colors),
    finalTestBlock(view, colors),
    versionTable(view, colors),
    flags.lines ? await lineTable(run, colors) : '',
    spendingReport(view, colors),
  ]
  printLine(io, blocks.filter(block => block !== '').join('\n\n'))
  return exitCodes.ok
}

function overview(
  { view, directory }: OpenedRun,
  { state, tokens, answer }: { state: string; tokens: SkillTokens; answer: string },
  colors: Colors,
): string {
  const early = earlyEnd(view)
  const marks = [simulatedMark(view), view.importedFrom && 'imported'].filter(word => word !== undefined)
  const mark = marks.map(word => ` ${colors.inverse(` ${word} `)}`).join('')
  return [
    `${colors.bold(view.run)}${mark}  ${state}, ${ago(Date.now() - view.lastAt)}`,
    answer,
    `${directory} · ${view.product}${provenanceOf(view)}`,
    ...aboutLines(view, tokens),
    early === undefined ? '' : `training ended early: ${early}`,
    view.stopped
      ? `${colors.yellow('stopped:')} ${oneLine(view.stopped.message)} ${oneLine(view.stopped.hint ?? '')}`.trimEnd()
      : '',
  ]
    .filter(line => line !== '')
    .join('\n')
}

/** Lines about the run's tasks, steps and skill. A run that only mined tasks has none of these. */
function aboutLines(view: RunView, tokens: SkillTokens): string[] {
  if (view.kind === 'mine') return view.mining === undefined ? [] : [minedText(view.mining)]
  return [
    `${taskCounts(view)} · ${plural(view.epochs, 'epoch')} of at most ${plural(view.stepsPerEpoch, 'step')}`,
    `skill of ${sizeText(tokens, view)}`,
  ]
}

/**
 * Table of settings. By default it lists only settings that somebody chose; with `--sources` it lists all,
 * each with its source.
 */
function settings(view: RunView, all: boolean, colors: Colors): string {
  const rows = settingsOf(view)
    .filter(({ source }) => all || source !== 'default')
    .map(({ path, value, source }) => [path, fit(oneLine(value), 60), source])
  if (rows.length === 0) return 'All settings are the defaults.'
  return table(['setting', 'value', 'from'], rows, { colors })
}

/** Lists the steps. After the last step of an epoch it shows the result of the epoch's end. */
function history(view: RunView, seed: string, colors: Colors): string[] {
  const epochs = [...new Set([...view.steps, ...view.epochEnds].map(({ epoch }) => epoch))]
  return epochs.flatMap(epoch => [
    ...view.steps.filter(step => step.epoch === epoch).map(step => stepBlock(step, seed, colors)),
    ...view.epochEnds.filter(end => end.epoch === epoch).map(end => epochBlock(end, colors)),
  ])
}

/** Lists the edits decided in a round of trials. The list of all edits shows their evidence. */
function roundBlock(step: StepView, colors: Colors): string {
  const decided = step.edits.filter(isTrialEdit)
  const counts = decided.length === 0 ? '' : `: ${trialCountsText(decided)}`
  const state = step.outcome === undefined ? ` ${colors.cyan('in progress')}` : ''
  return [
    `${colors.bold(`round ${step.step}`)} (epoch ${step.epoch})${state}${counts}`,
    `  ${roundText(step)}`,
    ...(step.round?.refused ?? []).map(
      ({ edit, reason }) => `  ${colors.yellow('refused')} ${colors.dim(oneLine(edit))} ${oneLine(reason)}`,
    ),
    ...(step.gate ? [`  ${gateText(step.gate, 'checkpoint')}`] : []),
    ...decided.map(edit => {
      const { sign, paint, note } = trialDecision(edit, colors)
      return `  ${paint(sign)} ${colors.dim(edit.id)} ${note.replace(/ · round \d+$/, '')}`
    }),
  ].join('\n')
}

function finalTestBlock({ finalTest }: RunView, colors: Colors): string {
  if (finalTest === undefined) return ''
  return `${colors.bold('final test')} against the seed\n  ${gateText(finalTest, 'verdict')}`
}

function stepBlock(step: StepView, seed: string, colors: Colors): string {
  if (step.round !== undefined) return roundBlock(step, colors)
  const title = `${colors.bold(`step ${step.step}`)} (epoch ${step.epoch}) ${outcomeText(step, colors)}`
  const rollout = step.rollout
    ? `train ${points(step.rollout.hard)} on ${plural(step.rollout.scored, 'task')}`
    : 'no rollout yet'
  const failures =
    step.optimizerFailures > 0 ? `, ${plural(step.optimizerFailures, 'optimizer failure')}` : ''
  const proposed = `${plural(step.proposed.failure, 'edit')} proposed from failures, ${step.proposed.success} from successes, budget ${step.budget ?? 'unknown'}${failures}`
  return [
    title,
    `  ${rollout}; ${proposed}`,
    ...(step.gate ? [`  ${gateText(step.gate)}`] : []),
    ...step.edits.flatMap(edit => editBlock(step, edit, { seed, colors })),
  ].join('\n')
}

function outcomeText({ outcome }: StepView, colors: Colors): string {
  if (outcome === undefined) return colors.cyan('in progress')
  const text = outcome.replaceAll('-', ' ')
  return outcome === 'accepted'
    ? colors.green(text)
    : outcome === 'rejected'
      ? colors.red(text)
      : colors.yellow(text)
}

function gateText(gate: GateView, name = 'gate'): string {
  return `${name}: ${gateSentence(gate)}`
}

function editBlock(
  step: StepView,
  edit: EditView,
  { seed, colors }: { readonly seed: string; readonly colors: Colors },
): string[] {
  const decision = decisionOf(step, edit, colors)
  const sign = decision ? decision.paint(decision.sign) : colors.dim('·')
  const more = edit.taskCount > edit.tasks.length ? ` and ${edit.taskCount - edit.tasks.length} more` : ''
  const about = [
    edit.fate + (edit.match === 'tolerant' ? ' (tolerant match)' : ''),
    [supportOf(edit), originOf(edit)].filter(part => part !== '').join(', '),
    edit.tasks.length > 0 ? `tasks ${oneLine(edit.tasks.join(', '))}${more}` : '',
  ]
  const reason =
    edit.reason && edit.fate !== 'applied' ? [`      ${colors.yellow(oneLine(edit.reason))}`] : []
  return [
    `  ${sign} ${colors.dim(edit.id)} ${editText(edit)}`,
    ...(edit.why ? [`      why: ${oneLine(edit.why)}`] : []),
    `      ${colors.dim(about.filter(part => part !== '').join(' · '))}`,
    ...additionLines(edit, seed, colors),
    ...reason,
  ]
}

/** The text is empty for values that an imported run did not record. */
const supportOf = ({ support }: EditView): string => (support === 0 ? '' : `support ${support}`)
const originOf = ({ from }: EditView): string =>
  from === 'unknown' ? '' : `from ${from === 'failure' ? 'failures' : 'successes'}`

function epochBlock(
  { epoch, slowUpdate, slowUpdateGate, metaSkill }: RunView['epochEnds'][number],
  colors: Colors,
): string {
  const lines = [colors.bold(`end of epoch ${epoch}`)]
  if (slowUpdate) {
    lines.push(`  slow update ${slowUpdate.outcome}${pairsText(slowUpdate.pairs)}`)
    if (slowUpdate.guidance) lines.push(`      guidance: ${oneLine(slowUpdate.guidance)}`)
  }
  if (slowUpdateGate) lines.push(`  ${gateText(slowUpdateGate)}`)
  if (metaSkill)
    lines.push(`  meta skill: ${metaSkill.content === undefined ? 'failed' : oneLine(metaSkill.content)}`)
  return lines.join('\n')
}

function pairsText(pairs: NonNullable<RunView['epochEnds'][number]['slowUpdate']>['pairs']): string {
  if (pairs === undefined) return ''
  const { improved, regressed, persistent, stable } = pairs
  return `: ${improved} improved, ${regressed} regressed, ${persistent} still failing, ${stable} still right`
}

function versionTable(view: RunView, colors: Colors): string {
  if (view.versions.length === 0) return ''
  const rows = view.versions.map(version => [
    version.version === view.best?.version ? colors.bold(`v${version.version} best`) : `v${version.version}`,
    version.skill,
    validationOf(version, view),
    oneLine(version.because),
  ])
  return table(['version', 'hash', 'validation', 'because'], rows, { colors, right: [2] })
}

/** Validation score of a version. A training by trials has it only for checkpoints and the final test. */
function validationOf({ score, skill }: RunView['versions'][number], view: RunView): string {
  if (score !== undefined) return points(score)
  const gates = [...view.checkpoints, ...(view.finalTest === undefined ? [] : [view.finalTest])]
  const last = gates.findLast(({ candidate }) => candidate === skill)
  return last === undefined ? 'not evaluated' : gateScoreText(last)
}

/** Table of the best skill's lines, each with its origin: the seed, an edit or a slow update. */
async function lineTable({ view, reader }: OpenedRun, colors: Colors): Promise<string> {
  const best = view.best
  if (!best) return 'No best skill yet, so there are no lines to trace.'
  const text = await reader.get(best.text)
  const origins = JSON.parse(await reader.get(best.origins)) as readonly Span[]
  const lines = lineOrigins({ text, origins }).map(({ line, origins }) => ({
    line: clean(line),
    from: origins.join(', '),
  }))
  const width = Math.max(4, ...lines.map(({ from }) => from.length))
  const used = new Set(lines.flatMap(({ from }) => from.split(', ')))
  const all = view.loop === 'trials' ? view.trialEdits : view.steps.flatMap(step => step.edits)
  const edits = all.filter(edit => used.has(edit.id))
  const legend = edits.map(edit => {
    if (isTrialEdit(edit)) return `${colors.dim(padEnd(edit.id, width))}  ${oneLine(editEvidence(edit))}`
    const tasks = edit.tasks.length > 0 ? `tasks ${oneLine(edit.tasks.join(', '))}` : ''
    const evidence = [supportOf(edit), tasks].filter(part => part !== '').join('; ')
    const said = [oneLine(edit.why ?? ''), evidence === '' ? '' : `(${evidence})`].filter(part => part !== '')
    return `${colors.dim(padEnd(edit.id, width))}  ${said.join(' ')}`
  })
  return [
    colors.bold(`lines of v${best.version}, and where each came from`),
    ...lines.map(({ line, from }) => `${colors.dim(padEnd(from, width))}  ${line}`),
    '',
    ...legend,
  ].join('\n')
}
