import { posix } from 'node:path'
import type { Token, Tokens } from 'marked'
import type { Page } from './page.js'

export interface Section {
  readonly title: string
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly source: string
  /** Label of the page in the list, which may be shorter than its title. */
  readonly label: string
  /** Pages of the folder, if the entry is its README. */
  readonly children: readonly Entry[]
}

/** The page whose lists define the navigation and its order. */
export const overview = 'docs/README.md'

export function readNavigation(pages: ReadonlyMap<string, Page>): Section[] {
  const page = pages.get(overview)
  if (page === undefined) throw new Error(`There is no ${overview} to read the navigation from.`)
  const sections: { title: string; entries: Entry[] }[] = []
  for (const token of page.tokens) {
    if (token.type === 'heading' && token.depth === 2) sections.push({ title: token.text, entries: [] })
    if (token.type !== 'list') continue
    const section = sections.at(-1)
    if (section === undefined) throw new Error(`${overview} has a list before its first section.`)
    section.entries.push(
      ...entriesOf(page.source, token as Tokens.List).map(entry => withChildren(entry, pages)),
    )
  }
  return sections
}

function withChildren(entry: Entry, pages: ReadonlyMap<string, Page>): Entry {
  const folder = posix.dirname(entry.source)
  const lists = pages.get(entry.source)?.tokens.filter(token => token.type === 'list') ?? []
  const isFolder = posix.basename(entry.source) === 'README.md' && lists.length > 0
  if (!isFolder) return entry
  const inside = lists.flatMap(list => entriesOf(entry.source, list as Tokens.List))
  return { ...entry, children: inside.filter(({ source }) => posix.dirname(source) === folder) }
}

/** One entry per item that starts with a link to a Markdown file. */
function entriesOf(source: string, { items }: Tokens.List): Entry[] {
  return items.flatMap(item => {
    const link = firstLink(item.tokens)
    if (link === undefined || !link.href.endsWith('.md')) return []
    return [{ source: posix.join(posix.dirname(source), link.href), label: link.text, children: [] }]
  })
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  const [first] = tokens
  if (first === undefined || first.type === 'link') return first as Tokens.Link | undefined
  return 'tokens' in first ? firstLink(first.tokens ?? []) : undefined
}

/** All entries in reading order. */
export const entriesInOrder = (sections: readonly Section[]): Entry[] =>
  sections.flatMap(({ entries }) => entries.flatMap(entry => [entry, ...entry.children]))
