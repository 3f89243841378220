import { oneLine } from '../core/text/format.js'
import { fencedLines, markdownText } from '../core/text/markdown-text.js'
import type { Block, Cell, DiffLine, Table } from './blocks/blocks.js'
import type { ReportSource } from './blocks/source.js'
import { reportOf } from './document.js'

/** Renders the report as Markdown. Plots are omitted: all their values are in the tables beside them. */
export function renderMarkdown(source: ReportSource): string {
  const { title, badges, subtitle, summary, sections, footer } = reportOf(source)
  const parts = [
    `# ${markdownText(title)}`,
    `${badges.map(badge => `**${markdownText(badge)}**`).join(' · ')} · ${markdownText(subtitle)}`,
    ...summary.map(blockText),
    ...sections.flatMap(section => [`## ${markdownText(section.title)}`, ...section.blocks.map(blockText)]),
    `---\n\n${markdownText(footer)}`,
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.tone === undefined ? markdownText(block.text) : `> ${markdownText(block.text)}`
    case 'facts':
      return tableText({
        kind: 'table',
        caption: '',
        head: block.facts.map(({ label }) => label),
        rows: [block.facts.map(({ value, note }) => (note === undefined ? value : `${value} (${note})`))],
      })
    case 'chart':
      return ''
    case 'table':
      return tableText(block)
    case 'diff':
      return diffText(block.lines)
    case 'folded':
      return [`### ${markdownText(block.title)}`, ...block.blocks.map(blockText)].join('\n\n')
  }
}

function tableText({ head, rows, right = [] }: Table): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row(head.map(markdownText)),
    row(head.map((_, column) => (right.includes(column) ? '---:' : '---'))),
    ...rows.map(cells => row(cells.map(cellText))),
  ].join('\n')
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return markdownText(cell)
  return cell.code === true ? codeSpan(cell.text) : markdownText(cell.text)
}

function diffText(lines: readonly DiffLine[]): string {
  const signs = { same: ' ', added: '+', removed: '-', gap: '@' } as const
  const shown = lines.map(({ change, text, origin }) => {
    const from = change === 'added' && origin !== '' ? `   <- ${origin}` : ''
    return change === 'gap' ? `@@ ${text} @@` : `${signs[change]}${text}${from}`
  })
  return fencedLines('diff', shown)
}

/**
 * Formats a text as code if it needs no escaping, because Markdown renderers disagree about what backticks
 * may contain.
 */
function codeSpan(text: string): string {
  const line = oneLine(text)
  return line === '' || /[`<>&|]/.test(line) ? markdownText(text) : `\`${line}\``
}
