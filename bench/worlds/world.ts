import type { WorldSpec } from './spec.js'
import { inventWords, meaningsIn, worldDice } from './vocabulary.js'

export interface WorldTask {
  readonly id: string
  readonly question: string
  readonly answer: string
  readonly type: string
}

/** Hidden truth about a task. */
interface Truth {
  readonly topics: readonly string[]
  readonly isNoisy: boolean
  /** A deterministic task is solved from this probability on. */
  readonly threshold: number
}

export interface Topic {
  readonly word: string
  /** Another name of the topic that no rule uses. */
  readonly synonym: string
  readonly right: string
  /** Actions that make answers on this topic worse than no rule at all. */
  readonly harmful: ReadonlySet<string>
  readonly frequency: number
}

export interface Habit {
  readonly word: string
  readonly effect: number
  /** The habit that this one needs, or that cancels it. */
  readonly partner?: string
}

export interface World {
  readonly name: string
  readonly seed: number
  readonly spec: WorldSpec
  readonly tasks: Record<'train' | 'val' | 'test', readonly WorldTask[]>
  readonly seedSkill: string
  /** The target's instructions besides the skill. */
  readonly instructions: string
  readonly topics: readonly Topic[]
  readonly habits: readonly Habit[]
  /** Words of shortcuts, all of which are harmful. */
  readonly shortcuts: readonly string[]
  readonly actions: readonly string[]
  /**
   * The target's reply to a prompt that contains one ticket. Repeats of a noisy task differ by their sample.
   */
  reply(prompt: string, sample: number): string
  task(question: string): WorldTask | undefined
  topicsOf(task: string): readonly string[]
  /** Probability of a correct answer to a task under a text. */
  probability(task: string, text: string): number
  /** Exact expected score of a skill on the test tasks. */
  trueScore(skill: string): number
  /** True score of the best skill that proposals can lead to. */
  readonly possible: number
  /** Gain in the expected score on the test tasks when one line is added to a skill. */
  lineEffect(line: string, skill: string): number
}

const seedSkill = `# Ticket desk

Answer each ticket with its code.

## Rules

- Read the whole ticket before answering.
- Give one code and nothing else.
`

/** Maximum number of rules that one task needs. */
const mostRules = 5

const ticketPattern = /Ticket (\w+-\d+):/g

const tools = ['a dented lid', 'a torn label', 'a late parcel', 'a missing seal', 'a double charge']
const places = ['Aldern', 'Brunmoor', 'Castlen', 'Dorrow', 'Eastmere', 'Fallow', 'Gransby', 'Hollis']

