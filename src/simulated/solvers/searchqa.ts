import { type ChatReply, type ChatRequest, textOf } from '../chat.js'
import type { Dice } from '../random.js'
import type { Lesson, Solver } from './solver.js'

/**
 * Solver for questions to answer from search results. By default the agent takes the first name in the first
 * result. It gives people by last name, dates as written, and places with the part after the comma.
 */

type LessonId = 'key-words' | 'same-sentence' | 'whole-name' | 'year-alone' | 'no-addition'

interface Search {
  readonly question: string
  readonly documents: readonly string[]
}

const form = /^Search results:\n([\s\S]*)\n\nQuestion: ([^\n]+)\s*$/

function readSearch(text: string): Search | undefined {
  const [, results, question] = form.exec(text.trim()) ?? []
  if (results === undefined || question === undefined) return undefined
  const documents = results.split('[DOC]').map(part => part.trim())
  return { question, documents: documents.filter(part => part !== '') }
}

// ── The agent ───────────────────────────────────────────────────────────────

function act(request: ChatRequest, follows: (lesson: LessonId) => boolean, dice: Dice): ChatReply {
  const asked = request.messages.findLast(message => message.role === 'user')
  const search = asked === undefined ? undefined : readSearch(textOf(asked))
  if (search === undefined) return { content: 'There are no search results here.' }
  const { question, documents } = search
  const wanted = keyWordsOf(question)
  const inOrder = follows('key-words') ? byShared(documents, wanted) : documents
  for (const document of inOrder) {
    const sentences = document.split(/(?<=[.!?])\s+/)
    const searched = follows('same-sentence') ? byShared(sentences, wanted) : sentences
    const found = searched.flatMap(sentence => candidatesIn(sentence, question))[0]
    if (found === undefined) continue
    const opening = dice.pick(['The results settle it.', 'Looking through the results.', 'From the results:'])
    return { content: `${opening}\n<answer>${written(found, question, follows)}</answer>` }
  }
  return { content: 'The results do not say.\n<answer>unknown</answer>' }
}

/** A possible answer, with the text around it. */
interface Candidate {
  readonly text: string
  /** Month and day that stand before the year. `addition` is the `, Region` after a name. */
  readonly date?: string
  readonly addition?: string
}

function written(
  { text, date, addition }: Candidate,
  question: string,
  follows: (lesson: LessonId) => boolean,
): string {
  if (date !== undefined) return follows('year-alone') ? text : date
  const name = isAboutPerson(question) && !follows('whole-name') ? (text.split(' ').at(-1) ?? text) : text
  return addition === undefined || follows('no-addition') ? name : name + addition
}

function candidatesIn(sentence: string, question: string): readonly Candidate[] {
  return /\byear\b/i.test(question) ? yearsIn(sentence) : namesIn(sentence, question)
}

const months = 'January|February|March|April|May|June|July|August|September|October|November|December'
const datedYear = new RegExp(`(?:(?:\\d{1,2} )?(?:${months}) )?\\b(1\\d{3}|20\\d{2})\\b`, 'g')

function yearsIn(sentence: string): readonly Candidate[] {
  return [...sentence.matchAll(datedYear)].map(([date, year = '']) => ({ text: year, date }))
}

const capitalised = "\\p{Lu}[\\p{L}'’-]+"
const name = `${capitalised}(?:\\s+(?:(?:of|de|von)\\s+)?${capitalised})*`
const nameWithAddition = new RegExp(`(${name})(,\\s+${name})?`, 'gu')
const opener = /^(?:The|A|An|In|On|At|For|From|Each|Every|Before|After|With|Without|To)\s+/
const monthAlone = new RegExp(`^(?:${months})$`)

/**
 * The names in a sentence that are not in the question. A capital at the start of a sentence does not count.
 */
function namesIn(sentence: string, question: string): readonly Candidate[] {
  const known = new Set(wordsOf(question))
  return [...sentence.matchAll(nameWithAddition)].flatMap(({ 1: whole = '', 2: addition, index }) => {
    const text = index === 0 ? whole.replace(opener, '') : whole
    const isOpening = index === 0 && !whole.includes(' ')
    if (isOpening || monthAlone.test(text) || wordsOf(text).every(word => known.has(word))) return []
    return [addition === undefined ? { text } : { text, addition }]
  })
}

const people =
  /\b(?:who|she was|he was|(?:this|which|what) (?:\w+ )?(?:architect|astronomer|author|botanist|captain|cartographer|chemist|composer|doctor|emperor|engineer|explorer|inventor|king|painter|pilot|poet|queen|sculptor|singer|surgeon|teacher|writer))\b/i

function isAboutPerson(question: string): boolean {
  return people.test(question)
}

