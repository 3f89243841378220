import { type ChatMessage, type ChatReply, type ChatRequest, textOf } from '../chat.js'
import { cellsOf, isRow, numberIn, type ReadTable, tablesIn } from './officeqa-tables.js'
import type { Lesson, Solver } from './solver.js'

/**
 * Solver for looking up figures in finance bulletins. By default the agent opens the first source, takes the
 * first row of the year, sums visible values where a total is asked for, copies the figure as printed, and
 * appends the unit.
 */

type LessonId = 'named-source' | 'kind-of-year' | 'printed-total' | 'unit-of-table' | 'bare-figure'

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)
const scales: Readonly<Record<string, number>> = { dollars: 1, thousands: 1e3, millions: 1e6, billions: 1e9 }

interface Asked {
  readonly subject: string
  /** The kind of year, `fiscal` or `calendar`, if the question names one. */
  readonly kind: string | undefined
  readonly month: string | undefined
  readonly year: string
  /** The unit that the question asks for: one of `scales`, or `percent`. */
  readonly unit: string
  /** The bulletin that the question names, in the form of a file name: `1951_06`. */
  readonly issue: string | undefined
}

function readQuestion(prompt: string): Asked | undefined {
  const question = /^Question: (.*)$/m.exec(prompt)?.[1] ?? ''
  const month = `(${months.join('|')})`
  const parts = new RegExp(
    String.raw`(?:(?:what|how (?:large|high)) (?:was|were)|how much was spent on) (?:the )?(?:average )?(.+?) (?:in|at|during) (?:(fiscal|calendar) year |the end of ${month} )(\d{4})`,
    'i',
  ).exec(question)
  const [, subject, kind, named, year] = parts ?? []
  if (subject === undefined || year === undefined) return undefined
  const issue = new RegExp(String.raw`${month} (\d{4}) (?:bulletin|issue)`, 'i').exec(question)
  const number = months.indexOf((issue?.[1] ?? '').toLowerCase()) + 1
  return {
    subject: subject.toLowerCase(),
    kind: kind?.toLowerCase(),
    month: named?.toLowerCase(),
    year,
    unit:
      /\bin (thousands|millions|billions|dollars|percent)\b/i.exec(question)?.[1]?.toLowerCase() ?? 'dollars',
    issue: issue === null ? undefined : `${issue[2]}_${String(number).padStart(2, '0')}`,
  }
}

// ── The agent's turns ───────────────────────────────────────────────────────

/** Number of lines to read above a match, which includes the table's start and heading. */
const linesAbove = 14
const linesRead = 30

function act(request: ChatRequest, follows: (lesson: LessonId) => boolean): ChatReply {
  const start = request.messages.findLastIndex(({ role }) => role === 'user')
  const prompt = textOf(request.messages[start] ?? { role: 'user' })
  const asked = readQuestion(prompt)
  if (asked === undefined) return { content: 'I do not understand the question.' }
  const given = tablesIn(prompt)
  const since = request.messages.slice(start + 1)
  const seen = since.filter(({ role }) => role === 'tool').map(textOf)
  if ((request.tools ?? []).length === 0 || given.length > 0 || seen.length >= 2)
    return answer(asked, [...given, ...seen.slice(1).flatMap(tablesIn)], follows)

  const path = pathUsed(since) ?? chooseSource(prompt, asked, follows)
  const [found] = seen
  if (found === undefined) return use('grep', { pattern: asked.subject, path }, since.length)
  const hits = found.split('\n').map(hit => /^(\d+): (.*)$/.exec(hit))
  const hit = hits.find(match => isRow(match?.[2])) ?? hits[0]
  const from = Math.max(1, Number(hit?.[1] ?? 1) - linesAbove)
  return use('read', { path, start: from, limit: linesRead }, since.length)
}

/**
 * Replies with a tool call. Its id comes from its place in the conversation, because a reply must depend only
 * on its request.
 */
function use(name: string, given: Readonly<Record<string, unknown>>, place: number): ChatReply {
  return { content: '', toolCalls: [{ id: `call_${place}`, name, arguments: given }] }
}

function chooseSource(prompt: string, { issue }: Asked, follows: (lesson: LessonId) => boolean): string {
  const listed = prompt.split('Sources of this task:')[1] ?? ''
  const sources = [...listed.matchAll(/^- (\S+) \(\d+ lines\)$/gm)].map(match => match[1] ?? '')
  const named = issue === undefined ? undefined : sources.find(source => source.includes(issue))
  return (follows('named-source') ? named : undefined) ?? sources[0] ?? ''
}

