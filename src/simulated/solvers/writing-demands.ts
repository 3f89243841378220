import { adviceLines, isHedged } from '../world/reading.js'

/** Demands on any text that a skill can state, and demands that a scorer reports as unmet. */

export const demandKinds = ['section', 'label', 'length', 'look-up'] as const
export type DemandKind = (typeof demandKinds)[number]

export interface Demand {
  readonly kind: DemandKind
  /** Name of the section, label or tool. For a length it is the maximum number of characters. */
  readonly what: string
  /** True for hedged advice ("usually", "where possible"), which a reader may ignore. */
  readonly hedged: boolean
}

/** The demands that a skill states. If it contradicts itself, the last statement counts. */
export function demandsIn(skill: string): readonly Demand[] {
  const sentences = adviceLines(skill).flatMap(sentencesOf)
  const lastBan = (kind: DemandKind) =>
    sentences.findLastIndex(sentence => forbids(sentence) && subjects[kind].test(sentence))
  return sentences.flatMap((sentence, index) =>
    demandsOf(sentence).filter(({ kind }) => index > lastBan(kind)),
  )
}

function sentencesOf(line: string): string[] {
  return line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').split(/(?<=[.;!?])\s+(?=[A-Z])/)
}

export function demandsOf(sentence: string): readonly Demand[] {
  const found = [...lengthsIn(sentence), ...(forbids(sentence) ? [] : namedIn(sentence))]
  return found.map(demand => ({ ...demand, hedged: isHedged(sentence) }))
}

type Found = Pick<Demand, 'kind' | 'what'>

/** Whether a sentence forbids something. A double negative such as "never leave out" does not. */
function forbids(sentence: string): boolean {
  const plain = sentence.replace(/\b(?:never|do not|don't) (?:leave out|omit|skip|drop|forget)\b/gi, '')
  return /\b(?:do not|don't|never|without|omit|leave out|skip|avoid|drop)\b/i.test(plain)
}

const lookingUp =
  /\b(?:search(?:es|ing)?|look\w* (?:\w+ ){0,2}up|consult|query|use (?:any|the|your) (?:\S+ )?tools?|call the)\b/i

/** Patterns of what a sentence is about, if it asks for less of it. */
const subjects: Readonly<Record<DemandKind, RegExp>> = {
  section: /\b(?:headings?|sections?)\b/i,
  label: /\blabels?\b/i,
  length: /\babout (?:the )?length\b/i,
  'look-up': lookingUp,
}

function lengthsIn(sentence: string): Found[] {
  const [, figure, unit] = /(\d[\d,.]*)\s*(characters?|chars?|words?)\b/i.exec(sentence) ?? []
  if (figure === undefined || /\b(?:at least|minimum|no fewer|no less)\b/i.test(sentence)) return []
  const characters = Number(figure.replaceAll(/\D/g, '')) * (unit?.startsWith('w') === true ? 6 : 1)
  return [{ kind: 'length', what: String(characters) }]
}

function namedIn(sentence: string): Found[] {
  const quoted = [...sentence.matchAll(/["“`]([^"”`\n]{2,60})["”`]/g)].map(match => match[1] ?? '')
  const labels = quoted.flatMap(text => /^(\p{L}[\p{L} -]*?)\s*[:=]/u.exec(text)?.[1] ?? [])
  const names = quoted.filter(text => !/[:=]/.test(text))
  if (lookingUp.test(sentence)) return [{ kind: 'look-up', what: names[0] ?? 'search' }]
  const bare = [...sentence.matchAll(/[a-z,] ([A-Z][a-z]+):/g)].map(match => match[1] ?? '')
  const sections = /\b(?:sections?|headings?|headed)\b/i.test(sentence)
    ? [...names, ...bareSections(sentence)]
    : []
  const named =
    sections.length + labels.length === 0 && /\b(?:lines?|labels?|labelled)\b/i.test(sentence) ? names : []
  return [
    ...sections.map(what => ({ kind: 'section' as const, what })),
    ...new Set([...labels, ...bare, ...named]),
  ].map(found => (typeof found === 'string' ? { kind: 'label', what: found } : found))
}

/** Finds section names without quotes, as in `a Key Risks section` and `a section called Key Risks`. */
function bareSections(sentence: string): string[] {
  const name = String.raw`([A-Z][\w-]*(?: [A-Z][\w-]*)*)`
  const before = new RegExp(String.raw`\b(?:an?|the|own) ${name} section\b`, 'g')
  const after = new RegExp(String.raw`\bsection (?:called|titled|named|headed) ${name}`, 'g')
  return [...sentence.matchAll(before), ...sentence.matchAll(after)].map(match => match[1] ?? '')
}

/** The demands that are unmet according to the scorer's feedback. A label may be given as a pattern. */
export function missingIn(feedback: string): readonly Found[] {
  const all = (pattern: RegExp) => [...feedback.matchAll(pattern)].map(match => match[1] ?? '')
  return [
    ...all(/no section "([^"]+)"/g).map(what => ({ kind: 'section' as const, what })),
    ...all(/[Nn]o heading of the reply contains "([^"]+)"/g).map(what => ({
      kind: 'section' as const,
      what,
    })),
    ...all(/matches \/(.+?)\/\.(?=\s|$)/g)
      .flatMap(labelOfPattern)
      .map(what => ({ kind: 'label' as const, what })),
    ...all(/at most (\d+) are allowed/g).map(what => ({ kind: 'length' as const, what })),
    ...all(/tool "([^"]+)" was not called/g).map(what => ({ kind: 'look-up' as const, what })),
  ]
}

/** The label that a pattern such as `[Cc]onfidence\s*[:=]` looks for. */
function labelOfPattern(pattern: string): string[] {
  const label = /^((?:\[[A-Za-z]{2}\]|[A-Za-z ])+)(?:\\s\*)?(?:\[:=\]|:)$/.exec(pattern)?.[1]
  return label === undefined ? [] : [label.replaceAll(/\[(.).\]/g, '$1')]
}

/** Whether a skill already states the demand. A stated length limit may be lower. */
export function meets(stated: Demand, { kind, what }: Found): boolean {
  if (stated.kind !== kind) return false
  return kind === 'length'
    ? Number(stated.what) <= Number(what)
    : stated.what.toLowerCase() === what.toLowerCase()
}
