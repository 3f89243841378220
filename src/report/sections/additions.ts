import { editAdditions } from '../../core/redaction/sensitive.js'
import { editText } from '../../core/view/edit-text.js'
import type { EditView } from '../../core/view/fold.js'
import type { Block } from '../blocks/blocks.js'

/** Content that edits add and that a person must review before use, because no gate measures it. */
export function additionBlocks(edits: readonly EditView[], seed: string): Block[] {
  const rows = edits.flatMap(edit =>
    editAdditions(edit, seed).map(({ kind, text }) => [
      { text: edit.id, code: true },
      { text: kind, tone: 'bad' as const },
      text,
      editText(edit),
    ]),
  )
  if (rows.length === 0) return []
  return [
    {
      kind: 'text',
      tone: 'bad',
      text: 'Some edits add addresses, shell commands, credential paths or secrets. Check them before you use the skill.',
    },
    {
      kind: 'table',
      caption: 'Addresses, shell commands, credential paths and secrets added by edits',
      head: ['edit', 'kind', 'adds', 'text'],
      rows,
    },
  ]
}
