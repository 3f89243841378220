import type { Dice } from '../random.js'
import { formatOfMoney, solve } from '../world/compute.js'
import { type Assignment, type ConventionId, conventions } from '../world/conventions.js'
import { conventionsOf, readQuestion } from '../world/question.js'

/** Evidence from one attempt about the conventions of the simulated company. */
export interface Finding {
  readonly kind: 'rules' | 'no-answer-tag' | 'slip' | 'unclear'
  /** Number of conventions that must change together. More changes are harder to find. */
  readonly changes: number
  /** Values that would have given the expected answer where the agent's values did not, with weights. */
  readonly rules: readonly { readonly id: ConventionId; readonly value: string; readonly weight: number }[]
}

interface Attempt {
  readonly question: string
  readonly reply: string
  readonly feedback: string
}

/** Share of clear cases that the optimizer overlooks. */
const overlookRate = 0.6

/**
 * Whether the optimizer overlooks a cause. The chance of seeing it halves with each further convention that
 * must change at the same time.
 */
export function overlooks(finding: Finding, dice: Dice): boolean {
  return !dice.chance((1 - overlookRate) * 0.5 ** Math.max(0, finding.changes - 1))
}

const nothing: Finding = { kind: 'unclear', changes: 0, rules: [] }

/**
 * Finds plausible conventions that turn the agent's answer into the expected one. The expected answer comes
 * from the feedback; without it, nothing can be learned.
 */
export function examineFailure(attempt: Attempt, assumed: Assignment): Finding {
  const question = readQuestion(attempt.question)
  const expected = expectedIn(attempt.feedback)
  if (question === undefined || expected === undefined) return nothing
  const given = givenIn(attempt)
  if (given === undefined) return { ...nothing, kind: 'no-answer-tag' }

  const worlds = worldsFor(conventionsOf[question.kind], assumed).map(world => ({
    world,
    answer: solve(question, world).answer,
  }))
  const relevant = conventionsOf[question.kind]
  const used = nearest(worlds, given, assumed, relevant)[0]
  // If no conventions explain the amount, its layout still shows how the agent formats money.
  const format = formatOfMoney(given)
  const from = used ?? (format === undefined ? assumed : { ...assumed, 'money-format': format })
  if (used === undefined && solve(question, from).answer === expected) return { ...nothing, kind: 'slip' }

  const explanations = nearest(worlds, expected, from, relevant)
  if (explanations.length === 0) return nothing
  const weight = 1 / explanations.length
  const changes = relevant.filter(id => explanations[0]?.[id] !== from[id]).length
  const rules = explanations.flatMap(world =>
    relevant.filter(id => world[id] !== from[id]).map(id => ({ id, value: world[id], weight })),
  )
  return rules.length === 0 ? { ...nothing, kind: 'slip' } : { kind: 'rules', changes, rules }
}

/** Finds the values that a success confirms: those without which the answer would have been different. */
export function examineSuccess(attempt: Attempt, assumed: Assignment): Finding {
  const question = readQuestion(attempt.question)
  const given = givenIn(attempt)
  if (question === undefined || given === undefined) return nothing
  const relevant = conventionsOf[question.kind]
  const used = nearest(
    worldsFor(relevant, assumed).map(world => ({ world, answer: solve(question, world).answer })),
    given,
    assumed,
    relevant,
  )[0]
  if (used === undefined) return nothing
  const decisive = relevant.filter(id =>
    conventions[id].alternatives.every(
      value => value === used[id] || solve(question, { ...used, [id]: value }).answer !== given,
    ),
  )
  return { kind: 'rules', changes: 0, rules: decisive.map(id => ({ id, value: used[id], weight: 1 })) }
}

/**
 * Extracts the expected answer from feedback such as `Expected "12.40 EUR"; got "12.38 EUR".`, with or
 * without quotes.
 */
function expectedIn(feedback: string): string | undefined {
  const lead = String.raw`(?:expected(?: answer)?|should (?:be|have been)|correct answer(?: is| was)?):?\s+`
  const quoted = new RegExp(`${lead}["“]([^"”]+)["”]`, 'i').exec(feedback)?.[1]
  return quoted ?? new RegExp(`${lead}([^";,\n]+?)(?:[;,\n]|\\.?$)`, 'i').exec(feedback)?.[1]
}

function givenIn(attempt: Attempt): string | undefined {
  const tagged = [...attempt.reply.matchAll(/<answer>([\s\S]*?)<\/answer>/gi)].at(-1)?.[1]?.trim()
  return tagged === undefined || tagged === '' ? undefined : tagged
}

/** All combinations of values for the given conventions. The others keep their assumed values. */
function worldsFor(ids: readonly ConventionId[], assumed: Assignment): Assignment[] {
  let worlds: Assignment[] = [assumed]
  for (const id of ids) {
    const values = new Set([assumed[id], ...conventions[id].alternatives])
    worlds = worlds.flatMap(world => [...values].map(value => ({ ...world, [id]: value })))
  }
  return worlds
}

/** Of the assignments that give this answer, those that change the fewest assumptions. */
function nearest(
  worlds: readonly { readonly world: Assignment; readonly answer: string }[],
  answer: string,
  from: Assignment,
  ids: readonly ConventionId[],
): Assignment[] {
  let best: Assignment[] = []
  let fewest = Number.POSITIVE_INFINITY
  for (const candidate of worlds) {
    if (candidate.answer !== answer) continue
    const changes = ids.filter(id => candidate.world[id] !== from[id]).length
    if (changes < fewest) best = []
    if (changes <= fewest) best.push(candidate.world)
    fewest = Math.min(fewest, changes)
  }
  return best
}
