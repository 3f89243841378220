import { exitCodes } from '../../../core/errors/errors.js'
import { findTask, inProject } from '../../../sleep/book/find-task.js'
import { type DroppedTask, type SleepTask, scoredBy, weakness } from '../../../sleep/model/sleep-task.js'
import { checkWords, dayOf, failureWords, periodOf } from '../../../sleep/model/wording.js'
import { clean, fit, oneLine, plural, table } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { openBook, printSafeJson, type SleepFlags } from './book.js'

/** Maximum length of a quote, which only identifies the evidence. The JSON output has the full text. */
const longestQuote = 240

export async function showTask(io: Io, name: string, flags: SleepFlags): Promise<number> {
  const book = await openBook(io, flags)
  const { id } = findTask([...book.tasks, ...book.dropped], name, inProject(book))
  const dropped = book.dropped.find(one => one.id === id)
  const task = book.tasks.find(one => one.id === id) ?? dropped?.task
  if (task === undefined) throw new Error(`Task ${id} is missing.`)
  const problem = weakness(task)
  if (flags.json === true) {
    const about = { scoredBy: scoredBy(task), weakness: problem ?? null, droppedAt: dropped?.at ?? null }
    printSafeJson(io, { ...task, ...about })
    return exitCodes.ok
  }
  const { colors } = io
  const title = (text: string) => printLine(io, `\n${colors.bold(text)}`)
  printLine(io, `${colors.bold(task.id)}  ${colors.dim(stateText(task, dropped))}`)
  printLine(io, indented(task.intent))
  printScoring(io, task, title)
  if (problem !== undefined) printLine(io, `\n${colors.yellow('warning:')} ${problem}`)
  title('evidence')
  for (const line of evidenceLines(task)) printLine(io, `  ${line}`)
  title('in your words')
  printQuotes(
    io,
    task.examples.map(({ at, session, text }) => [dayOf(at), oneLine(session), quoted(text)]),
  )
  if (task.evidence.failures.length === 0) return exitCodes.ok
  title('what went wrong')
  printQuotes(
    io,
    task.evidence.failures.map(({ at, session, kind, text }) => [
      dayOf(at),
      oneLine(session),
      failureWords[kind],
      quoted(text),
    ]),
  )
  return exitCodes.ok
}

function stateText(
  { split, reviewed, writtenBy, origin }: SleepTask,
  dropped: DroppedTask | undefined,
): string {
  return [
    split,
    ...(origin === 'real' ? [] : [origin]),
    `written by ${oneLine(writtenBy)}`,
    reviewed ? 'reviewed' : 'not reviewed',
    ...(dropped === undefined ? [] : [`dropped on ${dayOf(dropped.at)}`]),
  ].join(', ')
}

function printScoring(io: Io, task: SleepTask, title: (text: string) => void): void {
  const by = scoredBy(task)
  if (task.rubric.length > 0) {
    title('rubric')
    for (const point of task.rubric) printLine(io, `  - ${oneLine(point)}`)
  }
  if (task.checks.length > 0) {
    title(by === 'rubric' ? 'checks (not used: the rubric decides)' : 'checks')
    for (const check of task.checks) printLine(io, `  - ${checkWords(check, quoted)}`)
  }
}

function evidenceLines({ evidence, skill, family, id }: SleepTask): string[] {
  const { requests, occasions, days, projects, reworked, wordings, tools } = evidence
  const period = periodOf([evidence])
  const counts = [
    plural(occasions, 'occasion'),
    `on ${plural(days, 'day')}${period === undefined ? '' : ` (${period})`}`,
    `in ${plural(projects, 'project')}`,
  ]
  return [
    `${counts.join(' ')}: ${plural(requests, 'request')} in ${plural(wordings, 'wording')}`,
    reworked === 0 ? 'never reworked' : `reworked on ${plural(reworked, 'occasion')}`,
    ...(tools.length === 0 ? [] : [`tools: ${oneLine(tools.join(', '))}`]),
    `skill: ${skill === undefined ? 'none' : oneLine(skill)}`,
    ...(family === id ? [] : [`family: ${oneLine(family)}`]),
  ]
}

function printQuotes(io: Io, rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) printLine(io, '  none')
  const [first = []] = rows
  // The table has no header row, because the section has a heading.
  const lines = table(
    first.map(() => ''),
    rows,
    { colors: io.colors },
  ).split('\n')
  for (const line of lines.slice(1)) printLine(io, `  ${line}`)
}

const quoted = (text: string): string => `"${fit(oneLine(text), longestQuote)}"`

const indented = (text: string): string =>
  clean(text)
    .split('\n')
    .map(line => `  ${line}`.trimEnd())
    .join('\n')
