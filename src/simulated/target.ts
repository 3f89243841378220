import type { Character } from './character.js'
import {
  type ChatMessage,
  type ChatReply,
  type ChatRequest,
  filesOf,
  fingerprintOf,
  systemRoles,
  textOf,
  textOfRoles,
} from './chat.js'
import { type Dice, diceOf } from './random.js'
import { lessonsIn, solverOf } from './solvers/index.js'
import { formatMoney, formatOfMoney, type Solution, solve } from './world/compute.js'
import { type Assignment, type ConventionId, conventions } from './world/conventions.js'
import { conventionsOf, type Question, readQuestion } from './world/question.js'
import { isHedged, type Reading, readAdvice, type Statement } from './world/reading.js'

/**
 * The simulated target: an agent that follows the skill, acts by default where the skill says nothing, and
 * slips occasionally. It knows only the messages of the request. Its reply depends only on them and on the
 * seed.
 */

/** Share of the slips that remain if the skill asks for care. */
const carefulShare = 5 / 6
/** Errors that are added if the agent does not write down its working, as a share of replies. */
const lapseRateOfBrevity = 0.14
/** Number of lines of advice after which each further line adds slips. */
const comfortableLines = 40
const lapseRatePerLine = 0.01
const mostLapsesOfLength = 0.3

export const unknownTask = 'simulated model: I do not know this kind of task'

export function answerAsTarget(asked: ChatRequest, { slips, literal }: Character): ChatReply {
  const request = literal ? withoutHedges(asked) : asked
  const lastUser = request.messages.findLast(message => message.role === 'user')
  const question = lastUser === undefined ? undefined : readQuestion(textOf(lastUser))
  if (question === undefined)
    return practise(request, slips) ?? { content: [unknownTask, ...seenFiles(lastUser)].join('; ') }

  const advice = readAdviceOnce(adviceIn(request))
  const dice = diceOf('target', fingerprintOf(request))
  const intended = chooseAssignment(advice, dice)
  const solution = solveWithLapses(question, intended, lapseRateOf(advice, slips), dice)
  const tagAsked = advice.asksForAnswerTag || /<answer>/i.test(textOf(lastUser ?? { role: 'user' }))
  return { content: writeReply(solution, tagAsked, advice, dice) }
}

/** Removes hedged advice from a request, for a target that ignores "usually" and "where possible". */
function withoutHedges(request: ChatRequest): ChatRequest {
  const messages = request.messages.map(message => {
    const text = textOf(message)
    const start = text.search(skillHeading)
    if (!systemRoles.includes(message.role) || start === -1) return message
    const heard = text
      .slice(start)
      .split('\n')
      .filter(line => !isHedged(line))
    return { ...message, content: text.slice(0, start) + heard.join('\n') }
  })
  return { ...request, messages }
}

/** A turn at work other than parcel quotes; undefined if no solver recognises the request. */
function practise(request: ChatRequest, slips: number): ChatReply | undefined {
  const solver = solverOf(request)
  if (solver === undefined) return undefined
  const dice = diceOf('target', fingerprintOf(request))
  const advice = adviceIn(request)
  const stated = lessonsIn(
    solver,
    solver.taskBegins === undefined ? advice : (advice.split(solver.taskBegins)[0] ?? ''),
  )
  const followed = new Map(Object.keys(solver.lessons).map(id => [id, stated.has(id) && !dice.chance(slips)]))
  return solver.act(request, lesson => followed.get(lesson) ?? false, dice)
}

/** Mentions the attached files. Their content is not made up. */
function seenFiles(message: ChatMessage | undefined): string[] {
  const number = message === undefined ? 0 : filesOf(message).length
  // The number is spelled out, because a digit in the reply could pass for an answer.
  return number === 0 ? [] : [`${number === 1 ? 'a file' : 'several files'} came with it, which I cannot see`]
}

const skillHeading = /^## Skill[^\S\n]*$/m

