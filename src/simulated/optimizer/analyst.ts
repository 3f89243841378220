import type { Character } from '../character.js'
import type { Dice } from '../random.js'
import { type ConventionId, conventionIds, conventions } from '../world/conventions.js'
import { answerTagRule, harmfulAdvice, phraseRule, vagueAdvice } from '../world/phrasing.js'
import { assignmentOf, type Reading, readAdvice } from '../world/reading.js'
import { examineFailure, examineSuccess, overlooks } from './evidence.js'
import { toSuggestion, writeOut } from './forms.js'
import { type Memory, memoryOf } from './memory.js'
import { addLine, editableLines, type ProposedEdit, placeRule } from './placing.js'
import { anyTask, causeOf, remediesFor } from './remedies.js'
import { alternativesOf, editLimitOf, section, trajectoriesIn } from './sections.js'
import { type Lacking, lackingLessons, remarksOn } from './solver-evidence.js'

/** How often the optimizer guesses a rule without evidence instead of giving general advice. */
const guessRate = 0.5
const ignoresRejectionRate = 0.2
/** How often a further remedy for a cause tries the next likely value. The others reword the same value. */
const nextValueRate = 0.5

interface Vote {
  readonly id: ConventionId
  readonly value: string
  weight: number
  readonly trajectories: number[]
}

interface Context {
  readonly skill: string
  readonly reading: Reading
  readonly memory: Memory
  readonly dice: Dice
  readonly character: Character
  /** General remarks for kinds of work other than parcel quotes. */
  readonly remarks: ReturnType<typeof remarksOn>
}

/** Reads failed attempts and proposes edits that would have prevented them. */
export function analyseFailures(
  text: string,
  dice: Dice,
  instructions: string,
  character: Character,
): object {
  const skill = section(text, 'skill') ?? ''
  const reading = readAdvice(skill)
  const trajectories = trajectoriesIn(text)
  const remarks = remarksOn(trajectories)
  const context = { skill, reading, memory: memoryOf(text), dice, character, remarks }
  const assumed = assignmentOf(reading)
  const votes = new Map<string, Vote>()
  const kinds = { rules: 0, 'no-answer-tag': 0, slip: 0, unclear: 0 }
  for (const trajectory of trajectories) {
    const finding = examineFailure(trajectory, assumed)
    if (overlooks(finding, dice)) {
      kinds.unclear += 1
      continue
    }
    kinds[finding.kind] += 1
    for (const { id, value, weight } of finding.rules) castVote(votes, id, value, weight, trajectory.number)
  }
  for (const [id, value] of context.memory.favoured) {
    const vote = votes.get(`${id}=${value}`)
    if (vote !== undefined) vote.weight += 0.5
  }

  const alternatives = alternativesOf(text)
  const { isPending } = context.memory
  // If the prompt asks for several remedies per cause, the edit limit counts causes.
  const causes: ProposedEdit[][] = []
  const limit = editLimitOf(text)
  for (const vote of ranked(votes)) {
    if (causes.length >= limit) break
    const propose = (index: number) =>
      proposeFor(index === 0 ? vote : nextVote(vote, votes, index, dice), votes, context)
    const edits = remediesFor({ alternatives, cause: causeOf(vote.id), isPending, propose })
    if (edits.length > 0) causes.push(edits)
  }
  const lacking = lackingLessons(trajectories, skill, dice)
  for (const lesson of lacking) {
    if (causes.length >= limit) break
    const cause = anyTask(lesson.name.replaceAll('-', ' '))
    const propose = (index: number) => proposeLesson(rewordedLesson(lesson, index), context)
    const edits = remediesFor({ alternatives, cause, isPending, propose })
    if (edits.length > 0) causes.push(edits)
  }
  const single = (cause: string, propose: () => ProposedEdit | undefined) => {
    const wanted = alternatives === undefined ? undefined : 1
    causes.push(remediesFor({ alternatives: wanted, cause: anyTask(cause), isPending, propose }))
  }
  if (kinds['no-answer-tag'] > 0 && !reading.asksForAnswerTag && causes.length < limit)
    single('answer tag', () => addLine(answerTagRule, skill, dice))
  const lapses = lapsesOf(votes, kinds.slip, context)
  const explained = wantsLapses(instructions) && lapses.length > 0
  if (causes.length === 0 && limit > 0 && !explained)
    single('care', () => proposeWithoutEvidence(kinds.slip > 0, context))
  if (causes.length < limit && dice.chance(character.harm)) single('length', () => proposeHarm(context))
  const edits = causes.flat()

  return {
    batch_size: trajectories.length,
    failure_summary: [...summarize(votes, kinds), ...lacking.map(summaryOf)],
    ...(wantsLapses(instructions) ? { lapses } : {}),
    patch: inForm(instructions, skill, reasoningOf(votes), edits),
  }
}

const carefulness = [
  'Before you answer, verify the calculation once more.',
  'When several figures are added, double-check each of them.',
  'Write out every intermediate result, as the skill asks.',
] as const

