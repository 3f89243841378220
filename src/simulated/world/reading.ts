import { type Assignment, type ConventionId, conventionIds, conventions } from './conventions.js'
import { readSentence } from './readers.js'

export interface Statement {
  readonly value: string
  /** The whole line that the statement is part of. */
  readonly line: string
  /** True for hedged advice ("usually", "consider", "might"), which a reader may ignore. */
  readonly hedged: boolean
}

/** Advice in parsed form. */
export interface Reading {
  readonly statements: ReadonlyMap<ConventionId, readonly Statement[]>
  /** The lines of the advice, without headings, front matter, comments and blank lines. */
  readonly lines: readonly string[]
  /** Whether the advice asks to leave out the working. */
  readonly brief: boolean
  /** Whether the advice asks to check or write down the working. */
  readonly careful: boolean
  readonly asksForAnswerTag: boolean
}

const hedge =
  /\b(?:usually|consider(?! (?:many|every|all|each))|might|maybe|perhaps|probably|sometimes|where possible|if in doubt|try to)\b/i
const brevity =
  /\b(?:skip|omit|leave out|without|no|drop) (?:\w+ ){0,3}(?:working|steps|explanation|reasoning|calculation)s?\b|\b(?:only|just) (?:with )?the (?:final )?(?:number|figure|result|answer)\b/i
const care =
  /\b(?:double-?check|re-?check|verify|show (?:\w+ ){0,3}(?:working|steps?|calculation)|step by step|write (?:out|down) (?:\w+ ){0,3}(?:step|calculation|intermediate)|line by line)/i

/** Whether advice is hedged, so that a reader may ignore it. */
export const isHedged = (text: string): boolean => hedge.test(text)

/** The lines of a Markdown text that give advice. Front matter, headings, comments and blank lines do not. */
export function adviceLines(text: string): string[] {
  const body = text.replace(/^\s*---\n[\s\S]*?\n---[^\S\n]*(?:\n|$)/, '').replace(/<!--[\s\S]*?-->/g, '')
  return body
    .split('\n')
    .filter(line => line.trim() !== '' && !/^\s*#/.test(line) && !/^\s*(?:---|```)/.test(line))
}

function sentencesOf(line: string): string[] {
  const bare = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim()
  return bare.split(/(?<=[.;!?])\s+(?=[A-Z(])|;\s+/)
}

export function readAdvice(text: string): Reading {
  const lines = adviceLines(text)
  const statements = new Map<ConventionId, Statement[]>()
  for (const line of lines) {
    for (const sentence of sentencesOf(line)) {
      for (const [id, value] of readSentence(sentence)) {
        const statement = { value, line, hedged: isHedged(sentence) }
        statements.set(id, [...(statements.get(id) ?? []), statement])
      }
    }
  }
  return {
    statements,
    lines,
    brief: brevity.test(text),
    careful: care.test(text),
    asksForAnswerTag: /<answer>/i.test(text),
  }
}

/** The conventions that advice states. The last statement on each counts; defaults fill the gaps. */
export function assignmentOf(reading: Reading): Assignment {
  const values = conventionIds.map(id => [
    id,
    reading.statements.get(id)?.at(-1)?.value ?? conventions[id].usual[0],
  ])
  return Object.fromEntries(values) as Record<ConventionId, string>
}
