import { oneLine, signedPoints } from './format.js'
import type { EditView } from './run-view.js'

/** An edit in a line: what it does, and its words. */
export function editText(edit: Pick<EditView, 'op' | 'title' | 'content' | 'target'>): string {
  const content = oneLine(edit.content ?? '')
  const target = oneLine(edit.target ?? '')
  switch (edit.op) {
    case 'append':
      return `add “${content}”`
    case 'insert_after':
      return `add “${content}” after “${target}”`
    case 'replace':
      return `replace “${target}” by “${content}”`
    case 'delete':
      return `delete “${target}”`
    case 'rewrite':
      return `rewrite the skill: “${oneLine(edit.title ?? '')}”`
    case 'suggest':
      return `suggest “${content}”`
    case 'remind':
      return `remind “${content}”`
  }
}

/** What an edit was found to carry of the gain, alone or with others; nothing where that was not measured. */
export function worthText({ id, attribution }: Pick<EditView, 'id' | 'attribution'>): string {
  if (attribution?.contribution === undefined) return ''
  const { mean, low, high } = attribution.contribution
  const others = attribution.edits.filter(other => other !== id)
  const shared = others.length === 0 ? '' : ` together with ${others.join(', ')}`
  return `worth ${signedPoints(mean)} points (${signedPoints(low)} to ${signedPoints(high)})${shared}`
}
