import { createHash } from 'node:crypto'
import type { Block, Cell, Chart, DiffLine, Section, Table } from './blocks/blocks.js'
import { element, fragment, Markup } from './blocks/markup.js'
import type { ReportSource } from './blocks/source.js'
import { type Report, reportOf } from './document.js'
import { styles } from './styles.js'

/** Renders one HTML file without scripts, fonts or images. Its CSP allows only its own styles. */
export function renderHtml(source: ReportSource): string {
  const report = reportOf(source)
  const hash = createHash('sha256').update(styles).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
  const head = element(
    'head',
    {},
    element('meta', { charset: 'utf-8' }),
    element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
    element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    element('meta', { name: 'referrer', content: 'no-referrer' }),
    element('meta', { name: 'robots', content: 'noindex' }),
    element('title', {}, `${report.title}: report`),
    // Not escaped, because the CSP's hash covers the exact text.
    element('style', {}, new Markup(styles)),
  )
  const page = element(
    'html',
    { lang: 'en' },
    head,
    element('body', {}, element('main', {}, content(report))),
  )
  return `<!doctype html>\n${page.text}\n`
}

function content({ title, badges, subtitle, summary, sections, footer }: Report): Markup {
  return fragment(
    element(
      'header',
      {},
      element(
        'ul',
        { class: 'badges' },
        badges.map(badge => element('li', {}, badge)),
      ),
      element('h1', {}, title),
      element('p', { class: 'subtitle' }, subtitle),
    ),
    summary.map((block, index) => leadBlock(block, `summary-${index}`)),
    element(
      'nav',
      { 'aria-label': 'Sections' },
      element(
        'ul',
        {},
        sections.map(section => element('li', {}, element('a', { href: `#${section.id}` }, section.title))),
      ),
    ),
    sections.map(sectionMarkup),
    element('footer', {}, footer),
  )
}

function leadBlock(block: Block, id: string): Markup {
  if (block.kind !== 'text' || block.tone !== undefined) return blockMarkup(block, id)
  return element('p', { class: 'lead' }, block.text)
}

function sectionMarkup({ id, title, blocks }: Section): Markup {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, title),
    blocks.map((block, index) => blockMarkup(block, `${id}-${index}`)),
  )
}

function blockMarkup(block: Block, id: string): Markup {
  switch (block.kind) {
    case 'text':
      return element(
        'p',
        { class: block.tone === undefined ? undefined : `notice ${block.tone}` },
        block.text,
      )
    case 'facts':
      return element(
        'dl',
        { class: 'facts' },
        block.facts.map(({ label, value, note, tone }) =>
          element(
            'div',
            {},
            element('dt', {}, label),
            element('dd', { class: tone === undefined ? 'value' : `value tone-${tone}` }, value),
            note === undefined ? undefined : element('dd', { class: 'note' }, note),
          ),
        ),
      )
    case 'chart':
      return chartMarkup(block, id)
    case 'table':
      return tableMarkup(block)
    case 'diff':
      return element('div', { class: 'diff' }, block.lines.map(diffLine))
    case 'folded':
      return element(
        'details',
        {},
        element('summary', {}, block.title),
        block.blocks.map((inner, index) => blockMarkup(inner, `${id}-${index}`)),
      )
  }
}

const widths = { wide: 880, narrow: 336 } as const

function chartMarkup(chart: Chart, id: string): Markup {
  const legend = chart.legend.map(({ name, mark }) =>
    element('li', {}, element('svg', { width: 16, height: 12, 'aria-hidden': 'true' }, mark), name),
  )
  const drawings = (['wide', 'narrow'] as const).map(size => {
    const { width, height, content } = chart.draw(widths[size])
    const [title, description] = [`${id}-${size}-title`, `${id}-${size}-description`]
    return element(
      'svg',
      {
        class: `plot ${size}`,
        viewBox: `0 0 ${width} ${height}`,
        role: 'img',
        'aria-labelledby': `${title} ${description}`,
      },
      element('title', { id: title }, chart.title),
      element('desc', { id: description }, chart.description),
      content,
    )
  })
  return element(
    'figure',
    {},
    element(
      'figcaption',
      {},
      chart.title,
      legend.length === 0 ? undefined : element('ul', { class: 'legend' }, legend),
    ),
    drawings,
  )
}

/** Minimum characters of a sentence. Columns of sentences need width; those of numbers must not wrap. */
const sentence = 28

function tableMarkup({ caption, head, rows, right = [] }: Table): Markup {
  const isWide = head.map((_, column) => rows.some(row => textOf(row[column]).length > sentence))
  const className = (column: number) =>
    right.includes(column) ? 'right' : isWide[column] === true ? 'wide-text' : 'short'
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', {}, caption),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          head.map((name, column) => element('th', { scope: 'col', class: className(column) }, name)),
        ),
      ),
      element(
        'tbody',
        {},
        rows.map(row =>
          element(
            'tr',
            {},
            row.map((cell, column) => element('td', { class: className(column) }, cellMarkup(cell))),
          ),
        ),
      ),
    ),
  )
}

const textOf = (cell: Cell | undefined) => (typeof cell === 'object' ? cell.text : (cell ?? ''))

function cellMarkup(cell: Cell): Markup | string {
  if (typeof cell === 'string') return cell
  if (cell.code === true) return element('code', {}, cell.text)
  return element('span', { class: cell.tone === undefined ? undefined : `tone-${cell.tone}` }, cell.text)
}

const signs = { same: ' ', added: '+', removed: '−' } as const
const lineElements = { same: 'span', added: 'ins', removed: 'del' } as const

function diffLine({ change, text, origin }: DiffLine): Markup {
  if (change === 'gap') return element('div', { class: 'gap' }, text)
  return element(
    'div',
    { class: change },
    element('span', { class: 'sign', 'aria-hidden': 'true' }, signs[change]),
    element('code', {}, element(lineElements[change], {}, text)),
    origin === '' ? undefined : element('span', { class: 'origin' }, origin),
  )
}