export function createWorld(spec: WorldSpec, seed: number): World {
  const dice = worldDice(spec.name, seed, 'truth')
  const taken = new Set<string>()
  const actions = inventWords(dice, 8, taken)
  const shortcuts = inventWords(dice, 20, taken)
  const topics = createTopics(spec, dice, { actions, taken })
  const habits = createHabits(spec, dice, taken)
  const truths = new Map<string, Truth>()
  const known = new Map<string, WorldTask>()

  const createTask = (split: string, index: number): WorldTask => {
    const id = `${split}-${String(index).padStart(4, '0')}`
    const own = worldDice(spec.name, seed, 'task', id)
    const first = drawTopic(topics, own)
    const second = own.chance(spec.twoRules) ? drawTopic(topics, own) : undefined
    const needed = [first, second].filter(topic => topic !== undefined)
    while (spec.further > 0 && needed.length < mostRules && own.chance(spec.further)) {
      const next = drawTopic(topics, own)
      if (next !== undefined && !needed.includes(next)) needed.push(next)
    }
    truths.set(id, {
      topics: [...new Set(needed.map(({ word }) => word))],
      isNoisy: own.chance(spec.noisy),
      threshold: own.next(),
    })
    const named = needed.map(topic => (own.chance(spec.words.recall) ? topic.word : topic.synonym))
    const distractor = own.chance(spec.words.distractors) ? drawTopic(topics, own)?.word : undefined
    const about = named.length === 0 ? 'an order' : named.map(word => `a ${word}`).join(' and ')
    const aside = distractor === undefined ? '' : ` The customer once bought a ${distractor}.`
    const question = `Ticket ${id}: a customer from ${own.pick(places)} writes about ${about} with ${own.pick(tools)}.${aside} Which code does it get?`
    const task = { id, question, answer: codeOf(spec, seed, id, 'right'), type: '' }
    known.set(id, task)
    return task
  }
  const split = (name: 'train' | 'val' | 'test') =>
    Array.from({ length: spec.sizes[name] }, (_, index) => createTask(name, index))
  const tasks = { train: split('train'), val: split('val'), test: split('test') }

  const probabilityUnder = (id: string, rules: Rules): number => {
    const truth = truths.get(id)
    if (truth === undefined) throw new Error(`The world has no task "${id}".`)
    return chanceOf(spec, truth, rules)
  }
  const read = (text: string) => readRules(text, { topics, habits, shortcuts, seedSkill, spec })
  const trueScore = (skill: string): number => {
    const rules = read(skill)
    const sum = tasks.test.reduce((total, task) => total + probabilityUnder(task.id, rules), 0)
    return sum / tasks.test.length
  }
  const taskIn = (text: string): WorldTask | undefined => {
    const last = [...text.matchAll(ticketPattern)].at(-1)?.[1]
    return last === undefined ? undefined : known.get(last)
  }

  return {
    name: spec.name,
    seed,
    spec,
    tasks,
    seedSkill,
    instructions: 'Answer the ticket. Put the final answer into <answer></answer>.',
    topics,
    habits,
    shortcuts,
    actions,
    reply(prompt, sample) {
      const task = taskIn(prompt)
      if (task === undefined) return 'There is no ticket here. <answer>none</answer>'
      const truth = truths.get(task.id)
      const probability = probabilityUnder(task.id, read(prompt))
      const draw = truth?.isNoisy
        ? worldDice(spec.name, seed, 'sample', prompt, sample).next()
        : (truth?.threshold ?? 1)
      const code = draw < probability ? task.answer : codeOf(spec, seed, task.id, `wrong ${sample % 3}`)
      return `I looked the ticket up. <answer>${code}</answer>`
    },
    task: taskIn,
    topicsOf: id => truths.get(id)?.topics ?? [],
    probability: (id, text) => probabilityUnder(id, read(text)),
    trueScore,
    possible: trueScore(idealSkill({ topics, habits, spec })),
    lineEffect: (line, skill) => trueScore(`${skill}\n- ${line}\n`) - trueScore(skill),
  }
}

function codeOf(spec: WorldSpec, seed: number, id: string, which: string): string {
  return `C${Math.floor(worldDice(spec.name, seed, 'code', id, which).next() * 1e6)}`
}

type WorldDice = ReturnType<typeof worldDice>

function createTopics(
  spec: WorldSpec,
  dice: WorldDice,
  { actions, taken }: { actions: readonly string[]; taken: Set<string> },
): Topic[] {
  const words = inventWords(dice, spec.topics, taken)
  const synonyms = inventWords(dice, spec.topics, taken)
  const weights = words.map((_, index) => 1 / (index + 1) ** spec.skew)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return words.map((word, index) => {
    const [right = '', ...others] = dice.shuffle(actions)
    return {
      word,
      synonym: synonyms[index] ?? word,
      right,
      harmful: new Set(others.slice(0, 2)),
      frequency: (weights[index] ?? 0) / total,
    }
  })
}

function createHabits({ habits }: WorldSpec, dice: WorldDice, taken: Set<string>): Habit[] {
  const words = inventWords(dice, habits.count, taken)
  const helpful = Math.round(habits.count * habits.helpful)
  const harmful = Math.round(habits.count * habits.harmful)
  return words.map((word, index) => {
    if (index >= helpful) return { word, effect: index < helpful + harmful ? -habits.effect : 0 }
    const partner = words[index ^ 1]
    const isPaired = habits.pairs !== 'none' && (index ^ 1) < helpful && partner !== undefined
    return { word, effect: habits.effect, ...(isPaired ? { partner } : {}) }
  })
}

function drawTopic(topics: readonly Topic[], dice: WorldDice): Topic | undefined {
  let left = dice.next()
  for (const topic of topics) {
    left -= topic.frequency
    if (left < 0) return topic
  }
  return topics.at(-1)
}

