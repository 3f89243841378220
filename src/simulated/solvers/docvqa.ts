import { type ChatReply, type ChatRequest, filesOf, textOf } from '../chat.js'
import type { Dice } from '../random.js'
import { readPage } from './eyesight.js'
import { isNamedIn, type Page, readLayout, wordsOf } from './page.js'
import type { Lesson, Solver } from './solver.js'

/**
 * Solver for questions about images of documents. The agent usually finds the right place on the page but has
 * bad habits: it reformats dates, expands abbreviations, adds the counted thing to a number, stops at the
 * first line with the word "total", and reads only the first column of tables.
 */

type LessonId = 'dates-as-printed' | 'abbreviations' | 'bare-number' | 'which-total' | 'row-and-column'

type Follows = (lesson: LessonId) => boolean

const form = /^Question about the document: ([^\n]+)/

function questionIn(text: string): string | undefined {
  return form.exec(text.trim())?.[1]
}

// ── The agent ───────────────────────────────────────────────────────────────

function act(request: ChatRequest, follows: Follows, dice: Dice): ChatReply {
  const asked = request.messages.findLast(message => message.role === 'user')
  const question = asked === undefined ? undefined : questionIn(textOf(asked))
  const pictures = asked === undefined ? [] : filesOf(asked).map(file => readPage(file.image_url?.url ?? ''))
  const text = pictures.find(picture => picture !== undefined)
  if (question === undefined || text === undefined)
    return { content: 'I cannot make out anything in this picture.\n<answer>unreadable</answer>' }
  const found = find(question, readLayout(text), follows)
  if (found === undefined) return { content: 'The page does not say.\n<answer>not stated</answer>' }
  const opening = dice.pick(['The page has it.', 'I looked for the entry on the page.', 'From the document:'])
  return { content: `${opening}\n<answer>${written(found, question, follows)}</answer>` }
}

/** The value that the question asks for, as printed on the page. */
function find(question: string, { entries, tables }: Page, follows: Follows): string | undefined {
  for (const { columns, rows } of tables) {
    const row = rows.find(({ label }) => isNamedIn(label, question))
    if (row === undefined) continue
    const column = columns.findIndex(name => isNamedIn(name, question))
    return row.values[follows('row-and-column') ? Math.max(column, 0) : 0]
  }
  if (/\btotal\b/i.test(question) && !follows('which-total')) {
    const first = entries.find(({ label }) => /total/i.test(label))
    if (first !== undefined) return first.value
  }
  // If several labels match, the most specific one is meant.
  const [named] = entries
    .filter(({ label }) => isNamedIn(label, question))
    .sort((one, other) => wordsOf(other.label).length - wordsOf(one.label).length)
  return named?.value
}

function written(value: string, question: string, follows: Follows): string {
  if (!follows('dates-as-printed') && dayOf(value) !== undefined) return inWords(dayOf(value) ?? value)
  if (!follows('abbreviations') && spelledOut(value) !== value) return spelledOut(value)
  const [, counted] = /^How many (\w+)/i.exec(question) ?? []
  return counted !== undefined && !follows('bare-number') ? `${value} ${counted}` : value
}

// ── Forms ───────────────────────────────────────────────────────────────────

const months = 'January February March April May June July August September October November December'.split(
  ' ',
)

