import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../../test/support/time-limit.js'
import { decodeEntities } from './html-table.js'
import { tablesToMarkdown } from './tables.js'

describe('tablesToMarkdown', () => {
  it('leaves a text without tables as it is', () => {
    const text = 'a < b & c > d\r\n<p>no table</p> | x |'
    expect(tablesToMarkdown(text)).toBe(text)
    expect(tablesToMarkdown('<tablet>12</tablet>')).toBe('<tablet>12</tablet>')
  })

  it('puts a table on lines of its own, between what stands around it', () => {
    const html = '<table><tr><th>Year</th><th>Sum</th></tr><tr><td>1951</td><td>7</td></tr></table>'
    const table = '| Year | Sum |\n| --- | --- |\n| 1951 | 7 |'
    expect(tablesToMarkdown(`Before. ${html} After.`)).toBe(`Before. \n${table}\n After.`)
    expect(tablesToMarkdown(`Before.\n${html}\n${html}`)).toBe(`Before.\n${table}\n${table}`)
  })

  it('shows a cell in every column and row that it reaches over, and joins the rows of a heading', () => {
    const html = `<table>
      <thead>
        <tr><th rowspan="2">Year</th><th colspan=2>Receipts</th></tr>
        <tr><th>Customs</th><th>Excise</th></tr>
      </thead>
      <tbody>
        <tr><td rowspan="3">1951</td><td>1</td><td>2</td></tr>
        <tr><td colspan="2">none</td></tr>
        <tr><td>3</td><td>4</td></tr>
        <tr><td>1952</td><td>5</td><td>6</td></tr>
      </tbody>
    </table>`
    expect(tablesToMarkdown(html)).toBe(
      [
        '| Year | Receipts > Customs | Receipts > Excise |',
        '| --- | --- | --- |',
        '| 1951 | 1 | 2 |',
        '| 1951 | none | none |',
        '| 1951 | 3 | 4 |',
        '| 1952 | 5 | 6 |',
      ].join('\n'),
    )
  })

  it('reads markup, entities, line ends and pipes in cells', () => {
    const html =
      '<TABLE><tr><td>Item</td><td>Sum<sup>1</sup></td></tr><tr><td><b>Tea</b>&nbsp;&amp;<br>coffee | \\ <!-- no --></td><td>&pound;&#49;2&lt;3</td></tr></TABLE>'
    expect(tablesToMarkdown(html)).toBe('| Item | Sum1 |\n| --- | --- |\n| Tea & coffee \\| \\\\ | £12<3 |')
  })

  it('keeps captions, text outside of cells, and tables inside of cells as text', () => {
    const html =
      '<table><caption>In <i>thousands</i></caption>stray<tr><td>a</td></tr><tr><td>b <table><tr><td>c</td><td>d</td></tr></table> e</td></tr></table>'
    expect(tablesToMarkdown(html)).toBe('stray\nIn thousands\n\n| a |\n| --- |\n| b c d e |')
  })

  it('takes the first row for the heading where nothing says so, also where all rows are headings', () => {
    expect(tablesToMarkdown('<table><tr><th>a<tr><th>b</table>')).toBe('| a |\n| --- |\n| b |')
    expect(tablesToMarkdown('<table><tr><th>a<td>1<tr><th>b<td>2</table>')).toBe(
      '| a | 1 |\n| --- | --- |\n| b | 2 |',
    )
  })

  it('omits invisible elements and empty rows', () => {
    const html =
      '<table><tr><td> </td></tr><tr><td>a<script>if (1 < 2) x("<td>")</script><style>td{}</style></td></tr></table>'
    expect(tablesToMarkdown(html)).toBe('| a |\n| --- |')
  })
})

describe('broken and hostile HTML', () => {
  it.each([
    ['never closed', 'x <table><tr><td>1<td>2', 'x \n| 1 | 2 |\n| --- | --- |'],
    ['cells without rows', '<table><td>1<td>2</table>', '| 1 | 2 |\n| --- | --- |'],
    [
      'an end tag too many',
      '</table>x<table><tr><td>1</td></tr></table></table>',
      '</table>x\n| 1 |\n| --- |\n</table>',
    ],
    ['a tag cut short', '<table><tr><td>1</td></tr></table', '| 1 |\n| --- |'],
    ['no cell at all', '<table></table>.', '\n.'],
    [
      'spans that are no numbers',
      '<table><tr><td colspan="x" rowspan=0>1<td colspan=-3>2</table>',
      '| 1 | 2 |\n| --- | --- |',
    ],
    ['a quote in an attribute', '<table><tr><td title="a > b">1</td></tr></table>', '| 1 |\n| --- |'],
  ])('%s', (_, html, expected) => {
    expect(tablesToMarkdown(html)).toBe(expected)
  })

  it('does not let a row reach beyond the table', () => {
    const html = '<table><tr><td rowspan="999999999">1</td><td>2</td></tr><tr><td>3</td></tr></table>'
    expect(tablesToMarkdown(html)).toBe('| 1 | 2 |\n| --- | --- |\n| 1 | 3 |')
  })

  it('leaves a table that would expand without end unchanged, and continues after it', () => {
    const bomb = `<table>${'<tr><td colspan="1000">x</td></tr>'.repeat(100)}</table>`
    expect(tablesToMarkdown(`${bomb}<table><tr><td>1</table>`)).toBe(`${bomb}\n| 1 |\n| --- |`)
  })

  it('does not repeat a long text', () => {
    const long = 'word '.repeat(100).trim()
    expect(tablesToMarkdown(`<table><tr><td colspan="3">${long}</td></tr></table>`)).toBe(
      `| ${long} |  |  |\n| --- | --- | --- |`,
    )
  })

  const size = 200_000
  it.each([
    ['open tags', '<table'],
    ['tables that open', '<table>'],
    ['tables that close', '</table>'],
    ['tables in tables', '<table><tr><td>'],
    ['formatting that grows with every paragraph', '<table><tr><td><b><i><p>'],
    ['angle brackets', '<table><'],
    ['ampersands', '<table><td>&'],
    ['comments that never end', '<table><!--'],
    ['quotes that never end', '<table><td a="'],
    ['spans', '<table><tr><td rowspan=65534 colspan=1000>'],
    ['scripts that never end', '<table><script>'],
  ])('is not slowed down by %s', (_, piece) => {
    const started = performance.now()
    const text = tablesToMarkdown(piece.repeat(Math.ceil(size / piece.length)))
    expect(performance.now() - started).toBeLessThan(timeLimit(3000))
    expect(text.length).toBeLessThan(10 * size)
  })

  it('is not slowed down by attributes', () => {
    const attributes = Array.from({ length: 30_000 }, (_, index) => `a${index}`).join(' ')
    const started = performance.now()
    expect(tablesToMarkdown(`<table><tr><td ${attributes}>1</table>`)).toBe('| 1 |\n| --- |')
    expect(performance.now() - started).toBeLessThan(timeLimit(3000))
  })
})

describe('decodeEntities', () => {
  it('decodes entities and nothing else', () => {
    expect(decodeEntities('A&amp;B &lt;b&gt; <b>x</b> </title> &nosuch; 5 & 6 &#x20AC;')).toBe(
      'A&B <b> <b>x</b> </title> &nosuch; 5 & 6 €',
    )
    expect(decodeEntities('a\nb\n\n c')).toBe('a\nb\n\n c')
  })
})
