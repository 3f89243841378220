import { posix } from 'node:path'
import { addressOf, brokenLinks, isPicture, siteProblems, targetOf } from './links.js'
import { entriesInOrder, overview, readNavigation } from './navigation.js'
import { escapeHtml, type Page, parsePage, renderPage, searchEntries } from './page.js'
import { renderTemplate } from './template.js'

export interface Repository {
  /** Markdown files that become pages, as paths from the root. */
  readonly pages: readonly string[]
  /** The text of a file; undefined if there is none. */
  read(path: string): string | undefined
}

export interface Site {
  /** Text to write, by path. */
  readonly files: ReadonlyMap<string, string>
  /** Images to copy unchanged; the path is the same in the repository and on the site. */
  readonly copies: readonly string[]
  readonly problems: readonly string[]
}

/** Files of this folder that every page uses. */
export const assets = ['text.css', 'frame.css', 'browser.js']

/** Builds the site. Pages keep the paths of their files, so that links between them stay valid. */
export function buildSite(repository: Repository): Site {
  const pages = new Map(
    repository.pages.map(source => [source, parsePage(source, repository.read(source) ?? '')]),
  )
  const sections = readNavigation(pages)
  const order = entriesInOrder(sections)
  const { pictures, listings } = linkedFiles(pages, path => repository.read(path) !== undefined)

  const files = new Map<string, string>()
  for (const page of pages.values()) {
    const hrefOf = (href: string) => moved(page.source, href)
    const content = renderPage(page, hrefOf)
    files.set(addressOf(page.source), renderTemplate({ page, content, sections, order }))
  }
  for (const source of listings) {
    const page = { source, title: source, headings: [], links: [], tokens: [] }
    const content = `<h1>${escapeHtml(source)}</h1>\n<pre><code>${escapeHtml(repository.read(source) ?? '')}</code></pre>\n`
    files.set(addressOf(source), renderTemplate({ page, content, sections, order }))
  }
  files.set('search-index.js', searchIndex(pages))

  const listed = new Set([overview, 'README.md', ...order.map(({ source }) => source)])
  const orphans = [...pages.keys()].filter(source => !listed.has(source))
  const problems = [
    ...brokenLinks(pages, path => repository.read(path) !== undefined),
    ...orphans.map(source => `${source}: no list of ${overview} leads to it.`),
  ]
  // A missing page would be reported again for every page that shows the navigation.
  if (problems.length === 0) problems.push(...siteProblems(files, [...pictures, ...assets]))
  return { files, copies: pictures, problems }
}

/** Linked files that are not pages: images are copied, text files get a page with their listing. */
function linkedFiles(pages: ReadonlyMap<string, Page>, exists: (path: string) => boolean) {
  const linked = [...pages.values()].flatMap(page => page.links.map(link => targetOf(page.source, link).path))
  const others = [...new Set(linked)].filter(path => !pages.has(path) && exists(path))
  return { pictures: others.filter(isPicture), listings: others.filter(path => !isPicture(path)) }
}

function moved(source: string, href: string): string {
  if (href.startsWith('#')) return href
  const { path, anchor } = targetOf(source, href)
  const address = posix.relative(posix.dirname(addressOf(source)), addressOf(path))
  return anchor === undefined ? address : `${address}#${anchor}`
}

/** A script rather than JSON: a page opened from disk may not fetch files. */
function searchIndex(pages: ReadonlyMap<string, Page>): string {
  const entries = [...pages.values()].flatMap(page =>
    searchEntries(page).map(({ id, ...entry }) => ({ ...entry, href: `${addressOf(page.source)}#${id}` })),
  )
  return `window.searchIndex = ${JSON.stringify(entries)}\n`
}
