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
 * Shuffles an item's choices for display, as in the Python SkillOpt. Each item has its own order; the seed is
 * the first 64 bits of sha256 over "seed:id".
 */
export function shuffleChoices<T>(choices: readonly T[], seed: number, id: string): T[] {
  return seededShuffle(choices, BigInt(`0x${hash('sha256', `${seed}:${id}`).slice(0, 16)}`))
}

/**
 * The label of the choice that a reply gives as a label, as the choice's full text, or as a label at the
 * start. If it gives none, the answer's text.
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