/** The source in which the agent searched before. It continues there. */
function pathUsed(messages: readonly ChatMessage[]): string | undefined {
  const calls = JSON.stringify(messages.flatMap(({ tool_calls }) => tool_calls ?? []))
  return /\\"path\\":\\"([^"\\]+)/.exec(calls)?.[1]
}

function answer(
  asked: Asked,
  tables: readonly ReadTable[],
  follows: (lesson: LessonId) => boolean,
): ChatReply {
  for (const table of tables) {
    const figure = figureIn(table, asked, follows)
    if (figure === undefined) continue
    const unit = /\bin (thousands|millions|billions) of dollars/i.exec(table.heading)?.[1]?.toLowerCase()
    const shown = follows('unit-of-table') ? converted(figure, unit, asked.unit) : figure
    const words = asked.unit === 'percent' ? 'percent' : `${asked.unit.replace(/s$/, '')} dollars`
    const full = follows('bare-figure') || asked.unit === 'dollars' ? shown : `${shown} ${words}`
    const source = table.heading === '' ? 'a table' : `“${table.heading}”`
    return { content: `I take this from ${source}: ${figure}.\n<answer>${full}</answer>` }
  }
  return { content: 'I did not find it.\n<answer>not found</answer>' }
}

/** The figure as printed. Rows may hold the subject and columns the period, or the reverse. */
function figureIn(
  { columns, rows }: ReadTable,
  asked: Asked,
  follows: (lesson: LessonId) => boolean,
): string | undefined {
  const labels = rows.map(({ label }) => label)
  const line = [
    {
      subjects: labels,
      periods: columns,
      at: (subject: number, period: number) => rows[subject]?.cells[period],
    },
    {
      subjects: columns,
      periods: labels,
      at: (subject: number, period: number) => rows[period]?.cells[subject],
    },
  ].find(({ subjects }) => subjects.some(label => isSubject(label, asked)))
  if (line === undefined) return undefined
  const { subjects, periods, at } = line
  const subject = subjects.findIndex(label => isSubject(label, asked))
  const period = periods.findIndex(label => isPeriod(label, asked, follows('kind-of-year')))
  if (period === -1) return undefined
  if (!asked.subject.startsWith('total ') || follows('printed-total')) return at(subject, period)
  const parts = subjects.map((_, index) => (index === subject ? 0 : (numberIn(at(index, period) ?? '') ?? 0)))
  return rounded(parts.reduce((sum, part) => sum + part, 0))
}

function isSubject(label: string, { subject }: Asked): boolean {
  return label.toLowerCase().replace(/^of which:\s*/, '') === subject
}

function isPeriod(label: string, { kind, month, year }: Asked, asksForKind: boolean): boolean {
  const text = label.toLowerCase()
  const fits = text.includes(year) && (month === undefined || text.includes(month))
  // If a label names no kind of year, its table has only one kind.
  return fits && (!asksForKind || kind === undefined || !/fiscal|calendar/.test(text) || text.includes(kind))
}

function converted(figure: string, from: string | undefined, to: string): string {
  const number = numberIn(figure)
  const factor = (scales[from ?? ''] ?? 0) / (scales[to] ?? 0)
  return number === undefined || !Number.isFinite(factor) || factor === 0 || factor === 1
    ? figure
    : rounded(number * factor)
}

function rounded(number: number): string {
  return String(Math.round(number * 1e6) / 1e6)
}

// ── What failures show ──────────────────────────────────────────────────────

type Attempt = Parameters<Lesson['isLackingIn']>[0]

interface Failure {
  readonly asked: Asked
  readonly expected: number
  readonly got: string
  readonly gotNumber: number
}

