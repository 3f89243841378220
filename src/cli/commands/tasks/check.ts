import { exitCodes } from '../../../core/errors/errors.js'
import { splitCounts } from '../../../core/statistics/random.js'
import { checkTasks, type Finding, type TasksReport } from '../../../prepare/check.js'
import { sightSentences, suggestedRatio } from '../../../prepare/how-many.js'
import type { DividedTasks, Draft } from '../../../prepare/read.js'
import { shownScorer } from '../../../prepare/scorer.js'
import { clean, plural } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { printFinding } from './print.js'
import { openTasks, type SourceFlags } from './source.js'

export interface CheckFlags extends SourceFlags {
  readonly json?: true | undefined
}

/** Reports every problem with tasks that can be found without calling a model. */
export async function checkTaskFiles(io: Io, source: string, flags: CheckFlags): Promise<number> {
  const opened = await openTasks(io, source, flags)
  const { report, ratio } = reportOn(opened)
  const findings = [...unusable(opened.problems), ...report.findings]
  const failed = findings.some(({ level }) => level === 'problem')
  if (flags.json === true) {
    const shown = { ...report, findings, scorer: opened.scorer.scorer, ratio: ratio ?? null }
    printLine(io, JSON.stringify({ source, ...shown, labels: report.labels ?? null }))
  } else {
    printCounts(io, source, { counts: report.counts, ratio })
    printLine(io, `scorer: ${shownScorer(opened.scorer.scorer)}${because(opened.scorer.reason)}`)
    if (report.types.length > 0) printLine(io, `types: ${shares(report.types)}`)
    if (report.labels !== undefined) printLine(io, `answers: ${shares(report.labels)}`)
    printLine(io)
    for (const finding of findings) printFinding(io, finding)
    if (findings.length === 0) printLine(io, `${io.colors.green('ok')}    no problems found`)
    printLine(io, '\nWith these numbers:')
    for (const sentence of sightSentences(report.counts)) printLine(io, `  ${sentence}`)
  }
  return failed ? exitCodes.badInput : exitCodes.ok
}

/**
 * Checks tasks. Tasks that are not split yet are checked as a whole; the counts are those of the split they
 * would get.
 */
function reportOn(opened: DividedTasks | Draft): { report: TasksReport; ratio?: string } {
  if ('splits' in opened) return { report: checkTasks(opened.splits) }
  const ratio = suggestedRatio(opened.tasks.length)
  const whole = { train: opened.tasks, val: [], test: [] }
  return { report: checkTasks(whole, splitCounts(opened.tasks.length, ratio)), ratio }
}

function unusable(problems: readonly string[]): Finding[] {
  if (problems.length === 0) return []
  return [{ level: 'problem', text: `not usable: ${plural(problems.length, 'task')}`, tasks: problems }]
}

function printCounts(
  io: Io,
  source: string,
  { counts, ratio }: Pick<TasksReport, 'counts'> & { readonly ratio: string | undefined },
): void {
  const total = counts.train + counts.val + counts.test
  const parts = `${counts.train} train, ${counts.val} validation, ${counts.test} test`
  const how = ratio === undefined ? parts : `split ${ratio}: ${parts}`
  printLine(io, `${clean(source)}: ${plural(total, 'task')} (${how})`)
}

function shares(labels: TasksReport['types']): string {
  const shown = labels.slice(0, 8).map(({ label, count }) => `${label} ${count}`)
  return clean([...shown, ...(labels.length > 8 ? ['…'] : [])].join(', '))
}

const because = (reason: string | undefined) => (reason === undefined ? '' : ` (${clean(reason)})`)
