import type { JudgeCheckResult } from '../../../app/index.js'
import type { Agreement } from '../../../core/statistics/agreement.js'
import type { Interval } from '../../../core/statistics/intervals.js'
import type { RunView } from '../../../core/view/fold.js'
import { viewRun } from '../../../store/run-directories.js'
import { spendingReport } from '../../output/run-report.js'
import { type Colors, count, oneLine, plural, points, shownPath, table } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmJudging } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { configFlags, sayEnd, type TrainFlags } from '../train/train.js'

export interface JudgeCheckFlags extends Omit<TrainFlags, 'out' | 'new' | 'fork'> {
  /** Path of the file with labels. */
  readonly judge: string
  readonly part?: string | undefined
}

/** Maximum number of rows printed. The JSON output contains all rows. */
const shownAtOnce = 20
/** With fewer labels than this, even a good judge's confidence interval includes useless judges. */
const fewLabels = 50

/** `doctor --judge`: measures how well the judge agrees with human labels. */
export async function measureJudge(
  io: Io,
  project: string | undefined,
  flags: JudgeCheckFlags,
): Promise<number> {
  // With `--json`, stdout contains only the result. Events would mix with it, so they are not shown.
  const display = createDisplay(io, { quiet: flags.json ?? flags.quiet })
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.judgeCheck({
      project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: configFlags(flags),
      labels: flags.judge,
      part: flags.part,
      env: io.env,
      cwd: io.cwd,
      signal: interrupt.signal,
      trust: trustFor(io, flags),
      onEvent: display.event,
      confirm: confirmJudging(io, flags),
      onWarnings: warnings => sayWarnings(io, warnings),
    })
    display.close()
    if (result.agreement !== undefined) await sayResult(io, result, flags)
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

async function sayResult(io: Io, result: JudgeCheckResult, flags: JudgeCheckFlags): Promise<void> {
  const view = await viewRun(result.directory)
  if (flags.json) {
    const { outcome, simulated, judge, threshold, agreement, answers } = result
    const record = { outcome, simulated, judge, threshold, agreement, answers, spending: view.spending }
    printLine(io, JSON.stringify(record, null, 2))
    return
  }
  printLine(
    io,
    `\n${judgeReport(result, view, { directory: shownPath(result.directory, io.cwd), colors: io.colors })}`,
  )
}

export function judgeReport(
  { judge, threshold, agreement, answers, simulated }: JudgeCheckResult,
  view: RunView,
  { directory, colors }: { readonly directory: string; readonly colors: Colors },
): string {
  if (agreement === undefined) return ''
  const mark = simulated ? ` ${colors.inverse(' simulated ')}` : ''
  const blocks = [
    `${colors.bold(judge)}${mark} against ${plural(agreement.compared, 'label')}; answers pass at ${threshold.toFixed(2)} or more`,
    measureTable(agreement, colors),
    passTable(agreement, colors),
    disagreements(answers, threshold, colors),
    failures(answers, colors),
    agreement.compared < fewLabels
      ? `Only ${plural(agreement.compared, 'label')}: use ${fewLabels} or more for a reliable result.`
      : '',
    `Details: ${directory}`,
    spendingReport(view, colors),
  ]
  return blocks.filter(block => block !== '').join('\n\n')
}

function measureTable(agreement: Agreement, colors: Colors): string {
  const { accuracy, kappa, meanDifference, correlation, selfConsistency } = agreement
  const between = ({ low, high }: Interval, show: (value: number) => string) =>
    `${show(low)} to ${show(high)}`
  const decimal = (value: number) => value.toFixed(2)
  const rows = [
    ['accuracy (pass or not)', points(accuracy.mean), between(accuracy, points)],
    kappa === undefined
      ? ["Cohen's kappa", 'none', 'label and judge give every answer the same verdict']
      : ["Cohen's kappa", decimal(kappa.mean), between(kappa, decimal)],
    ['mean difference', decimal(meanDifference), ''],
    ['correlation', correlation === undefined ? 'none' : decimal(correlation), ''],
    ['votes that agree', selfConsistency === undefined ? 'one vote per answer' : points(selfConsistency), ''],
  ]
  return table(['agreement', '', '95% interval'], rows, { colors, right: [1] })
}

function passTable(agreement: Agreement, colors: Colors): string {
  const { bothPass, bothFail, onlyJudgePasses, onlyLabelPasses } = agreement
  const rows = [
    ['label passes', count(bothPass), count(onlyLabelPasses)],
    ['label fails', count(onlyJudgePasses), count(bothFail)],
  ]
  return table(['answers', 'judge passes', 'judge fails'], rows, { colors, right: [1, 2] })
}

/**
 * Lists answers on which judge and label disagree, worst first. In these cases the rubric is unclear, or the
 * judge or the label is wrong.
 */
function disagreements(answers: JudgeCheckResult['answers'], threshold: number, colors: Colors): string {
  const wrong = answers
    .flatMap(answer => ('failure' in answer ? [] : [answer]))
    .filter(({ label, score }) => label >= threshold !== score >= threshold)
    .sort((left, right) => Math.abs(right.label - right.score) - Math.abs(left.label - left.score))
  if (wrong.length === 0) return ''
  const lines = wrong.slice(0, shownAtOnce).flatMap(({ task, answer, label, score, votes }) => {
    const nearest = [...votes].sort(
      (left, right) => Math.abs(left.score - score) - Math.abs(right.score - score),
    )[0]
    return [
      `  ${colors.bold(oneLine(task))}  label ${label.toFixed(2)}, judge ${score.toFixed(2)}: ${oneLine(nearest?.reason ?? '')}`,
      colors.dim(`      ${cut(oneLine(answer))}`),
    ]
  })
  const more = wrong.length - shownAtOnce
  return [
    colors.dim('disagreements'),
    ...lines,
    ...(more > 0 ? [`  and ${more} more (--json has all)`] : []),
  ].join('\n')
}

function failures(answers: JudgeCheckResult['answers'], colors: Colors): string {
  const failed = answers.flatMap(answer => ('failure' in answer ? [answer] : []))
  if (failed.length === 0) return ''
  const lines = failed
    .slice(0, shownAtOnce)
    .map(({ task, failure }) => `  ${oneLine(task)}  ${oneLine(failure.message)}`)
  return [colors.yellow(`${plural(failed.length, 'answer')} not judged and not counted`), ...lines].join('\n')
}

function cut(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}
