import { diffArrays } from 'diff'
import { lexer } from 'marked'
import { isSettable, splitHead } from '../../parts/markdown.js'

/** What stands next to each other: the same text, or what was taken out and what was put in. */
export type BlockRow =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }

/** The passages that Markdown is made of: paragraphs, headings, tables, and each item of a list by itself. */
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

/** Two texts passage by passage, for those who would rather read the skill than its source. */
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

/** The last passage of a text may have no end of its own; the next one must not run into it. */
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