function failureIn({ question, feedback }: Attempt): Failure | undefined {
  const asked = readQuestion(question)
  const [, wanted, got] = /Expected "([^"]*)"; got "([^"]*)"/.exec(feedback) ?? []
  const expected = numberIn(wanted ?? '')
  const gotNumber = numberIn(got ?? '')
  return asked === undefined || got === undefined || expected === undefined || gotNumber === undefined
    ? undefined
    : { asked, expected, got, gotNumber }
}

/** Whether two numbers have the same digits, whatever their units. */
function isSame(one: number, other: number): boolean {
  return [1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9].some(
    scale => Math.abs(one * scale - other) < 1e-6 * Math.abs(other),
  )
}

function lacks(judge: (failure: Failure, whole: string) => boolean): Lesson['isLackingIn'] {
  return attempt => {
    const failure = failureIn(attempt)
    return failure !== undefined && judge(failure, attempt.whole)
  }
}

/** Whether the attempt saw the expected figure in a row of the year, but took another row. */
function tookOtherRow({ asked, expected, gotNumber }: Failure, whole: string): boolean {
  if (asked.kind === undefined) return false
  const rows = whole.split('\n').filter(line => isRow(line) && (cellsOf(line)[0] ?? '').includes(asked.year))
  const having = (number: number) =>
    rows.filter(row => cellsOf(row).some(cell => isSame(numberIn(cell) ?? Number.NaN, number)))
  const right = having(expected).filter(row => isPeriod(cellsOf(row)[0] ?? '', asked, true))
  return right.length > 0 && having(gotNumber).some(row => !right.includes(row))
}

const lessons: Readonly<Record<LessonId, Lesson>> = {
  'named-source': {
    wordings: [
      'When the question names a bulletin, search the file of that issue and not the first one listed.',
      'Look into the source that the question names: later issues revise the figures of earlier ones.',
    ],
    isStatedIn: line =>
      /\b(?:file|source|bulletin|issue|document)/i.test(line) &&
      /question[^.]*\b(?:names?|mentions?|cites?)\b/i.test(line),
    isLackingIn: lacks(({ asked: { issue } }, whole) => {
      const calls = whole.split('\n').filter(line => line.startsWith('-> '))
      return issue !== undefined && calls.length > 0 && !calls.some(call => call.includes(issue))
    }),
  },
  'kind-of-year': {
    wordings: [
      'Tell fiscal years from calendar years: take the row of the kind of year that the question asks for.',
      'Where a table has both fiscal and calendar years, check that the row is the one asked for.',
    ],
    isStatedIn: line => /\bfiscal\b/i.test(line) && /\bcalendar\b/i.test(line),
    isLackingIn: lacks(tookOtherRow),
  },
  'printed-total': {
    wordings: [
      'For a total, take the printed total of the table; do not add up its parts.',
      'Use the totals row or column as printed instead of summing, since “of which” lines are counted in others.',
    ],
    isStatedIn: line =>
      /\btotals?\b/i.test(line) &&
      /\b(?:printed|row|column|line|sum(?:s|ming)?|add(?:ing)? up)\b/i.test(line),
    isLackingIn: lacks(
      ({ asked, expected, gotNumber }) => asked.subject.startsWith('total ') && !isSame(expected, gotNumber),
    ),
  },
  'unit-of-table': {
    wordings: [
      'Check the unit in the heading of the table and convert the figure to the unit of the question.',
      'Read whether the table is in thousands or millions before you copy a figure, and convert it to what is asked.',
    ],
    isStatedIn: line =>
      /\bunits?\b|\bthousands\b/i.test(line) &&
      /\b(?:heading|caption|title|convert(?:ed|ing)?)\b/i.test(line),
    isLackingIn: lacks(
      ({ expected, gotNumber }) =>
        isSame(expected, gotNumber) && Math.abs(expected - gotNumber) > 1e-6 * expected,
    ),
  },
  'bare-figure': {
    wordings: [
      'Write the bare figure between the answer tags: no words, no unit behind it.',
      'The answer is the number alone, without “thousand”, “percent” or other words.',
    ],
    isStatedIn: line =>
      /\b(?:figure|number)\b/i.test(line) && /\b(?:bare|alone|nothing else|no words|without)\b/i.test(line),
    isLackingIn: lacks(({ got }) => /[a-z]/i.test(got.replace(/\b(?:millions?|billions?|dollars?)\b/gi, ''))),
  },
}

export const solver: Solver<LessonId> = {
  id: 'officeqa',
  lessons,
  recognises: ({ messages }) => {
    const latest = messages.findLast(({ role }) => role === 'user')
    return latest !== undefined && /^Question: [\s\S]*^Sources of this task:$/m.test(textOf(latest))
  },
  act: (request, follows) => act(request, follows),
}
