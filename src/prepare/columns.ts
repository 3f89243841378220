import { InputError } from '../core/errors/errors.js'
import type { Row } from '../tasks/loading/rows.js'
import { textOf } from './task.js'

/** Maps each role to a field of the source. `choices` lists fields that hold one choice each. */
export interface Columns {
  readonly question: string
  readonly answer?: string
  readonly type?: string
  readonly id?: string
  readonly choices?: readonly string[]
}

export type Role = 'question' | 'answer' | 'type' | 'id'

export type GivenColumns = { readonly [role in Role]?: string | undefined }

export interface ChosenColumns {
  readonly columns: Columns
  /** Explains the choice of each field to the user, as in `question: column "query" (by its name)`. */
  readonly shown: readonly string[]
}

/** Common names of fields, without punctuation and in lower case, most reliable first. */
const usualNames: Readonly<Record<Role, readonly string[]>> = {
  question: namesIn(`
    question prompt query task problem instruction instructions input request message userinput user text content
    ticket utterance sentence q`),
  answer: namesIn(`
    answer answers expectedanswer expectedoutput expected correctanswer gold label output target solution reference
    groundtruth response completion result class category a`),
  type: namesIn('type tasktype category kind topic subject domain group tag'),
  id: namesIn('id taskid questionid key uid uuid'),
}

function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** Fields that define the expected result themselves, so that no answer is needed. */
const selfContained = ['checks', 'pattern', 'schema']

/** Uses the given columns and infers the others from their names. Throws if there is no reliable choice. */
export function chooseColumns(rows: readonly Row[], given: GivenColumns): ChosenColumns {
  const names = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields)))]
  refuseOddTables(names, rows)
  for (const [role, name] of Object.entries(given)) refuseUnknown(role, name, names)

  const taken = new Set(Object.values(given))
  const choices = choiceColumns(names.filter(name => !taken.has(name)))
  for (const name of choices) taken.add(name)
  const shown: string[] = []
  const take = (role: Role, isFit: (name: string) => boolean = () => true) => {
    const named = given[role] ?? byName(role, names, name => !taken.has(name) && isFit(name))
    if (named === undefined) return undefined
    taken.add(named)
    shown.push(`${role}: "${named}" (${given[role] === undefined ? 'by its name' : 'as you chose'})`)
    return named
  }

  const refuse = (role: 'question' | 'answer') =>
    refuseWithout(
      role,
      names.filter(name => !taken.has(name)),
    )

  const question = take('question') ?? refuse('question')
  const answer = take('answer')
  if (answer === undefined && !selfContained.some(name => names.includes(name))) refuse('answer')
  const type = take('type', name => repeats(name, rows))
  const id = take('id', name => tellsApart(name, rows))
  if (choices.length > 0) shown.push(`choices: ${choices.map(name => `"${name}"`).join(', ')}`)
  return {
    columns: { question, answer, type, id, choices: choices.length === 0 ? undefined : choices },
    shown,
  }
}

/** True if the columns of a source can be inferred. Used when searching a folder for tasks. */
export function isRecognisable(rows: readonly Row[]): boolean {
  if (rows.length === 0) return false
  try {
    chooseColumns(rows, {})
    return true
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}

function byName(role: Role, names: readonly string[], isFree: (name: string) => boolean): string | undefined {
  for (const usual of usualNames[role]) {
    const found = names.find(name => plain(name) === usual && isFree(name))
    if (found !== undefined) return found
  }
  return undefined
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Finds series of columns such as `A, B, C, D` or `choice_1, choice_2`. A series has at least two columns and
 * starts at the first letter or number.
 */
function choiceColumns(names: readonly string[]): string[] {
  for (const start of ['', 'choice', 'option', 'answer']) {
    for (const marks of ['abcdefgh', '12345678']) {
      if (start === '' && marks.startsWith('1')) continue
      const wanted = [...marks].map(mark => names.find(name => plain(name) === start + mark))
      const end = wanted.indexOf(undefined)
      const found = wanted.slice(0, end < 0 ? wanted.length : end).filter(name => name !== undefined)
      if (found.length >= 2) return found
    }
  }
  return []
}

/**
 * True if a column can serve as the type of tasks: every task has a value, and most values occur more than
 * once.
 */
function repeats(name: string, rows: readonly Row[]): boolean {
  const values = rows.map(({ fields }) => textOf(fields[name]))
  return values.every(value => value !== undefined) && new Set(values).size <= rows.length / 2
}

function tellsApart(name: string, rows: readonly Row[]): boolean {
  const values = rows.map(({ fields }) => textOf(fields[name]))
  return values.every(value => value !== undefined) && new Set(values).size === rows.length
}

function refuseOddTables(names: readonly string[], rows: readonly Row[]): void {
  const [only] = names
  if (only === undefined) {
    throw new InputError('No tasks found.', { hint: 'Each task is a row with named fields.' })
  }
  const mark = names.length === 1 ? /[;\t|]/.exec(only)?.[0] : undefined
  if (mark === undefined) return
  throw new InputError(`${rows[0]?.at ?? 'The file'}: only one column, "${only}".`, {
    hint: `It seems to be separated by ${mark === '\t' ? 'tabs' : `"${mark}"`}: save it as CSV with commas.`,
  })
}

function refuseUnknown(role: string, name: string | undefined, names: readonly string[]): void {
  if (name === undefined || names.includes(name)) return
  throw new InputError(`--${role}: no column "${name}".`, {
    hint: `Columns: ${names.join(', ')}.`,
  })
}

function refuseWithout(role: 'question' | 'answer', free: readonly string[]): never {
  throw new InputError(`Can't tell which column is the ${role}.`, {
    hint:
      free.length === 0
        ? 'Every task needs a question and an answer.'
        : `Choose one with --${role}: ${free.map(name => `"${name}"`).join(', ')}.`,
  })
}
