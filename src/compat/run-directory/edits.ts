import { diffLines } from 'diff'
import type { EventBody, RecordedEdit } from '../../core/log/event.js'
import { documentFrom, joinDocuments, type SkillDocument, sliceDocument } from '../../core/skill/document.js'
import { applyEdits } from '../../core/skill/edit.js'
import type { TheirEdit, TheirPatch, TheirSuggestion } from './records.js'

type Source = RecordedEdit['from']
type Reports = EventBody<'update.finished'>['reports']

/**
 * The edits or suggestions of a patch, with ids that start with `prefix`. Entries with an unknown operation
 * are left out, because they had no effect in the reference.
 */
export function editsOf(patch: TheirPatch, prefix: string, from?: Source): RecordedEdit[] {
  const edits = (patch.edits ?? []).flatMap((edit, index) => editOf(edit, `${prefix}${index}`, from))
  const suggestions = (patch.suggestions ?? []).map((one, index) =>
    suggestionOf(one, `${prefix}${index}`, from),
  )
  return [...edits, ...suggestions]
}

function editOf(edit: TheirEdit, id: string, from: Source | undefined): RecordedEdit[] {
  const { op, target = '', content = '' } = edit
  const provenance = provenanceOf(edit, id, from)
  switch (op) {
    case 'append':
      return [{ op, content, ...provenance }]
    case 'insert_after':
    case 'replace':
      return [{ op, target, content, ...provenance }]
    case 'delete':
      return [{ op, target, ...provenance }]
    default:
      return []
  }
}

function suggestionOf(one: TheirSuggestion, id: string, from: Source | undefined): RecordedEdit {
  const { title, type, instruction } = one
  return {
    op: 'suggest',
    title: title ?? type ?? '',
    content: instruction ?? '',
    ...provenanceOf(one, id, from),
  }
}

function provenanceOf(
  { support_count, source_type }: TheirEdit | TheirSuggestion,
  id: string,
  from: Source | undefined,
) {
  return {
    id,
    why: '',
    support: support_count ?? 0,
    from: sourceOf(source_type) ?? from ?? 'unknown',
    tasks: [],
  }
}

export function sourceOf(word: string | undefined): 'failure' | 'success' | undefined {
  return word === 'failure' || word === 'success' ? word : undefined
}

/** Finds the selected edits among the merged ones, and copies their ids and other recorded data. */
export function selectedFrom(
  merged: readonly RecordedEdit[],
  ranked: readonly RecordedEdit[],
  supports: readonly (number | undefined)[],
): RecordedEdit[] {
  const left = [...merged]
  return ranked.map((edit, index) => {
    const at = left.findIndex(other => contentOf(other) === contentOf(edit))
    const [known] = at < 0 ? [] : left.splice(at, 1)
    const support = edit.support === 0 ? (supports[index] ?? known?.support ?? 0) : edit.support
    return {
      ...edit,
      id: known?.id ?? edit.id,
      support,
      from: edit.from === 'unknown' ? (known?.from ?? edit.from) : edit.from,
    }
  })
}

function contentOf(edit: RecordedEdit): string {
  const { op } = edit
  return JSON.stringify([op, 'target' in edit ? edit.target : '', 'content' in edit ? edit.content : ''])
}

/** Converts the outcomes of the selected edits to ours. */
export function reportsOf(
  edits: readonly RecordedEdit[],
  statuses: readonly { readonly status: string }[],
): Reports {
  return edits.flatMap(({ id }, index) => {
    const status = statuses[index]?.status
    return status === undefined ? [] : [{ edit: id, ...reportOf(status) }]
  })
}

function reportOf(status: string): Omit<Reports[number], 'edit'> {
  if (status.startsWith('applied')) {
    const reason = status.includes('fallback')
      ? 'Its anchor was not in the skill; it was appended.'
      : 'Applied.'
    return { status: 'applied', reason }
  }
  if (status.includes('not_found')) return { status: 'unmatched', reason: 'The target is not in the skill.' }
  if (status.includes('missing_target')) return { status: 'empty', reason: 'The edit names no target.' }
  const reason = status.includes('protected')
    ? 'The target is in a protected region.'
    : `Not applied: ${status.replaceAll('_', ' ')}.`
  return { status: 'refused', reason }
}

/**
 * The new text with the origin of each part. If applying the edits again gives exactly this text, each part
 * gets the edit that made it. Otherwise everything new gets the origin `otherwise`.
 */
export function traced(
  before: SkillDocument,
  text: string,
  { edits, otherwise }: { readonly edits: readonly RecordedEdit[]; readonly otherwise: string },
): SkillDocument {
  if (text === before.text) return before
  const again = applyEdits(before, edits).document
  return again.text === text ? again : tracedByLines(before, text, otherwise)
}

/** Unchanged lines keep their origin; all other lines get the given one. */
export function tracedByLines(before: SkillDocument, text: string, origin: string): SkillDocument {
  if (text === before.text) return before
  let at = 0
  const parts = diffLines(before.text, text).flatMap(({ value, added, removed }) => {
    if (added) return [documentFrom(value, origin)]
    const start = at
    at += value.length
    return removed ? [] : [sliceDocument(before, start, at)]
  })
  return joinDocuments(parts)
}
