import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { Fragment, type ReactNode, useMemo } from 'react'
import { visible } from './format.js'

/** Maximum length and nesting of rendered Markdown. Longer or deeper texts are shown as plain text. */
const longest = 300_000
const deepest = 30

/**
 * Renders untrusted Markdown safely: HTML appears as text, images are not fetched, and links cannot be
 * followed (their address is shown next to them). Headings are renumbered to start at `level`.
 */
export function Markdown({ text, level = 3 }: { readonly text: string; readonly level?: number }) {
  const content = useMemo(() => setMarkdown(text, level), [text, level])
  return <div className="markdown">{content}</div>
}

function setMarkdown(text: string, level: number): ReactNode {
  const { head, body } = splitHead(text)
  const tokens = tokensOf(body)
  return (
    <>
      {head !== '' && <pre className="markdown-head">{visible(head)}</pre>}
      {tokens === undefined ? <Source text={body} /> : createSetter(level).blocks(tokens, 0)}
    </>
  )
}

/** Splits off a skill's front matter, which Markdown would show as a heading. */
export function splitHead(text: string): { readonly head: string; readonly body: string } {
  const found = /^\uFEFF?---[ \t]*\r?\n(?<head>[\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  return found === null
    ? { head: '', body: text }
    : { head: found.groups?.head ?? '', body: text.slice(found[0].length) }
}

function tokensOf(text: string): readonly Token[] | undefined {
  return isSettable(text) ? lexer(text, { gfm: true }) : undefined
}

/** Whether the parser can handle the text safely. */
export function isSettable(text: string): boolean {
  return text.length <= longest && !isTooDeep(text) && !isTooBusy(text)
}

/** Whether the text is nested so deeply that the recursive parser would overflow the stack. */
function isTooDeep(text: string): boolean {
  return /(?:[>\-*+][ \t]*|\d{1,9}[.)][ \t]+){200}/.test(text) || /[[\]()*_~]{400}/.test(text)
}

/**
 * Maximum number of emphasis marks per block. The parser compares each mark with all others, which takes a
 * minute for a full page.
 */
const mostMarks = 4_000

function isTooBusy(text: string): boolean {
  return text
    .split(/\n[ \t]*\n/)
    .some(passage => passage.length > mostMarks && (passage.match(/[*_~]+/g)?.length ?? 0) > mostMarks)
}

function Source({ text }: { readonly text: string }) {
  return <pre className="markdown-source">{visible(text)}</pre>
}

/**
 * Creates a function that renders tokens as elements. Each text needs its own, because it keeps track of the
 * headings so far.
 */
function createSetter(level: number) {
  const open: number[] = []

  /** A heading is one level below the enclosing heading, so that no level is skipped. */
  const levelOf = (depth: number) => {
    while (open.length > 0 && (open.at(-1) ?? 0) >= depth) open.pop()
    open.push(depth)
    return Math.min(6, level + open.length - 1)
  }

  const blocks = (tokens: readonly Token[], depth: number): ReactNode =>
    depth > deepest ? (
      <Source text={tokens.map(token => token.raw).join('')} />
    ) : (
      places(tokens).map(({ token, at }) => <Fragment key={at}>{one(token, depth)}</Fragment>)
    )

  const one = (token: MarkedToken, depth: number): ReactNode => {
    const inside = () => blocks(('tokens' in token ? token.tokens : undefined) ?? [], depth + 1)
    switch (token.type) {
      case 'heading': {
        const Heading = `h${levelOf(token.depth)}` as 'h1'
        return <Heading className={`markdown-h${token.depth}`}>{inside()}</Heading>
      }
      case 'paragraph':
        return <p>{inside()}</p>
      case 'blockquote':
        return <blockquote>{inside()}</blockquote>
      case 'strong':
        return <strong>{inside()}</strong>
      case 'em':
        return <em>{inside()}</em>
      case 'del':
        return <del>{inside()}</del>
      case 'code':
        return (
          <pre>
            <code>{visible(token.text)}</code>
          </pre>
        )
      case 'codespan':
        return <code>{visible(token.text)}</code>
      case 'list':
        return list(token, depth)
      case 'table':
        return table(token, depth)
      case 'link':
        return <Address href={token.autolink === true ? undefined : token.href}>{inside()}</Address>
      case 'image':
        return <Address href={token.href}>[picture: {visible(unescaped(token.text))}]</Address>
      case 'checkbox':
        return token.checked ? '☑ ' : '☐ '
      case 'br':
        return <br />
      case 'hr':
        return <hr />
      case 'space':
        return null
      case 'text':
        return token.tokens === undefined ? visible(unescaped(token.text)) : inside()
      case 'escape':
        return visible(token.text)
      // HTML, link definitions and unknown tokens are shown as they were written.
      default:
        return <span className="markdown-raw">{visible(token.raw)}</span>
    }
  }

  const list = ({ ordered, start, items }: Tokens.List, depth: number): ReactNode => {
    const entries = places(items).map(({ token, at }) => (
      <li key={at} className="markdown-item">
        {blocks('tokens' in token ? (token.tokens ?? []) : [], depth + 1)}
      </li>
    ))
    return ordered ? <ol start={start === '' ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>
  }

  const table = ({ header, rows }: Tokens.Table, depth: number): ReactNode => {
    const cells = (row: readonly Tokens.TableCell[], Cell: 'th' | 'td') => (
      <tr>
        {row.map((cell, index) => (
          <Cell key={index}>{blocks(cell.tokens, depth + 1)}</Cell>
        ))}
      </tr>
    )
    return (
      <div className="markdown-table">
        <table>
          <thead>{cells(header, 'th')}</thead>
          <tbody>
            {rows.map((row, index) => (
              <Fragment key={index}>{cells(row, 'td')}</Fragment>
            ))}
          </tbody>
        </table>
      </div>
    )
  }

  return { blocks }
}

function Address({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  return (
    <span className="markdown-link">
      {children}
      {href !== undefined && <span className="markdown-address"> ({visible(href)})</span>}
    </span>
  )
}

/** The tokens with their start offsets, which serve as keys within their parent. */
function places(tokens: readonly Token[]): readonly { readonly token: MarkedToken; readonly at: number }[] {
  let at = 0
  return tokens.map(token => {
    const placed = { token: token as MarkedToken, at }
    at += token.raw.length
    return placed
  })
}

const characters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/** Decodes common HTML character references into plain text. */
function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[\da-f]{1,6});/gi, (written, name: string) => {
    if (!name.startsWith('#')) return characters[name.toLowerCase()] ?? written
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written
  })
}
