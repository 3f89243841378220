import {
  type ChatReply,
  type ChatRequest,
  type ChatToolCall,
  systemRoles,
  textOf,
  textOfRoles,
} from '../chat.js'
import type { Dice } from '../random.js'
import type { Attempt, Lesson, Solver } from './solver.js'
import { type Demand, type DemandKind, demandsIn, demandsOf, meets, missingIn } from './writing-demands.js'
import { askedIn, fit, labelled, paragraphsOn, sectionOn } from './writing-prose.js'

/**
 * Solver for briefs, analyses, advice and answers about decisions. The agent writes its default text and all
 * that the skill demands: sections and labels of any name, a length, or the use of a tool first. Without a
 * skill it makes none of these.
 */

/** How often the agent follows a demand that the skill hedges, for example with "where possible". */
const heedsHedge = 0.6

// ── The agent ───────────────────────────────────────────────────────────────

function act(request: ChatRequest, follows: (lesson: DemandKind) => boolean, dice: Dice): ChatReply {
  const asked = questionIn(request)
  if (asked === undefined) return { content: 'There is no decision to write about here.' }
  const skill = skillIn(request)
  const heeded = demandsIn(skill).filter(
    ({ kind, hedged }) => (!hedged || dice.chance(heedsHedge)) && follows(kind),
  )
  const call = lookUp(request, heeded, asked.topic)
  if (call !== undefined) return { toolCalls: [call] }
  const paragraphs = paragraphsOn(asked, /\bexhaustive|every angle\b/i.test(skill), dice)
  return { content: fit(paragraphs, demandedParts(heeded, dice), mostCharacters(heeded)) }
}

function questionIn({ messages }: ChatRequest) {
  const asked = messages.findLast(message => message.role === 'user')
  return asked === undefined ? undefined : askedIn(textOf(asked))
}

function skillIn(request: ChatRequest): string {
  return textOfRoles(request, systemRoles).replace(/^[\s\S]*?^## Skill[^\S\n]*$/m, '')
}

/** Calls the tool once, before writing. Without the tool nothing is called. */
function lookUp(
  { messages, tools = [] }: ChatRequest,
  heeded: readonly Demand[],
  topic: string,
): ChatToolCall | undefined {
  if (messages.some(({ role }) => role === 'tool')) return undefined
  const wanted = heeded.filter(({ kind }) => kind === 'look-up').map(({ what }) => what)
  const tool = tools.flatMap(toolOf).find(({ name }) => wanted.includes(name))
  return tool === undefined ? undefined : { name: tool.name, arguments: { [tool.argument]: topic } }
}

interface OfferedTool {
  readonly function?: { readonly name?: string; readonly parameters?: { readonly properties?: object } }
}

function toolOf(offered: unknown): { readonly name: string; readonly argument: string }[] {
  const { name, parameters } = (offered as OfferedTool).function ?? {}
  if (name === undefined) return []
  return [{ name, argument: Object.keys(parameters?.properties ?? {})[0] ?? 'query' }]
}

function demandedParts(heeded: readonly Demand[], dice: Dice): string[] {
  const namesOf = (wanted: DemandKind) => [
    ...new Set(heeded.filter(({ kind }) => kind === wanted).map(({ what }) => what)),
  ]
  return [
    ...namesOf('section').map(name => sectionOn(name, dice)),
    ...namesOf('label').map(name => labelled(name, dice)),
  ]
}

function mostCharacters(heeded: readonly Demand[]): number {
  return Math.min(...heeded.filter(({ kind }) => kind === 'length').map(({ what }) => Number(what)))
}

// ── Lessons ─────────────────────────────────────────────────────────────────

interface Wordings {
  readonly firm: readonly [string, string]
  readonly hedged: string
}

const inQuotes = (names: readonly string[]) => names.map(name => `"${name}"`).join(' and ')
const asLabels = (names: readonly string[]) => names.map(name => `"${name}: …"`).join(' and ')

const wordingsOf: Readonly<Record<DemandKind, (names: readonly string[]) => Wordings>> = {
  section: names => ({
    firm: [
      `End every reply with a section headed ${inQuotes(names)}.`,
      `Always give ${inQuotes(names)} a section of its own, under a heading with exactly these words.`,
    ],
    hedged: `Where possible, add a section ${inQuotes(names)}.`,
  }),
  label: names => ({
    firm: [
      `Close with ${names.length === 1 ? 'a line' : 'lines'} of the form ${asLabels(names)}, in every reply.`,
      `State it plainly, on lines of their own: ${asLabels(names)}.`,
    ],
    hedged: `Consider a closing line ${asLabels(names)}.`,
  }),
  length: ([most = '']) => ({
    firm: [
      `Keep the whole reply within ${most} characters, however much there is to say; this goes before being thorough.`,
      `A reply has at most ${most} characters: choose the two or three points that decide.`,
    ],
    hedged: `Try to stay below ${most} characters.`,
  }),
  'look-up': names => ({
    firm: [
      `Before you write anything, call the ${inQuotes(names)} tool with the question, whatever is said above about tools.`,
      `First use the ${inQuotes(names)} tool, then answer from what it finds: this replaces answering from memory.`,
    ],
    hedged: `If in doubt, consult ${inQuotes(names)} first.`,
  }),
}

/** Names for sample wordings. */
const sampleNames: Readonly<Record<DemandKind, string>> = {
  section: 'Summary',
  label: 'Verdict',
  length: '900',
  'look-up': 'search',
}

function lessonOf(kind: DemandKind): Lesson {
  const lacked = ({ feedback }: Attempt) => missingIn(feedback).filter(missing => missing.kind === kind)
  return {
    wordings: wordingsOf[kind]([sampleNames[kind]]).firm,
    isStatedIn: line => demandsOf(line).some(demand => demand.kind === kind),
    isLackingIn: attempt => lacked(attempt).length > 0,
    wordingsFor(attempt, skill) {
      const stated = demandsIn(skill)
      const said = (firmly: boolean) => (missing: Pick<Demand, 'kind' | 'what'>) =>
        stated.some(demand => demand.hedged !== firmly && meets(demand, missing))
      const unsaid = lacked(attempt).filter(missing => !said(true)(missing))
      if (unsaid.length === 0) return []
      const { firm, hedged } = wordingsOf[kind](unsaid.map(({ what }) => what))
      // A demand that was hedged and not followed is stated again without the hedge.
      return unsaid.some(said(false)) ? firm : [...firm, hedged]
    },
  }
}

const remarks = {
  general: [
    'Think of who reads it, and write for them.',
    'Be clear about what matters and what does not.',
    'Use plain words and short sentences.',
    'Support what you say with reasons.',
  ],
  harmful: [
    'Avoid headings and labels: running text reads better.',
    'The more is said, the better: do not worry about length.',
    'Save time: answer at once, and do not look anything up.',
  ],
}

export const solver: Solver<DemandKind> = {
  id: 'writing',
  remarks,
  lessons: {
    section: lessonOf('section'),
    label: lessonOf('label'),
    length: lessonOf('length'),
    'look-up': lessonOf('look-up'),
  },
  recognises: request => questionIn(request) !== undefined,
  act,
}
