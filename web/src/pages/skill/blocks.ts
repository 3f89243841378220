import { diffArrays } from 'diff'
import { lexer } from 'marked'
import { isSettable, splitHead } from '../../parts/markdown.js'

/** A row of the rendered diff: unchanged text, or removed and added text. */
export type BlockRow =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }

/** Splits Markdown into blocks: paragraphs, headings, tables and single list items. */
function blocksOf(text: string): readonly string[] {
  const { body } = splitHead(text)
  const head = text.slice(0, text.length - body.length)
  const blocks = isSettable(body)
    ? lexer(body, { gfm: true }).flatMap(token =>
        token.type === 'list' ? token.items.map((item: { readonly raw: string }) => item.raw) : [token.raw],
      )
    : [body]
  return [head, ...blocks].filter(block => block.trim() !== '')
}

/** Compares two texts block by block for the rendered diff. */
export function blockRows(before: string, after: string): readonly BlockRow[] {
  const rows: BlockRow[] = []
  const comparator = (left: string, right: string) => left.trimEnd() === right.trimEnd()
  let removed = ''
  const flush = (added: string) => {
    if (removed !== '' || added !== '') rows.push({ kind: 'changed', before: removed, after: added })
    removed = ''
  }
  for (const { value, added, removed: isRemoved } of diffArrays([...blocksOf(before)], [...blocksOf(after)], {
    comparator,
  })) {
    const text = value.map(withEnd).join('')
    if (isRemoved) removed = text
    else if (added) flush(text)
    else {
      flush('')
      rows.push({ kind: 'same', text })
    }
  }
  flush('')
  return rows
}

/** Ends a block with a line break. The last block of a text may lack one and would merge with the next. */
function withEnd(block: string): string {
  return block.endsWith('\n')
    ? isItem(block)
      ? block
      : `${block}\n`
    : `${block}\n${isItem(block) ? '' : '\n'}`
}

function isItem(block: string): boolean {
  return /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(block)
}
