import type { Dice } from '../random.js'
import { readAdvice } from '../world/reading.js'
import { editLimitOf, type ListedEdit, listedIn } from './sections.js'

/** Ranks edits by support and precision, with some randomness. */
export function rankEdits(text: string, dice: Dice): object {
  const scored = listedIn(text, 'edits').map(edit => ({ edit, score: worthOf(edit) + 3 * dice.next() }))
  scored.sort((one, other) => other.score - one.score)
  return {
    reasoning: 'Ordered by how many attempts stand behind each edit and by how exactly it says what to do.',
    selected_indices: scored.slice(0, editLimitOf(text)).map(({ edit }) => edit.index),
  }
}

/** Decides how many edits to apply: the number of those that look useful, occasionally off by one. */
export function decideRate(text: string, dice: Dice): object {
  const edits = listedIn(text, 'edits')
  const worthwhile = edits.filter(edit => worthOf(edit) >= 2).length
  const wavering = dice.chance(0.3) ? (dice.chance(0.5) ? 1 : -1) : 0
  return {
    learning_rate: Math.min(edits.length, Math.max(1, worthwhile + wavering)),
    reasoning: `${worthwhile} of ${edits.length} edits are supported and say exactly what to do.`,
    confidence: 0.6,
    risk_notes: 'Edits made together cannot be told apart afterwards.',
  }
}

function worthOf(edit: ListedEdit): number {
  const reading = readAdvice(edit.content ?? edit.instruction ?? '')
  const specific = reading.statements.size > 0 ? 1 : -1
  return Math.min(edit.support, 4) + specific + (reading.brief ? -1 : 0) + (edit.op === 'delete' ? -1 : 0)
}
