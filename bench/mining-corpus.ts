import type { Recurrence } from '../src/sleep/mining/recurrence.js'
import type { CorpusSession } from './sleep-corpus.js'

export interface IntentFigures {
  readonly intents: number
  /** Share of the intents of which a right cluster holds at least half of the requests. */
  readonly recall: number
  /** Share of the recurring clusters that are right: at least four of five requests have one intent. */
  readonly precision: number
  readonly missed: readonly string[]
}

const pure = 0.8
const enough = 0.5

export function intentFigures(
  found: readonly (readonly string[])[],
  sessions: readonly CorpusSession[],
): IntentFigures {
  const nameOf = new Map<string, string>()
  const sizes = new Map<string, number>()
  for (const { text, label } of sessions.flatMap(({ turns }) => turns)) {
    if (label.kind !== 'intent') continue
    nameOf.set(text.trim(), label.name)
    sizes.set(label.name, (sizes.get(label.name) ?? 0) + 1)
  }
  const hit = new Set<string>()
  let right = 0
  for (const texts of found) {
    const counts = new Map<string, number>()
    for (const text of texts) {
      const name = nameOf.get(text.trim())
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    const [name = '', count = 0] = [...counts].sort(([, left], [, right]) => right - left)[0] ?? []
    if (count < pure * texts.length) continue
    right += 1
    if (count >= enough * (sizes.get(name) ?? 0)) hit.add(name)
  }
  return {
    intents: sizes.size,
    recall: hit.size / sizes.size,
    precision: found.length === 0 ? 0 : right / found.length,
    missed: [...sizes.keys()].filter(name => !hit.has(name)),
  }
}

export const textsOf = (found: readonly Recurrence[]): readonly (readonly string[])[] =>
  found.filter(({ isRecurring }) => isRecurring).map(({ requests }) => requests.map(({ text }) => text))

/** The rule of the Python reference: one task per session, named by its first prompt; equal ones are one. */
export function byFirstPrompt(sessions: readonly CorpusSession[]): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>()
  for (const { turns } of sessions) {
    const text = turns[0]?.text ?? ''
    if (/^\/\S+(?:\s+\S+){0,2}$/.test(text.trim())) continue
    groups.set(text.toLowerCase(), [...(groups.get(text.toLowerCase()) ?? []), text])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}
