import { type ChatReply, type ChatRequest, textOf } from '../chat.js'
import type { Dice } from '../random.js'
import type { Lesson, Solver } from './solver.js'
import { type Care, careful, compareStrength, readStatement, type Statement, tryOut } from './statement.js'

/**
 * Solver for multiple-choice questions on statements about integers. By default the agent tries a few
 * positive numbers, skips the first, reads "if and only if" as "if", and picks the longest of the remaining
 * statements.
 */

type LessonId = 'strongest' | 'first-case' | 'many-cases' | 'whole-domain' | 'both-directions'

interface Choice {
  readonly label: string
  readonly text: string
  readonly statement: Statement | undefined
}

function choicesIn(text: string): readonly Choice[] | undefined {
  const [, list] = /^Question:\n[\s\S]+\n\nChoices:\n([\s\S]+)$/.exec(text.trim()) ?? []
  if (list === undefined) return undefined
  const choices = [...list.matchAll(/^([A-E])\. (.+)$/gm)].map(([, label = '', said = '']) => ({
    label,
    text: said,
    statement: readStatement(said),
  }))
  return choices.length < 2 ? undefined : choices
}

// ── The agent ───────────────────────────────────────────────────────────────

function act(request: ChatRequest, follows: (lesson: LessonId) => boolean, dice: Dice): ChatReply {
  const asked = request.messages.findLast(message => message.role === 'user')
  const choices = asked === undefined ? undefined : choicesIn(textOf(asked))
  if (choices === undefined) return { content: 'There are no choices here.' }
  const care = careOf(follows)
  const tried = choices.map(choice => ({
    ...choice,
    result: choice.statement === undefined ? undefined : tryOut(choice.statement, care),
  }))
  const left = tried.filter(({ result }) => result?.stands === true)
  const chosen =
    (follows('strongest') ? strongest(left) : undefined) ?? longest(left.length > 0 ? left : tried)
  const opening = dice.pick([
    'Trying each choice.',
    'I test the statements one by one.',
    'Checking the choices:',
  ])
  const working = tried.map(({ label, result }) => `${label}: ${finding(result)}`)
  return { content: [opening, ...working, `<answer>${chosen?.label ?? ''}</answer>`].join('\n') }
}

function careOf(follows: (lesson: LessonId) => boolean): Care {
  return {
    manyCases: follows('many-cases'),
    firstCase: follows('first-case'),
    negatives: follows('whole-domain'),
    bothDirections: follows('both-directions'),
  }
}

function finding(result: ReturnType<typeof tryOut> | undefined): string {
  if (result === undefined) return 'I cannot test this.'
  if (result.stands) return 'holds wherever I tried it.'
  return result.failsAt === undefined ? 'I find no such n.' : `fails for n = ${result.failsAt}.`
}

function longest<T extends Choice>(choices: readonly T[]): T | undefined {
  return [...choices].sort((one, other) => other.text.length - one.text.length)[0]
}

/** The strongest statement. If the statements cannot be compared, the agent by default picks the longest. */
function strongest<T extends Choice>(choices: readonly T[]): T | undefined {
  const [longer, ...shorter] = [...choices].sort((one, other) => other.text.length - one.text.length)
  return shorter.reduce(
    (best, choice) => (best !== undefined && saysMore(choice, best) ? choice : best),
    longer,
  )
}

function saysMore({ statement: one }: Choice, { statement: other }: Choice): boolean {
  return one !== undefined && other !== undefined && compareStrength(one, other) > 0
}

// ── Lessons ─────────────────────────────────────────────────────────────────

type Attempt = Parameters<Lesson['isLackingIn']>[0]

/** The statement that the agent chose wrongly. */
function chosenIn({ question, feedback }: Attempt): Statement | undefined {
  const [, label] = /^Expected [A-E] \([\s\S]*?; got ([A-E]) \(/.exec(feedback) ?? []
  return choicesIn(question)?.find(choice => choice.label === label)?.statement
}

/**
 * Creates a check for a missing kind of care: a test without it accepts the chosen statement, and a test with
 * it refutes the statement.
 */
function slippedThrough(lacking: keyof Care): Lesson['isLackingIn'] {
  return attempt => {
    const chosen = chosenIn(attempt)
    if (chosen === undefined) return false
    return tryOut(chosen, { ...careful, [lacking]: false }).stands && !tryOut(chosen, careful).stands
  }
}

const lessons: Readonly<Record<LessonId, Lesson>> = {
  strongest: {
    wordings: [
      'When several choices are true, take the strongest: the one from which the others follow.',
      'A true statement that is weaker than another true choice is wrong: compare what is left and keep the strongest.',
    ],
    isStatedIn: line => /\bstrongest\b|\bweaker\b.*\bwrong\b/i.test(line),
    isLackingIn: attempt => {
      const chosen = chosenIn(attempt)
      return chosen !== undefined && tryOut(chosen, careful).stands
    },
  },
  'first-case': {
    wordings: [
      'Test every statement at the boundary: the smallest number that it allows, and where equality could hold.',
      'Put in the least value of the range first; a strict inequality often fails in that boundary case.',
    ],
    isStatedIn: line => /\bboundary\b|\b(?:smallest|least|first) (?:value|number|case)\b/i.test(line),
    isLackingIn: slippedThrough('firstCase'),
  },
  'many-cases': {
    wordings: [
      'A few small cases prove nothing about "for every": look for a large counterexample as well.',
      'Before you believe a statement for every n, try large values of n too, not only the first few.',
    ],
    isStatedIn: line =>
      /\blarge\b/i.test(line) && /\b(?:counterexample|values?|numbers?|cases?)\b/i.test(line),
    isLackingIn: slippedThrough('manyCases'),
  },
  'whole-domain': {
    wordings: [
      'If a statement is about all integers, try zero and negative numbers too.',
      'Mind the domain: "every integer" includes negative ones, so test some of them.',
    ],
    isStatedIn: line => /\bnegative\b/i.test(line),
    isLackingIn: slippedThrough('negatives'),
  },
  'both-directions': {
    wordings: [
      'For "if and only if", check both directions: the converse is a claim of its own.',
      'An equivalence is false as soon as its converse is: test both directions.',
    ],
    isStatedIn: line => /\bconverse\b|\bboth directions\b/i.test(line),
    isLackingIn: slippedThrough('bothDirections'),
  },
}

export const solver: Solver<LessonId> = {
  id: 'livemath',
  lessons,
  recognises: ({ messages }) => {
    const asked = messages.findLast(message => message.role === 'user')
    return asked !== undefined && choicesIn(textOf(asked)) !== undefined
  },
  act,
}
