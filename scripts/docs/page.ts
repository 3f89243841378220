import { Marked, Parser, Renderer, TextRenderer, type Token, type Tokens } from 'marked'

/** A parsed Markdown file, from which the navigation, link check, search and HTML are made. */
export interface Page {
  /** Path from the repository's root, with slashes. */
  readonly source: string
  readonly title: string
  readonly headings: readonly Heading[]
  /** Targets of relative links and images, as written. */
  readonly links: readonly string[]
  readonly tokens: readonly Token[]
}

export interface Heading {
  readonly depth: number
  readonly text: string
  readonly id: string
  readonly token: Token
}

const markdown = new Marked()

export function parsePage(source: string, text: string): Page {
  const tokens = markdown.lexer(text)
  const links: string[] = []
  markdown.walkTokens(tokens, token => {
    if ((token.type === 'link' || token.type === 'image') && !isAddress(token.href)) links.push(token.href)
  })
  const headings = headingsOf(tokens)
  return { source, title: headings[0]?.text ?? source, headings, links, tokens }
}

/** True for `https:`, `mailto:` and so on, and for protocol-relative links. */
export const isAddress = (href: string) => /^([a-z][a-z+.-]*:|\/\/)/i.test(href)

function headingsOf(tokens: readonly Token[]): Heading[] {
  const taken = new Map<string, number>()
  return tokens.filter(isHeading).map(token => {
    const text = plainText(token.tokens)
    const id = anchorOf(text)
    const before = taken.get(id) ?? 0
    taken.set(id, before + 1)
    return { depth: token.depth, text, id: before === 0 ? id : `${id}-${before}`, token }
  })
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading'

const plainText = (tokens: Token[]) => new Parser().parseInline(tokens, new TextRenderer())

/** GitHub's anchor for a heading, so that links work both there and here. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Renders a page; `hrefOf` resolves a relative link to its place on the site. */
export function renderPage({ tokens, headings }: Page, hrefOf: (href: string) => string): string {
  const ids = new Map(headings.map(({ token, id }) => [token, id]))
  return Parser.parse([...tokens], { renderer: new SiteRenderer(ids, hrefOf) })
}

class SiteRenderer extends Renderer {
  constructor(
    private readonly ids: ReadonlyMap<Token, string>,
    private readonly hrefOf: (href: string) => string,
  ) {
    super()
  }

  override heading(token: Tokens.Heading): string {
    const id = escapeHtml(this.ids.get(token) ?? '')
    const content = this.parser.parseInline(token.tokens)
    const anchor = token.depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-label="Link to here">#</a>`
    return `<h${token.depth} id="${id}">${content}${anchor}</h${token.depth}>\n`
  }

  override link(token: Tokens.Link): string {
    return super.link(this.moved(token))
  }

  override image(token: Tokens.Image): string {
    return super.image(this.moved(token))
  }

  /** Wide tables scroll in their own box instead of widening the page. */
  override table(token: Tokens.Table): string {
    return `<div class="table">${super.table(token)}</div>\n`
  }

  override code({ text, lang }: Tokens.Code): string {
    const code = ['sh', 'yaml'].includes(lang ?? '') ? dimComments(escapeHtml(text)) : escapeHtml(text)
    return `<pre data-language="${escapeHtml(lang ?? '')}" tabindex="0"><code>${code}</code></pre>\n`
  }

  /** Comments in the source are meant for the documentation's tests. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return text.replace(/<!--[\s\S]*?-->\n?/g, '')
  }

  private moved<T extends { href: string }>(token: T): T {
    return isAddress(token.href) ? token : { ...token, href: this.hrefOf(token.href) }
  }
}

const dimComments = (html: string) => html.replace(/(^|\s)(#.*)$/gm, '$1<span class="comment">$2</span>')

export const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

export interface SearchEntry {
  readonly page: string
  readonly heading: string
  readonly id: string
  readonly text: string
}

/** Text of a page by section, for the search. */
export function searchEntries({ title, headings, tokens }: Page): SearchEntry[] {
  return headings.map(({ text: heading, id, token }, index) => {
    const start = tokens.indexOf(token) + 1
    const next = headings[index + 1]
    const end = next === undefined ? tokens.length : tokens.indexOf(next.token)
    const raw = tokens.slice(start, end).map(({ raw }) => raw)
    return { page: title, heading, id, text: withoutMarkup(raw.join(' ')) }
  })
}

function withoutMarkup(raw: string): string {
  return raw
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