// ── Words ───────────────────────────────────────────────────────────────────

const common = new Set([
  'this',
  'that',
  'what',
  'which',
  'whose',
  'with',
  'from',
  'into',
  'year',
  'were',
  'when',
])

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).map(word => word.replace(/s$/, ''))
}

function keyWordsOf(question: string): ReadonlySet<string> {
  return new Set(wordsOf(question).filter(word => word.length > 2 && !common.has(word)))
}

/** Sorts texts by the number of words shared with the question, highest first. Ties keep their order. */
function byShared(texts: readonly string[], wanted: ReadonlySet<string>): readonly string[] {
  const shared = (text: string) => new Set(wordsOf(text).filter(word => wanted.has(word))).size
  return [...texts].sort((one, other) => shared(other) - shared(one))
}

// ── Lessons ─────────────────────────────────────────────────────────────────

type Attempt = Parameters<Lesson['isLackingIn']>[0]

/** The expected and the given answer from the scorer's feedback, and the search results that contain each. */
function readFailure({ question, feedback, reply }: Attempt) {
  const expected = /expected(?: one of)? "([^"]+)"/i.exec(feedback)?.[1]
  const given = [...reply.matchAll(/<answer>([\s\S]*?)<\/answer>/g)].at(-1)?.[1]?.trim()
  const search = readSearch(question)
  if (expected === undefined || given === undefined || search === undefined) return undefined
  const placeOf = (text: string) => search.documents.findIndex(document => document.includes(text))
  return { expected, given, expectedAt: placeOf(expected), givenAt: placeOf(given) }
}

/** Creates a check for failures of one kind. It is false if the feedback lacks the expected answer. */
function lacking(
  kind: (failure: NonNullable<ReturnType<typeof readFailure>>) => boolean,
): Lesson['isLackingIn'] {
  return attempt => {
    const failure = readFailure(attempt)
    return failure !== undefined && kind(failure)
  }
}

const results = /\b(?:results?|documents?|passages?|snippets?)\b/i
const clues = /\b(?:clues?|key ?words?|words of the question|question's (?:own )?words)\b/i
const sentence = /\bsentences?\b/i

const lessons: Readonly<Record<LessonId, Lesson>> = {
  'key-words': {
    wordings: [
      'Do not stop at the first result: answer from the one that mentions most of the key words of the question.',
      'Compare the results, and use the document that shares most clues with the question.',
    ],
    isStatedIn: line => results.test(line) && clues.test(line) && !sentence.test(line),
    isLackingIn: lacking(
      ({ expectedAt, givenAt }) => givenAt >= 0 && expectedAt >= 0 && givenAt !== expectedAt,
    ),
  },
  'same-sentence': {
    wordings: [
      'Where a result has several names, take the one from the sentence that holds the clues, not the first.',
      'The answer stands in the sentence with the words of the question; names in other sentences are noise.',
    ],
    isStatedIn: line => sentence.test(line) && clues.test(line),
    isLackingIn: lacking(
      ({ expected, given, expectedAt, givenAt }) =>
        givenAt >= 0 && givenAt === expectedAt && !given.includes(expected) && !expected.includes(given),
    ),
  },
  'whole-name': {
    wordings: [
      'Give people by their full name, as the results write it.',
      'When a person is asked for, answer with the whole name and not with the surname alone.',
    ],
    isStatedIn: line => /\b(?:full|whole|complete) names?\b|\bfirst and last names?\b/i.test(line),
    isLackingIn: lacking(({ expected, given }) => expected !== given && expected.endsWith(` ${given}`)),
  },
  'year-alone': {
    wordings: [
      'When a year is asked for, answer with the year alone, without day and month.',
      'A question for a year wants four digits: leave out the rest of the date and give the year only.',
    ],
    isStatedIn: line => /\byear\b/i.test(line) && /\b(?:alone|only|just|nothing but)\b/i.test(line),
    isLackingIn: lacking(({ expected, given }) => /^\d{4}$/.test(expected) && given.endsWith(` ${expected}`)),
  },
  'no-addition': {
    wordings: [
      'Leave out what follows a name after a comma, such as its region or country.',
      'Name a place without the region that the results add behind a comma.',
    ],
    isStatedIn: line => /\b(?:leave out|without|drop|omit)\b.*\b(?:comma|region|country)\b/i.test(line),
    isLackingIn: lacking(({ expected, given }) => given.startsWith(`${expected},`)),
  },
}

export const solver: Solver<LessonId> = {
  id: 'searchqa',
  lessons,
  recognises: ({ messages }) => {
    const asked = messages.findLast(message => message.role === 'user')
    return asked !== undefined && readSearch(textOf(asked)) !== undefined
  },
  act,
}
