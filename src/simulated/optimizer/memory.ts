import type { ConventionId } from '../world/conventions.js'
import { readAdvice } from '../world/reading.js'
import { section } from './sections.js'

/** Information in the prompt about earlier edits and about kinds of edit that helped. */
export interface Memory {
  /** Whether the history lists a rejected edit with this content. */
  wasRejected(content: string): boolean
  /** Whether the prompt lists an edit on trial with this content. */
  isPending(content: string): boolean
  /** Values that the meta skill favours. */
  readonly favoured: ReadonlyMap<ConventionId, string>
  readonly wantsPrecision: boolean
  readonly warnsOfBrevity: boolean
}

export function memoryOf(text: string): Memory {
  const rejectedLines = (section(text, 'earlier_steps') ?? '')
    .split('\n')
    .filter(line => /reject/i.test(line))
  const pendingLines = (section(text, 'pending_edits') ?? '').split('\n').filter(line => line !== '')
  const metaLines = (section(text, 'meta_skill') ?? '').split('\n')
  const favoured = new Map<ConventionId, string>()
  for (const line of metaLines) {
    if (/avoid|reject|harm|hurt|did not help/i.test(line)) continue
    for (const [id, statements] of readAdvice(line).statements)
      favoured.set(id, statements.at(-1)?.value ?? '')
  }
  return {
    wasRejected: saidIn(rejectedLines),
    isPending: saidIn(pendingLines),
    favoured,
    wantsPrecision: metaLines.some(line => /precise|specific|exact value|concrete/i.test(line)),
    warnsOfBrevity: metaLines.some(
      line => /avoid|never|reject|hurt/i.test(line) && /working|brevity|steps/i.test(line),
    ),
  }
}

/**
 * Returns a function that tells whether one of the lines contains a given edit. The text may be the same, or
 * the value that it states for a convention.
 */
function saidIn(lines: readonly string[]): (content: string) => boolean {
  const texts = lines.map(lettersOf)
  const values = new Set(lines.flatMap(line => keysOf(line)))
  return content => {
    const letters = lettersOf(content)
    return keysOf(content).some(key => values.has(key)) || texts.some(line => line.includes(letters))
  }
}

function keysOf(text: string): string[] {
  // The quoted text of an edit follows its scores. Only this text may be parsed as a rule.
  const quoted = /: \w+ (["“].*)$/.exec(text)?.[1] ?? text
  return [...readAdvice(quoted.replace(/^["“]|["”]\.?$/g, '')).statements].map(
    ([id, statements]) => `${id}=${statements.at(-1)?.value}`,
  )
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, ' ')
    .trim()
}
