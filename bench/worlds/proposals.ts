import { meaningsIn, sayHabit, sayRule, sayShortcut, sayVague, worldDice } from './vocabulary.js'
import type { Topic, World } from './world.js'

/** The simulated optimizer's judgement, independent of the trainer's prompt format. */

/** The optimizer's own notes, for trainers that ask it to keep some. */
export const metaSkillText =
  'Prefer rules that name a condition and an exact action; leave what works as it is.'

export interface ShownAttempt {
  readonly question: string
  readonly passed: boolean
  /** Offset of the ticket in the prompt. */
  readonly at: number
}

/** Attempts in a prompt: each ticket with the first answer that follows it. */
export function attemptsIn(world: World, prompt: string): ShownAttempt[] {
  const tickets = [...prompt.matchAll(/Ticket (\w+-\d+):[^\n]*?Which code does it get\?/g)]
  return tickets.flatMap((found, index) => {
    const task = world.task(found[0])
    if (task === undefined) return []
    const end = tickets[index + 1]?.index ?? prompt.length
    const answer = /<answer>([^<]*)<\/answer>/.exec(prompt.slice(found.index + found[0].length, end))?.[1]
    return answer === undefined
      ? []
      : [{ question: task.question, passed: answer === task.answer, at: found.index }]
  })
}

export interface ProposedLine {
  /** One Markdown list item, without its dash. */
  readonly text: string
  /** The line of the skill that it replaces, verbatim without its dash. */
  readonly replaces?: string
  /** The questions that led to it. */
  readonly causes: readonly string[]
  /** Lines with the same cause are alternatives. */
  readonly cause: string
}

export interface ProposalRequest {
  /** The whole prompt: lines that already appear in it are not proposed again. */
  readonly prompt: string
  /** The skill alone, if the prompt format allows extracting it. */
  readonly skill: string
  /** Questions that were answered wrongly. */
  readonly failures: readonly string[]
  /** Maximum number of causes. */
  readonly limit: number
  /** Number of different remedies per cause. */
  readonly alternatives?: number
  readonly sample: number
}

type Dice = ReturnType<typeof worldDice>

export function proposeLines(world: World, request: ProposalRequest): ProposedLine[] {
  const { prompt, failures, limit, alternatives = 1, sample } = request
  const dice = worldDice(world.name, world.seed, 'optimizer', prompt, sample)
  const causes = causesOf(world, failures, request.skill, dice)
  const lines: ProposedLine[] = []
  for (const { cause, questions } of causes.slice(0, limit)) {
    const earlier: string[] = []
    for (let count = 0; count < alternatives; count++) {
      const line = propose(world, { cause, request, dice, earlier })
      if (line === undefined || earlier.includes(line.text)) continue
      earlier.push(line.text)
      lines.push({ ...line, cause, causes: questions })
    }
  }
  return lines
}

interface Cause {
  readonly cause: string
  readonly questions: readonly string[]
}

/** Groups failures by the topic whose rule is missing; without topics, each failure is its own cause. */
function causesOf(world: World, failures: readonly string[], skill: string, dice: Dice): Cause[] {
  const served = new Set(
    meaningsIn(skill).flatMap(meaning => {
      if (meaning.kind !== 'rule') return []
      return isRight(world, meaning) ? [meaning.topic] : []
    }),
  )
  const groups = new Map<string, string[]>()
  for (const [index, question] of failures.entries()) {
    const task = world.task(question)
    if (task === undefined) continue
    const topics = world.topicsOf(task.id)
    const missing = topics.filter(topic => !served.has(topic))
    const topic = dice.pick(missing.length > 0 ? missing : topics)
    const isHabit = topic === undefined || (world.habits.length > 0 && dice.chance(0.4))
    const cause = isHabit ? `working habits ${index + 1}` : `${topic} tickets`
    groups.set(cause, [...(groups.get(cause) ?? []), question])
  }
  return [...groups]
    .map(([cause, questions]) => ({ cause, questions, tie: dice.next() }))
    .sort((one, other) => other.questions.length - one.questions.length || one.tie - other.tie)
}

/**
 * The tasks that the optimizer believes a cause to concern, with the world's error rates; `undefined` means
 * all. Repeated calls make the same errors.
 */
export function concernedBy(
  world: World,
  cause: string,
  shown: readonly string[],
): ReadonlySet<string> | undefined {
  const topic = world.topics.find(({ word }) => cause === `${word} tickets`)?.word
  if (topic === undefined) return undefined
  const { recall, precision } = world.spec.classification
  const isTrue = (id: string) => world.topicsOf(id).includes(topic)
  const right = shown.filter(isTrue).length
  // Probability of a false positive per other task that gives the configured precision.
  const wrong = (recall * right * (1 - precision)) / precision / Math.max(1, shown.length - right)
  return new Set(
    shown.filter(id => {
      const dice = worldDice(world.name, world.seed, 'concern', topic, id)
      return dice.chance(isTrue(id) ? recall : wrong)
    }),
  )
}

