import { type Token, Tokenizer, TokenizerMode } from 'parse5'

export interface Cell {
  readonly text: string
  readonly columns: number
  readonly rows: number
  readonly heading: boolean
}

export interface Row {
  readonly cells: readonly Cell[]
  /** Whether the row is inside `<thead>`. */
  readonly head: boolean
}

export interface HtmlTable {
  readonly caption: string
  /** Text in the table outside of cells, kept so that nothing is lost. */
  readonly stray: string
  readonly rows: readonly Row[]
}

/** The limit in the HTML standard; larger spans are a mistake or an attack. */
const widestSpan = 1000

/** Tags that separate words. */
const breaks = new Set(['br', 'p', 'div', 'li', 'hr', 'tr', 'td', 'th'])
const unseen = new Set(['script', 'style', 'template', 'title'])

/**
 * Parses a table, however broken its markup is. It reads tokens and builds no tree, because a tree's size can
 * grow with the square of the text's length.
 */
export function readTable(markup: string): HtmlTable {
  const reader = new TableReader()
  const tokenizer: Tokenizer = new Tokenizer(
    {},
    {
      onStartTag: tag => {
        if (unseen.has(tag.tagName)) tokenizer.state = TokenizerMode.RAWTEXT
        reader.open(tag)
      },
      onEndTag: ({ tagName }) => reader.close(tagName),
      onCharacter: ({ chars }) => reader.add(chars),
      onWhitespaceCharacter: ({ chars }) => reader.add(chars),
      onNullCharacter: () => undefined,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
    },
  )
  tokenizer.write(markup, true)
  return reader.finish()
}

/** Decodes entities such as `&amp;`. Everything else, including tags, is unchanged. */
export function decodeEntities(text: string): string {
  const decoded: string[] = []
  const keep = ({ chars }: Token.CharacterToken) => decoded.push(chars)
  const ignore = () => undefined
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: keep,
      onWhitespaceCharacter: keep,
      onNullCharacter: keep,
      onStartTag: ignore,
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  )
  tokenizer.state = TokenizerMode.RCDATA
  tokenizer.write(text, true)
  return decoded.join('')
}

/** Builds a table from its tags. A nested table becomes text of the cell that contains it. */
class TableReader {
  readonly #rows: Row[] = []
  readonly #caption: string[] = []
  readonly #stray: string[] = []
  #depth = 0
  #head = false
  #hidden = false
  #row: Cell[] | undefined
  #cell: { readonly tag: Token.TagToken; readonly text: string[] } | undefined
  #inCaption = false

  open(tag: Token.TagToken): void {
    const name = tag.tagName
    if (unseen.has(name)) this.#hidden = true
    if (name === 'table') this.#depth += 1
    if (breaks.has(name)) this.add(' ')
    if (this.#depth > 1) return
    if (name === 'td' || name === 'th') this.#startCell(tag)
    else if (name === 'tr') this.#endRow()
    else if (name === 'thead') this.#startSection(true)
    else if (name === 'tbody' || name === 'tfoot') this.#startSection(false)
    else if (name === 'caption') this.#inCaption = true
  }

  close(name: string): void {
    if (unseen.has(name)) this.#hidden = false
    if (name === 'table') this.#depth = Math.max(0, this.#depth - 1)
    if (breaks.has(name)) this.add(' ')
    if (this.#depth > 1 || (this.#depth === 1 && name === 'table')) return
    if (name === 'td' || name === 'th') this.#endCell()
    else if (name === 'caption') this.#inCaption = false
    else if (name === 'thead') this.#startSection(false)
    else if (name === 'tr' || name === 'table') this.#endRow()
  }

  add(text: string): void {
    if (this.#hidden) return
    const place = this.#cell?.text ?? (this.#inCaption ? this.#caption : this.#stray)
    place.push(text)
  }

  finish(): HtmlTable {
    this.#endRow()
    return { caption: inOneLine(this.#caption), stray: inOneLine(this.#stray), rows: this.#rows }
  }

  #startSection(head: boolean): void {
    this.#endRow()
    this.#head = head
  }

  #startCell(tag: Token.TagToken): void {
    this.#endCell()
    this.#inCaption = false
    this.#cell = { tag, text: [] }
  }

  #endCell(): void {
    if (this.#cell === undefined) return
    const { tag, text } = this.#cell
    this.#cell = undefined
    this.#row ??= []
    this.#row.push({
      text: inOneLine(text),
      columns: spanOf(tag, 'colspan'),
      rows: spanOf(tag, 'rowspan'),
      heading: tag.tagName === 'th',
    })
  }

  #endRow(): void {
    this.#endCell()
    this.#inCaption = false
    if (this.#row?.some(({ text }) => text !== '') === true)
      this.#rows.push({ cells: this.#row, head: this.#head })
    this.#row = undefined
  }
}

function spanOf({ attrs }: Token.TagToken, name: string): number {
  const written = Number.parseInt(attrs.find(attribute => attribute.name === name)?.value ?? '', 10)
  return written >= 1 ? Math.min(written, widestSpan) : 1
}

function inOneLine(parts: readonly string[]): string {
  return parts.join('').replace(/\s+/g, ' ').trim()
}
