import { hash } from 'node:crypto'
import { seededShuffle } from '../../../core/statistics/random.js'
import { extractAnswer } from '../../scoring/extract.js'
import { splitWords, strip } from '../../scoring/python-text.js'

export interface Choice {
  readonly label: string
  readonly text: string
}

export const labels = ['A', 'B', 'C', 'D', 'E'] as const

/**
 * The display order of an item's choices, as in the Python SkillOpt: each item has its own shuffle, seeded
 * with the first 64 bits of sha256 over "seed:id".
 */
export function shuffleChoices<T>(choices: readonly T[], seed: number, id: string): T[] {
  return seededShuffle(choices, BigInt(`0x${hash('sha256', `${seed}:${id}`).slice(0, 16)}`))
}

/**
 * The choice that a reply names by its label, by its full text, or by a leading label; otherwise the answer
 * text itself.
 */
export function chosenLabel(reply: string, choices: readonly Choice[]): string {
  const answer = extractAnswer(reply, 'tag-or-last-line')
  const isLabel = (text: string) => choices.some(({ label }) => label === text)
  const whole = bareLabel(answer)
  if (isLabel(whole)) return whole
  const repeated = choices.find(({ text }) => strip(text) === answer)
  if (repeated !== undefined) return repeated.label
  const first = bareLabel(splitWords(answer)[0] ?? '')
  return isLabel(first) ? first : whole
}

function bareLabel(text: string): string {
  return strip(text)
    .toUpperCase()
    .replace(/[.):]+$/, '')
}