const wantsLapses = (instructions: string): boolean => instructions.includes('"lapses"')

/** Notes on lapses: the skill already states the rule, or the agent only miscalculated. */
function lapsesOf(votes: ReadonlyMap<string, Vote>, slips: number, { reading, dice }: Context): object[] {
  const stated = ranked(votes).filter(vote => reading.statements.get(vote.id)?.at(-1)?.value === vote.value)
  return [
    ...stated.map(vote => ({
      reminder: phraseRule(vote.id, vote.value, dice),
      trajectories: vote.trajectories,
    })),
    ...(slips > 0 ? [{ reminder: dice.pick(carefulness), trajectories: null }] : []),
  ]
}

/** Formats the proposals as the prompt demands: as edits, as suggestions in words, or as a whole skill. */
function inForm(
  instructions: string,
  skill: string,
  reasoning: string,
  edits: readonly ProposedEdit[],
): object {
  if (instructions.includes('"suggestions"')) {
    const suggestions = edits.map(edit => ({
      ...toSuggestion(edit),
      trajectories: edit.trajectories ?? null,
    }))
    return { reasoning, suggestions }
  }
  if (!instructions.includes('"new_skill"')) return { reasoning, edits }
  return {
    reasoning,
    new_skill: edits.length === 0 ? null : writeOut(skill, edits),
    change_summary: edits.map(edit => toSuggestion(edit).title).join('; '),
  }
}

function castVote(
  votes: Map<string, Vote>,
  id: ConventionId,
  value: string,
  weight: number,
  trajectory: number,
): void {
  const key = `${id}=${value}`
  const vote = votes.get(key) ?? { id, value, weight: 0, trajectories: [] }
  vote.weight += weight
  if (!vote.trajectories.includes(trajectory)) vote.trajectories.push(trajectory)
  votes.set(key, vote)
}

/** For each convention, the value that explains most failures. Sorted by support. */
function ranked(votes: ReadonlyMap<string, Vote>): Vote[] {
  const best = new Map<ConventionId, Vote>()
  for (const vote of votes.values()) {
    const rival = best.get(vote.id)
    if (rival === undefined || vote.weight > rival.weight) best.set(vote.id, vote)
  }
  return [...best.values()].sort((one, other) => other.weight - one.weight)
}

/**
 * The value for another remedy: one that the examples support, preferably a likely one, or the same value in
 * other words.
 */
function nextVote(vote: Vote, votes: ReadonlyMap<string, Vote>, index: number, dice: Dice): Vote {
  const values = [...votes.values()]
    .filter(other => other.id === vote.id && other.value !== vote.value)
    .sort((one, other) => other.weight - one.weight)
  const next = values[index - 1]
  return next !== undefined && dice.chance(nextValueRate)
    ? { ...next, trajectories: vote.trajectories }
    : vote
}

function rewordedLesson(lesson: Lacking, index: number): Lacking {
  const { wording, wordings } = lesson
  const start = wordings.indexOf(wording)
  return { ...lesson, wording: wordings[(start + index) % wordings.length] ?? wording }
}

function proposeFor(
  vote: Vote,
  votes: ReadonlyMap<string, Vote>,
  context: Context,
): ProposedEdit | undefined {
  const { skill, reading, memory, dice, character } = context
  const { vagueAdvice: vague, wrongRules } = character
  if (dice.chance(memory.wantsPrecision ? vague / 2 : vague)) {
    const general = addGeneral(vagueAdvice, context)
    return general === undefined ? undefined : withTrajectories(general, vote)
  }
  const value = dice.chance(wrongRules) ? rivalOf(vote, votes, dice) : vote.value
  if (reading.statements.get(vote.id)?.at(-1)?.value === value) return undefined
  const rule = phraseRule(vote.id, value, dice)
  if (memory.wasRejected(rule) && !dice.chance(ignoresRejectionRate)) return undefined
  return withTrajectories(placeRule(vote.id, rule, skill, reading, dice), vote)
}

/**
 * Proposes a lesson that the skill lacks. As with rules, the proposal may be too vague to have an effect, and
 * rejected ones are seldom proposed again.
 */
function proposeLesson(lacking: Lacking, context: Context): ProposedEdit | undefined {
  const { wording, trajectories } = lacking
  const { skill, memory, dice, character, remarks } = context
  const edit = dice.chance(character.vagueAdvice)
    ? addGeneral(remarks?.general ?? vagueAdvice, context)
    : addLine(wording, skill, dice)
  if (memory.wasRejected(wording) && !dice.chance(ignoresRejectionRate)) return undefined
  return edit === undefined ? undefined : { ...edit, trajectories }
}

function summaryOf({ name, trajectories }: Lacking): object {
  const description = `The agent did not know: ${name.replaceAll('-', ' ')}.`
  return { failure_type: name, count: trajectories.length, description }
}

