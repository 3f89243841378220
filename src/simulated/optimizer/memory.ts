import type { ConventionId } from '../world/conventions.js'
import { readAdvice } from '../world/reading.js'
import { section } from './sections.js'

/**
 * What the prompt says about earlier attempts and about helpful kinds of edit, parsed from the text alone.
 */
export interface Memory {
  /** Whether an edit with this content was rejected before. */
  wasRejected(content: string): boolean
  /** Whether an edit with this content is already on trial. */
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

/** Whether one of the lines has an edit with the same text or the same value of a convention. */
function saidIn(lines: readonly string[]): (content: string) => boolean {
  const texts = lines.map(lettersOf)
  const values = new Set(lines.flatMap(line => keysOf(line)))
  return content => {
    const letters = lettersOf(content)
    return keysOf(content).some(key => values.has(key)) || texts.some(line => line.includes(letters))
  }
}

function keysOf(text: string): string[] {
  // The edit's text is quoted after the scores; only that part may be parsed as a rule.
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