/** The skill in a request, which follows its heading. Without it, the whole system message is advice. */
function adviceIn(request: ChatRequest): string {
  const system = textOfRoles(request, systemRoles)
  const fromUser = request.messages.filter(message => message.role === 'user').map(textOf)
  for (const text of [system, ...fromUser]) {
    const heading = skillHeading.exec(text)
    if (heading === null) continue
    const skill = text.slice(heading.index + heading[0].length).trimStart()
    // In a user's message, the skill ends where the question begins.
    return text === system
      ? skill
      : skill
          .split('\n')
          .filter(line => readQuestion(line) === undefined)
          .join('\n')
  }
  return system
}

const readings = new Map<string, Reading>()

/** Caches parsed skills by text, because a whole split of tasks uses the same one. */
function readAdviceOnce(text: string): Reading {
  const known = readings.get(text)
  if (known !== undefined) return known
  if (readings.size >= 64) readings.clear()
  const reading = readAdvice(text)
  readings.set(text, reading)
  return reading
}

function chooseAssignment(advice: Reading, dice: Dice): Assignment {
  const values = Object.entries(conventions).map(([id, convention]) => {
    const habit = dice.pick(convention.usual)
    const statements = advice.statements.get(id as ConventionId)
    return [id, statements === undefined ? habit : weigh(statements, habit, dice)]
  })
  return Object.fromEntries(values) as Record<ConventionId, string>
}

/**
 * Chooses the value that the agent uses. The last statement counts most. A contradiction makes the agent
 * unsure, and a hedge sometimes leaves it at its habit.
 */
function weigh(statements: readonly Statement[], habit: string, dice: Dice): string {
  const firm = statements.filter(statement => !statement.hedged)
  const candidates = firm.length > 0 ? firm : statements
  const last = candidates.at(-1)
  const chosen = dice.chance(0.6) ? last : dice.pick(candidates)
  const followed = chosen === undefined || (chosen.hedged && dice.chance(0.4)) ? undefined : chosen.value
  return followed ?? habit
}

function lapseRateOf(advice: Reading, slips: number): number {
  const base = advice.careful ? carefulShare * slips : slips
  const tooLong = Math.max(0, advice.lines.length - comfortableLines) * lapseRatePerLine
  return base + (advice.brief ? lapseRateOfBrevity : 0) + Math.min(tooLong, mostLapsesOfLength)
}

function solveWithLapses(question: Question, intended: Assignment, rate: number, dice: Dice): Solution {
  const solution = solve(question, intended)
  if (!dice.chance(rate)) return solution
  if (dice.chance(0.4)) {
    const id = dice.pick(conventionsOf[question.kind])
    if (id !== undefined) {
      const forgetful = solve(question, { ...intended, [id]: dice.pick(conventions[id].usual) })
      if (forgetful.answer !== solution.answer) return forgetful
    }
  }
  return { ...solution, answer: slip(solution.answer, dice) }
}

/** A plausible miscalculation, such as a lost carry or a miscounted day. It differs from the answer. */
function slip(answer: string, dice: Dice): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(answer)) {
    const day = new Date(`${answer}T00:00:00Z`)
    day.setUTCDate(day.getUTCDate() + (dice.chance(0.5) ? 1 : -1))
    return day.toISOString().slice(0, 10)
  }
  const amount = Number(/\d+(?:\.\d+)?/.exec(answer)?.[0] ?? 0)
  const off = amount + dice.pick([1, -1, 10, 0.9] as const)
  const wrong = off > 0 ? off : amount + 1
  const format = formatOfMoney(answer)
  return format === undefined
    ? answer.replace(/\d+(?:\.\d+)?/, String(Math.round(wrong * 100) / 100))
    : formatMoney(wrong, format)
}

function writeReply(solution: Solution, tagAsked: boolean, advice: Reading, dice: Dice): string {
  const opening = dice.pick(['Let me work this out.', 'Here is the calculation.', 'Working:'] as const)
  const working = advice.brief ? [] : [opening, ...solution.working]
  const tagged = tagAsked || dice.chance(0.5)
  const plain = dice.pick([`The answer is ${solution.answer}.`, `**${solution.answer}**`] as const)
  return [...working, tagged ? `<answer>${solution.answer}</answer>` : plain].join('\n')
}