/** A different value: one that some example supports or, if there is none, any other. */
function rivalOf(vote: Vote, votes: ReadonlyMap<string, Vote>, dice: Dice): string {
  const rivals = [...votes.values()].filter(other => other.id === vote.id && other.value !== vote.value)
  const others = conventions[vote.id].alternatives.filter(value => value !== vote.value)
  return dice.pick(rivals)?.value ?? dice.pick(others) ?? vote.value
}

function withTrajectories(edit: ProposedEdit, vote: Vote): ProposedEdit {
  return { ...edit, trajectories: vote.trajectories }
}

/** Proposes an edit without evidence: advice on care, a general remark, or the guess of a rule. */
function proposeWithoutEvidence(slips: boolean, context: Context): ProposedEdit | undefined {
  const { skill, reading, dice, remarks } = context
  if (slips || remarks !== undefined || !dice.chance(guessRate))
    return addGeneral(remarks?.general ?? vagueAdvice, context)
  const id = dice.pick(conventionIds)
  const rule = phraseRule(id, dice.pick(conventions[id].alternatives), dice)
  return placeRule(id, rule, skill, reading, dice)
}

/** Proposes a general remark that is not in the skill yet and was not rejected before. */
function addGeneral(remarks: readonly string[], { skill, memory, dice }: Context): ProposedEdit | undefined {
  const remark = dice.pick(remarks.filter(each => !skill.includes(each) && !memory.wasRejected(each)))
  return remark === undefined ? undefined : addLine(remark, skill, dice)
}

/** Proposes a harmful edit that looks like tidying up. It asks for brevity or removes a line. */
function proposeHarm(context: Context): ProposedEdit | undefined {
  const { skill, memory, dice, remarks } = context
  const line = dice.pick(editableLines(skill))
  if (line !== undefined && dice.chance(memory.warnsOfBrevity ? 0.8 : 0.5))
    return { op: 'delete', target: line }
  return addGeneral(remarks?.harmful ?? harmfulAdvice, context)
}

function summarize(votes: ReadonlyMap<string, Vote>, kinds: Readonly<Record<string, number>>): object[] {
  const summary: object[] = ranked(votes).map(vote => ({
    failure_type: vote.id,
    count: vote.trajectories.length,
    description: `The expected answers fit another ${vote.id.replaceAll('-', ' ')} than the agent used.`,
  }))
  const descriptions = {
    'no-answer-tag': 'The reply had no answer between answer tags.',
    slip: 'The method was right and the arithmetic was not.',
    unclear: 'The cause could not be made out.',
  }
  for (const [kind, description] of Object.entries(descriptions)) {
    const count = kinds[kind] ?? 0
    if (count > 0) summary.push({ failure_type: kind, count, description })
  }
  return summary
}

function reasoningOf(votes: ReadonlyMap<string, Vote>): string {
  const causes = ranked(votes).map(vote => vote.id.replaceAll('-', ' '))
  if (causes.length === 0) return 'The attempts show no common cause, so the advice stays general.'
  return `Comparing given and expected answers points to: ${causes.join(', ')}.`
}

const reinforcement = [
  'Keep writing out the calculation line by line.',
  'Name the figures you use before you combine them.',
  'Pay attention to units.',
] as const

/** Reads successful attempts. At most, it proposes to record what already works. */
export function analyseSuccesses(
  text: string,
  dice: Dice,
  instructions: string,
  character: Character,
): object {
  const skill = section(text, 'skill') ?? ''
  const reading = readAdvice(skill)
  const assumed = assignmentOf(reading)
  const trajectories = trajectoriesIn(text)
  const votes = new Map<string, Vote>()
  for (const trajectory of trajectories) {
    const finding = examineSuccess(trajectory, assumed)
    if (overlooks(finding, dice)) continue
    for (const { id, value, weight } of finding.rules) castVote(votes, id, value, weight, trajectory.number)
  }
  const unstated = ranked(votes).filter(vote => !reading.statements.has(vote.id))
  const edits: ProposedEdit[] = []
  const limit = editLimitOf(text)
  const [vote] = unstated
  if (vote !== undefined && limit > 0 && dice.chance(0.3)) {
    edits.push(withTrajectories(addLine(phraseRule(vote.id, vote.value, dice), skill, dice), vote))
  } else if (limit > 0 && dice.chance(0.5)) {
    const remarks = remarksOn(trajectories)
    const context = { skill, reading, memory: memoryOf(text), dice, character, remarks }
    const general = addGeneral(remarks?.general ?? reinforcement, context)
    if (general !== undefined) edits.push(general)
  }
  return {
    batch_size: trajectories.length,
    success_patterns: [
      'The working is shown before the answer.',
      ...unstated.map(each => `Right about ${each.id}.`),
    ],
    ...(wantsLapses(instructions) ? { lapses: [] } : {}),
    patch: inForm(instructions, skill, 'What these attempts did is worth keeping.', edits),
  }
}
