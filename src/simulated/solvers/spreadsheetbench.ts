import { type ChatReply, type ChatRequest, textOf } from '../chat.js'
import type { Lesson, Solver } from './solver.js'
import { type Manner, writeProgram } from './spreadsheet-python.js'
import { readSpreadsheetQuestion, type SpreadsheetQuestion, showsTextNumbers } from './spreadsheet-reading.js'

/**
 * Solver for editing spreadsheets with Python. By default the agent writes formulas where it can, takes
 * numbers as they are, works on the active sheet from its second row, and writes dates as text. After an
 * error it skips the data that caused it.
 */

type LessonId = 'values' | 'text-numbers' | 'named-sheet' | 'answer-rows' | 'real-dates'

function act(request: ChatRequest, follows: (lesson: LessonId) => boolean): ChatReply {
  const task = taskIn(request)
  if (task === undefined) return { content: 'There is no workbook here.' }
  const since = request.messages.slice(task.at + 1)
  const heard = since.filter(({ role }) => role === 'user' || role === 'tool').map(textOf)
  const failures = heard.filter(text => /^(?:That did not work|The command failed)/.test(text)).length
  const last = heard.at(-1) ?? ''
  const isOver = last !== '' && !/^(?:That did not work|The command failed)/.test(last)
  const program = writeProgram(task.question, {
    values: follows('values'),
    convertsText: follows('text-numbers'),
    namedSheet: follows('named-sheet'),
    answerRows: follows('answer-rows'),
    realDates: follows('real-dates'),
    careful: failures > 0,
  } satisfies Manner)
  const hasTools = (request.tools ?? []).length > 0
  if (program === undefined || isOver || failures > 1) {
    return { content: hasTools ? 'The workbook is as I leave it.' : 'DONE' }
  }
  return hasTools
    ? withTools(program)
    : { content: `${openings[failures > 0 ? 1 : 0]}\n\n${fenced(program)}` }
}

const openings = ['This program does it.', 'The error shows what to change.'] as const

function fenced(program: string): string {
  return `\`\`\`python\n${program}\n\`\`\``
}

/** Replies with tool calls if there are tools. They write the program to a file. */
function withTools(program: string): ChatReply {
  const content = `INPUT_PATH = "input.xlsx"\nOUTPUT_PATH = "output.xlsx"\n${program}\n`
  return {
    content: '',
    toolCalls: [
      { name: 'write_file', arguments: { path: 'solution.py', content } },
      { name: 'bash', arguments: { command: 'python3 solution.py' } },
    ],
  }
}

function taskIn({ messages }: ChatRequest): { question: SpreadsheetQuestion; at: number } | undefined {
  for (const [at, message] of messages.entries()) {
    if (message.role === 'assistant') continue
    const question = readSpreadsheetQuestion(textOf(message))
    if (question !== undefined) return { question, at }
  }
  return undefined
}

// ── Lessons ─────────────────────────────────────────────────────────────────

type Attempt = Parameters<Lesson['isLackingIn']>[0]

/** Creates a check by the programs of the attempt and by the data that the task showed. */
function lacking(shows: (programs: string, question: SpreadsheetQuestion) => boolean): Lesson['isLackingIn'] {
  return ({ question, reply, whole }: Attempt) => {
    // In a longer attempt, the task is not in the last message, so the whole attempt is searched.
    const read = readSpreadsheetQuestion(question) ?? readSpreadsheetQuestion(whole)
    return read !== undefined && shows(`${reply}\n${whole}`, read)
  }
}

const formulaWritten = /value=f\\?"=/

const lessons: Readonly<Record<LessonId, Lesson>> = {
  values: {
    wordings: [
      'Write the calculated values into the cells and never formulas: nothing calculates those afterwards.',
      'Calculate in Python and store the value itself, since a formula has no value when the workbook is read.',
    ],
    isStatedIn: line => /\bformulas?\b/i.test(line) && /\bvalues?\b/i.test(line),
    isLackingIn: lacking(programs => formulaWritten.test(programs)),
  },
  'text-numbers': {
    wordings: [
      'Convert numbers that are stored as text before calculating: strip spaces and thousands separators first.',
      'A number may stand in its cell as a string; turn such strings into numbers instead of skipping them.',
    ],
    isStatedIn: line =>
      /\bnumbers?\b/i.test(line) &&
      /\b(?:text|strings?)\b/i.test(line) &&
      /\b(?:convert|parse|turn|clean)/i.test(line),
    isLackingIn: lacking(
      (programs, question) =>
        showsTextNumbers(question) &&
        !formulaWritten.test(programs) &&
        !programs.includes('float(str(value)'),
    ),
  },
  'named-sheet': {
    wordings: [
      'Work on the sheet that the answer position names, whichever is active when the workbook opens.',
      'Select the sheet by the name in the answer position; the active sheet may be another one.',
    ],
    isStatedIn: line => /\bsheet\b/i.test(line) && /\bactive\b/i.test(line),
    isLackingIn: lacking(
      (programs, { sheets, answer }) =>
        programs.includes('workbook.active') && sheets[0]?.name !== answer.sheet,
    ),
  },
  'answer-rows': {
    wordings: [
      'Read and write from the first row of the answer position on: titles may stand above the header row.',
      'The table may begin further down: take its first row from the answer position, not row 2.',
    ],
    isStatedIn: line => /\brows?\b/i.test(line) && /\banswer (?:position|range)\b/i.test(line),
    isLackingIn: lacking(
      (programs, { answer }) => answer.top > 2 && /min_row=2, values_only=True\) if|range\(2,/.test(programs),
    ),
  },
  'real-dates': {
    wordings: [
      'Write dates as datetime objects and not as formatted text.',
      'A date belongs into its cell as a datetime, never as a string.',
    ],
    isStatedIn: line => /\bdates?\b/i.test(line) && /\bdatetimes?\b/i.test(line),
    isLackingIn: lacking(programs => programs.includes('strftime(')),
  },
}

export const solver: Solver<LessonId> = {
  id: 'spreadsheetbench',
  lessons,
  recognises: request => taskIn(request) !== undefined,
  act,
}