interface ProposeContext {
  readonly cause: string
  readonly request: ProposalRequest
  readonly dice: Dice
  readonly earlier: readonly string[]
}

type Draft = Pick<ProposedLine, 'text' | 'replaces'>

/** Draws one remedy. A remedy that already appears in the prompt is redrawn a few times, then given up. */
function propose(world: World, context: ProposeContext): Draft | undefined {
  const { request, dice, earlier } = context
  const last = earlier.at(-1)
  if (last !== undefined && dice.chance(world.spec.rephrased)) return rephrase(world, last, dice)
  const spoiled = dice.chance(world.spec.spoil) ? spoil(world, request.skill, dice) : undefined
  if (spoiled !== undefined) return spoiled
  for (let attempt = 0; attempt < 6; attempt++) {
    const text = draft(world, context)
    if (text === undefined || request.prompt.includes(text) || earlier.includes(text)) continue
    const replaces = ruleToReplace(world, text, request.skill)
    return replaces === undefined ? { text } : { text, replaces }
  }
  return undefined
}

/** A rule of the skill on the same topic that did not work and that the new rule replaces. */
function ruleToReplace(world: World, text: string, skill: string): string | undefined {
  const [meaning] = meaningsIn(text)
  if (meaning?.kind !== 'rule') return undefined
  const line = skill.split('\n').find(one => {
    const [said] = meaningsIn(one)
    return said?.kind === 'rule' && said.topic === meaning.topic && !isRight(world, said)
  })
  return line?.replace(/^\s*-\s+/, '')
}

function isRight(world: World, { topic, action }: { topic: string; action: string }): boolean {
  return world.topics.some(({ word, right }) => word === topic && right === action)
}

function draft(world: World, { cause, request, dice }: ProposeContext): string | undefined {
  const { right, vague, wrong } = proposalShares(world, request.prompt)
  const topic = world.topics.find(({ word }) => cause === `${word} tickets`)
  if (topic === undefined) {
    const habit = dice.pick(world.habits)
    return habit === undefined ? undefined : sayHabit(habit.word, dice)
  }
  const draw = dice.next()
  if (draw < right) return sayRule(topic.word, topic.right, dice)
  if (draw < right + vague) return sayVague(topic.word, dice)
  if (draw < right + vague + wrong) return sayRule(topic.word, harmlessAction(world, topic, dice), dice)
  if (dice.chance(0.5)) return sayRule(topic.word, dice.pick([...topic.harmful]) ?? topic.right, dice)
  const shortcut = dice.pick(world.shortcuts)
  return shortcut === undefined ? undefined : sayShortcut(shortcut, dice)
}

/**
 * If the optimizer heeds its notes, vague proposals become rules that are right as often as its other rules.
 */
function proposalShares({ spec }: World, prompt: string): World['spec']['proposals'] {
  if (spec.heedsNotes === 0 || !prompt.includes(metaSkillText)) return spec.proposals
  const vague = spec.proposals.vague * (1 - spec.heedsNotes)
  const factor = (1 - vague) / (1 - spec.proposals.vague)
  const { right, wrong, harmful } = spec.proposals
  return { right: right * factor, vague, wrong: wrong * factor, harmful: harmful * factor }
}

function harmlessAction(world: World, topic: Topic, dice: Dice): string {
  const harmless = world.actions.filter(action => action !== topic.right && !topic.harmful.has(action))
  return dice.pick(harmless) ?? topic.right
}

/** Overwrites a right rule of the skill with a different action for the same topic. */
function spoil(world: World, skill: string, dice: Dice): Draft | undefined {
  const lines = skill.split('\n').filter(line => {
    const [meaning] = meaningsIn(line)
    if (meaning?.kind !== 'rule') return false
    return isRight(world, meaning)
  })
  const line = dice.pick(lines)
  const [meaning] = meaningsIn(line ?? '')
  const topic = world.topics.find(({ word }) => meaning?.kind === 'rule' && word === meaning.topic)
  if (line === undefined || topic === undefined) return undefined
  const text = sayRule(topic.word, harmlessAction(world, topic, dice), dice)
  return { text, replaces: line.replace(/^\s*-\s+/, '') }
}

/** The same lesson in other words. */
function rephrase(world: World, text: string, dice: Dice): Draft {
  const [meaning] = meaningsIn(text)
  if (meaning?.kind === 'rule') return { text: sayRule(meaning.topic, meaning.action, dice) }
  if (meaning?.kind === 'habit') return { text: sayHabit(meaning.word, dice) }
  if (meaning?.kind === 'shortcut') return { text: sayShortcut(meaning.word, dice) }
  const topic = world.topics.find(({ word }) => text.includes(` ${word} `))
  return { text: topic === undefined ? text : sayVague(topic.word, dice) }
}
