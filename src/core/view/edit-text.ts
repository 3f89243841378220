import { oneLine } from '../text/format.js'
import type { EditView } from './run-view.js'

/** An edit in one line: its operation and its text. */
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