/** The date in a text as YYYY-MM-DD. The text may use any of several formats. */
function dayOf(text: string): string | undefined {
  const [, month, day, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? []
  if (month !== undefined) return `${year}-${month}-${day}`
  const [, name = '', number = '', ofYear] = /^([A-Z][a-z]+) (\d{1,2}), (\d{4})$/.exec(text) ?? []
  const index = months.indexOf(name)
  return index === -1 ? undefined : `${ofYear}-${pad(index + 1)}-${pad(Number(number))}`
}

function inWords(day: string): string {
  const [year, month, number] = day.split('-').map(Number)
  return `${months[(month ?? 1) - 1]} ${number}, ${year}`
}

const pad = (number: number) => String(number).padStart(2, '0')

const meanings: Readonly<Record<string, string>> = {
  'Assoc.': 'Association',
  'Ave.': 'Avenue',
  'Bldg.': 'Building',
  'Co.': 'Company',
  'Dept.': 'Department',
  'Dr.': 'Doctor',
  'Inc.': 'Incorporated',
  'Jr.': 'Junior',
  'Ltd.': 'Limited',
  'Mfg.': 'Manufacturing',
  'Prof.': 'Professor',
  'Rd.': 'Road',
  'St.': 'Street',
  'Univ.': 'University',
}

function spelledOut(text: string): string {
  return text.replace(/\b[A-Z][a-z]+\./g, short => meanings[short] ?? short)
}

// ── Lessons ─────────────────────────────────────────────────────────────────

interface Failure {
  readonly question: string
  readonly expected: readonly string[]
  readonly given: string
}

/** Creates a check for failures of one kind. It is false if the feedback lacks the expected answer. */
function lacking(kind: (failure: Failure) => boolean): Lesson['isLackingIn'] {
  return ({ question, feedback }) => {
    const [, list, given] = /^Expected (".+?"); got "(.*?)"\./s.exec(feedback) ?? []
    if (list === undefined || given === undefined) return false
    const expected = [...list.matchAll(/"([^"]*)"/g)].map(match => match[1] ?? '')
    return kind({ question: questionIn(question) ?? '', expected, given })
  }
}

const isFigure = (text: string) => /^\$?[\d,.]+$/.test(text)

const otherFigure = ({ expected, given }: Failure) => isFigure(given) && expected.every(isFigure)

const lessons: Readonly<Record<LessonId, Lesson>> = {
  'dates-as-printed': {
    wordings: [
      'Give dates exactly as printed in the document, and do not convert them to another format.',
      'Copy a date in the form in which the page has it: 3/4/70 stays 3/4/70.',
    ],
    isStatedIn: line =>
      /\bdates?\b/i.test(line) &&
      /\b(?:as printed|as (?:it|they) stand|not convert|not rewrite|copy|unchanged|stays?)\b/i.test(line),
    isLackingIn: lacking(
      ({ expected, given }) =>
        dayOf(given) !== undefined && expected.some(text => text !== given && dayOf(text) === dayOf(given)),
    ),
  },
  abbreviations: {
    wordings: [
      'Keep abbreviations and titles as the document has them; never spell them out.',
      'Write names with their abbreviations, letter by letter as on the page.',
    ],
    isStatedIn: line =>
      /\babbreviat/i.test(line) && /\b(?:keep|never|not|as on the page|letter by letter|copy)\b/i.test(line),
    isLackingIn: lacking(({ expected, given }) =>
      expected.some(text => text !== given && spelledOut(text) === given),
    ),
  },
  'bare-number': {
    wordings: [
      'To a question "how many", answer with the number alone, without the thing that is counted.',
      'Add no unit and no noun to a number unless the entry itself has it.',
    ],
    isStatedIn: line =>
      /\bnumbers?\b/i.test(line) &&
      /\b(?:no|without)\b.*\b(?:units?|nouns?|thing|label|counted)\b/i.test(line),
    isLackingIn: lacking(({ expected, given }) =>
      expected.some(text => isFigure(text) && given.startsWith(`${text} `)),
    ),
  },
  'which-total': {
    wordings: [
      'When several lines are totals, take the one whose label is the one asked for: a subtotal is not the total.',
      'Tell subtotals and totals of parts from the total: match the whole label, and look further down the page.',
    ],
    isStatedIn: line =>
      /\bsub-?totals?\b/i.test(line) && /\b(?:label|not the total|further down|last line)\b/i.test(line),
    isLackingIn: lacking(failure => /\btotal\b/i.test(failure.question) && otherFigure(failure)),
  },
  'row-and-column': {
    wordings: [
      'In a table, find the row and the column that the question names, and answer with the entry where they cross.',
      'Read the headings of a table first: the answer stands in the column that the question asks for.',
    ],
    isStatedIn: line => /\btables?\b/i.test(line) && /\bcolumn\b/i.test(line),
    isLackingIn: lacking(failure => !/\btotal\b/i.test(failure.question) && otherFigure(failure)),
  },
}

export const solver: Solver<LessonId> = {
  id: 'docvqa',
  lessons,
  recognises: ({ messages }) => {
    const asked = messages.findLast(message => message.role === 'user')
    return asked !== undefined && questionIn(textOf(asked)) !== undefined
  },
  act,
}