/** Combined effect of the rules in a text. */
interface Rules {
  /**
   * Topic -> how well the text serves it: 1 right, 0 not covered, between for a contradiction, below 0 for
   * harm.
   */
  readonly topics: ReadonlyMap<string, number>
  /** Added to the probability of every task. */
  readonly everywhere: number
  /** Topic -> loss by shortcuts. */
  readonly losses: ReadonlyMap<string, number>
}

interface RulesNeeds {
  readonly topics: readonly Topic[]
  readonly habits: readonly Habit[]
  readonly shortcuts: readonly string[]
  readonly seedSkill: string
  readonly spec: WorldSpec
}

/**
 * Loss of probability by a shortcut, on the half of the topics that it affects; on all tasks if there are no
 * topics.
 */
const shortcutLoss = 0.2

function readRules(text: string, { topics, habits, shortcuts, spec }: RulesNeeds): Rules {
  const meanings = meaningsIn(text)
  const served = new Map<string, number>()
  for (const topic of topics) {
    const said = new Set(
      meanings.flatMap(meaning =>
        meaning.kind === 'rule' && meaning.topic === topic.word ? [meaning.action] : [],
      ),
    )
    served.set(topic.word, serviceOf(topic, said))
  }
  const kept = new Set(meanings.flatMap(meaning => (meaning.kind === 'habit' ? [meaning.word] : [])))
  const taken = new Set(meanings.flatMap(meaning => (meaning.kind === 'shortcut' ? [meaning.word] : [])))
  const losses = new Map<string, number>()
  for (const [number, word] of shortcuts.entries()) {
    if (!taken.has(word)) continue
    for (const [index, topic] of topics.entries()) {
      if ((index + number) % 2 === 0) losses.set(topic.word, (losses.get(topic.word) ?? 0) + shortcutLoss)
    }
  }
  const words = text.split(/\s+/).length
  const over = Math.max(0, words - spec.longSkill.words) / 100
  const general = topics.length === 0 ? -shortcutLoss * 0.3 * taken.size : 0
  return {
    topics: served,
    losses,
    everywhere: habitEffect(habits, kept, spec) + general - over * spec.longSkill.loss,
  }
}

function serviceOf(topic: Topic, said: ReadonlySet<string>): number {
  const isRight = said.has(topic.right)
  if (isRight) return said.size === 1 ? 1 : 0.5
  return [...said].some(action => topic.harmful.has(action)) ? -0.8 : 0
}

function habitEffect(habits: readonly Habit[], kept: ReadonlySet<string>, spec: WorldSpec): number {
  let sum = 0
  for (const habit of habits) {
    if (!kept.has(habit.word)) continue
    if (habit.partner === undefined) sum += habit.effect
    else if (spec.habits.pairs === 'together') sum += kept.has(habit.partner) ? habit.effect : 0
    else sum += kept.has(habit.partner) ? 0 : habit.effect
  }
  return sum
}

function chanceOf(spec: WorldSpec, truth: Truth, rules: Rules): number {
  const service = truth.topics.map(topic => rules.topics.get(topic) ?? 0)
  // A task with several rules is limited by the rule that is served worst.
  const worst = service.length === 0 ? 0 : Math.min(...service)
  const gain = worst >= 0 ? worst * (spec.ceiling - spec.base) : worst * spec.base
  const loss = truth.topics.reduce((sum, topic) => sum + (rules.losses.get(topic) ?? 0), 0)
  return Math.min(0.97, Math.max(0.02, spec.base + gain + rules.everywhere - loss))
}

function idealSkill({ topics, habits, spec }: Pick<RulesNeeds, 'topics' | 'habits' | 'spec'>): string {
  if (spec.proposals.right === 0) return seedSkill
  const rules = topics.map(
    ({ word, right }) => `- For a ${word} ticket, take the code from the ${right} column.`,
  )
  const chosen = habits.filter(({ effect, partner }, index) => {
    if (effect <= 0) return false
    return spec.habits.pairs !== 'cancel' || partner === undefined || index % 2 === 0
  })
  const kept = chosen.map(({ word }) => `- On every ticket, keep the ${word} habit.`)
  return `${seedSkill}${[...rules, ...kept].join('\n')}\n`
}
