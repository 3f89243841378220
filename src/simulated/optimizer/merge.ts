import type { Dice } from '../random.js'
import { readAdvice } from '../world/reading.js'
import { type ListedEdit, listedIn } from './sections.js'

/** How often a merge keeps both of two contradictory edits. */
const keepsRivalRate = 0.05

interface Group {
  /** The edit that represents the group. */
  chosen: ListedEdit
  readonly members: ListedEdit[]
}

/**
 * Merges edits with the same meaning and adds up their support. Of two contradictory edits, the weaker one is
 * dropped.
 */
export function mergeEdits(text: string, dice: Dice): object {
  return joinEdits(listedIn(text, 'edits'), dice)
}

export function joinEdits(edits: readonly ListedEdit[], dice: Dice) {
  const groups = new Map<string, Group>()
  for (const edit of edits) {
    const key = meaningOf(edit)
    const group = groups.get(key)
    if (group === undefined) {
      groups.set(key, { chosen: edit, members: [edit] })
      continue
    }
    group.members.push(edit)
    // Replacing the wrong line is better than adding a line that contradicts it.
    if (edit.op === 'replace' && group.chosen.op !== 'replace') group.chosen = edit
  }
  const strongest = new Map<string, Group>()
  const kept: Group[] = []
  for (const group of [...groups.values()].sort((one, other) => supportOf(other) - supportOf(one))) {
    const subject = subjectOf(group.chosen)
    if (strongest.has(subject) && !dice.chance(keepsRivalRate)) continue
    strongest.set(subject, group)
    kept.push(group)
  }
  return {
    reasoning: `${groups.size} different proposals, ${kept.length} of them compatible.`,
    edits: kept.map(({ chosen, members }) => ({
      op: chosen.op,
      ...(chosen.target === undefined ? {} : { target: chosen.target }),
      ...(chosen.content === undefined ? {} : { content: chosen.content }),
      support_count: members.reduce((sum, member) => sum + member.support, 0),
      source_type: members.some(member => member.source === 'failure') ? 'failure' : 'success',
      from: members.map(member => member.index),
    })),
  }
}

function supportOf(group: Group): number {
  return group.members.reduce((sum, member) => sum + member.support, 0)
}

/** The meaning of an edit, as a key for merging. Edits with the same meaning become one. */
function meaningOf(edit: ListedEdit): string {
  const stated = statedIn(edit)
  if (edit.op !== 'delete' && stated.length > 0)
    return stated.map(([id, value]) => `${id}=${value}`).join('&')
  const words = (edit.content ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
  return edit.op === 'delete' || edit.op === 'replace' ? `${edit.op}:${edit.target}:${words}` : `say:${words}`
}

/**
 * The subject of an edit, as a key for conflicts. Edits on the same subject with different meanings
 * contradict each other.
 */
function subjectOf(edit: ListedEdit): string {
  const stated = statedIn(edit)
  if (edit.op === 'replace' || edit.op === 'delete') return `line:${edit.target}`
  return stated.length > 0 ? stated.map(([id]) => id).join('&') : meaningOf(edit)
}

function statedIn(edit: ListedEdit): [string, string][] {
  return [...readAdvice(edit.content ?? '').statements].map(([id, statements]) => [
    id,
    statements[0]?.value ?? '',
  ])
}
