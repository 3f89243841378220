import { type ChatReply, type ChatRequest, textOf } from '../chat.js'
import type { Dice } from '../random.js'
import type { Lesson, Solver } from './solver.js'

/**
 * Short texts from pasted facts: a footnote, a commit subject, a line of a report. The agent gets the facts
 * right, but the form wrong unless the skill states the form that the company requires.
 */

/** Facts by name, from `name: value` lines between two fences. */
export type Facts = Readonly<Record<string, string>>

/** A form that the company requires, with wordings to state it and a check of whether a text has it. */
export interface HouseForm {
  readonly wordings: Lesson['wordings']
  isStatedIn(line: string): boolean
  isKept(text: string, facts: Facts): boolean
}

/** A kind of text that users ask for. */
export interface Piece<F extends string> {
  /** Pattern of requests for this kind of text. */
  readonly asked: RegExp
  /** True if the user wants only a name. By default the agent wraps it in a sentence. */
  readonly isName?: true
  write(facts: Facts, keeps: (form: F) => boolean): string
}

export interface Desk<F extends string> {
  readonly id: string
  /** Names of the facts that identify this kind of work. */
  readonly needs: readonly string[]
  readonly forms: Readonly<Record<F, HouseForm>>
  /** Kinds of text. The first one whose pattern matches the request is written. */
  readonly pieces: readonly Piece<F>[]
  /** The name to which the rule "always alone" reduces every answer, even if it was not asked for. */
  name(facts: Facts): string
  /**
   * Wordings of two rules: `alone` demands a bare name where one is asked for, `alwaysAlone` demands it for
   * every answer.
   */
  readonly alone: Lesson['wordings']
  readonly alwaysAlone: Lesson['wordings']
  readonly generalities: readonly string[]
}

/** How often the agent uses a required form by chance. */
const luckyShare = 0.3

type DeskLesson<F extends string> = F | 'name-alone' | 'always-alone'

export function deskSolver<F extends string>(desk: Desk<F>): Solver<DeskLesson<F>> {
  const lessons = Object.fromEntries([
    ...Object.entries<HouseForm>(desk.forms).map(([id, form]) => [id, lessonOf(form)] as const),
    ['name-alone', { ...aloneLesson, wordings: desk.alone, isStatedIn: saysWhereAlone }],
    // A rule that generalises too much. Whoever has seen only names fail will take it for a rule about
    // everything.
    ['always-alone', { ...aloneLesson, wordings: desk.alwaysAlone, isStatedIn: saysAlwaysAlone }],
  ]) as Record<DeskLesson<F>, Lesson>
  const factsFor = (text: string): Facts | undefined => {
    const facts = factsIn(text)
    return desk.needs.every(name => facts[name] !== undefined) ? facts : undefined
  }
  return {
    id: desk.id,
    lessons,
    remarks: { general: desk.generalities, harmful: desk.alwaysAlone },
    recognises: request => factsFor(lastAsked(request)) !== undefined,
    act(request, follows, dice): ChatReply {
      const text = lastAsked(request)
      const facts = factsFor(text) ?? {}
      const piece = desk.pieces.find(({ asked }) => asked.test(withoutFacts(text)))
      const byChance = new Set(Object.keys(lessons).filter(() => dice.chance(luckyShare)))
      const keeps = (lesson: DeskLesson<F>) => follows(lesson) || byChance.has(lesson)
      if (follows('always-alone')) return { content: desk.name(facts) }
      if (piece === undefined) return { content: `${dice.pick(openings)}\n\n${desk.name(facts)}` }
      const written = piece.write(facts, keeps)
      return { content: piece.isName === true && !keeps('name-alone') ? around(written, dice) : written }
    },
  }
}

function lastAsked({ messages }: ChatRequest): string {
  const asked = messages.findLast(message => message.role === 'user')
  return asked === undefined ? '' : textOf(asked)
}

const fenced = /```[^\n]*\n([\s\S]*?)\n?```/g

/** Facts from the last fence in a text. Empty if there is none. */
function factsIn(text: string): Facts {
  const body = [...text.matchAll(fenced)].at(-1)?.[1] ?? ''
  const lines = [...body.matchAll(/^([a-z][a-z ]*): *(\S.*)$/gm)]
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value.trim()]))
}

const withoutFacts = (text: string): string => text.replaceAll(fenced, ' ')

const openings = ['Here it is.', 'This should do.', 'Sure.'] as const

function around(name: string, dice: Dice): string {
  return dice.pick([
    `Here is what you asked for: ${name}. It follows from the facts above.`,
    `I would take ${name} for that, since it is easy to find again.`,
    `Sure. The best choice seems to be ${name}, I think.`,
  ] as const)
}

// ── Lessons, and how a reader of an answer detects them ─────────────────────

function lessonOf({ wordings, isStatedIn, isKept }: HouseForm): Lesson {
  return {
    wordings,
    isStatedIn,
    isLackingIn: attempt => demandsMissed(attempt.feedback).some(isStatedIn),
    isKeptIn: ({ question, answer }) => isKept(answer, factsIn(question)),
  }
}

const alone = /\b(?:alone|by itself|nothing (?:else|around|more|but)|and no more|bare)\b/i
const condition = /\b(?:when(?:ever)?|where(?:ver)?|if|once)\b/i
const denial = /\b(?:never|not|avoid|don['’]t)\b/i

const saysWhereAlone = (line: string): boolean => alone.test(line) && condition.test(line)
const saysAlwaysAlone = (line: string): boolean =>
  alone.test(line) && !condition.test(line) && !denial.test(line)

const aloneLesson = {
  isLackingIn: ({ feedback }: { readonly feedback: string }) =>
    demandsMissed(feedback).some(demand => alone.test(demand)),
  isKeptIn: ({ answer }: { readonly answer: string }) => !/\s/.test(answer.trim()),
}

/** The points that an answer lacks according to the judge, in the words of the rubric. */
function demandsMissed(feedback: string): readonly string[] {
  return [...feedback.matchAll(/\bIt lacks ((?:"[^"]*"(?:, )?)+)/g)].flatMap(([, listed = '']) =>
    [...listed.matchAll(/"([^"]*)"/g)].map(([, demand = '']) => demand),
  )
}
