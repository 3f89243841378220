import { posix } from 'node:path'
import { isAddress, type Page } from './page.js'

/** Broken links of Markdown pages: a missing file, or a missing heading in it. */
export function brokenLinks(pages: ReadonlyMap<string, Page>, exists: (path: string) => boolean): string[] {
  return [...pages.values()].flatMap(page =>
    page.links.flatMap(link => {
      const { path, anchor } = targetOf(page.source, link)
      if (!exists(path)) return [`${page.source}: ${link} leads to no file.`]
      const headings = pages.get(path)?.headings
      if (anchor === undefined || headings?.some(({ id }) => id === anchor)) return []
      return [`${page.source}: ${link} leads to no heading.`]
    }),
  )
}

/** Resolves a relative link of a file to a path from the same root. */
export function targetOf(source: string, link: string): { path: string; anchor?: string } {
  const [file = '', anchor] = decodeURI(link).split('#')
  const path = file === '' ? source : posix.join(posix.dirname(source), file)
  return anchor === undefined ? { path } : { path, anchor }
}

export const isPicture = (path: string) => /\.(svg|png|jpg)$/.test(path)

/** Address of a repository file on the site. */
export function addressOf(source: string): string {
  if (isPicture(source)) return source
  if (source.endsWith('.md')) return source.replace(/(^|\/)README\.md$/, '$1index.md').replace(/md$/, 'html')
  return `${source}.html`
}

/**
 * Problems of a built site: broken links and images, and anything that a browser would fetch from another
 * host.
 */
export function siteProblems(files: ReadonlyMap<string, string>, copies: readonly string[]): string[] {
  const ids = new Map([...files].map(([path, html]) => [path, new Set(attributes(html, 'id'))]))
  const known = new Set([...files.keys(), ...copies])
  return [...files].flatMap(([path, html]) => {
    if (!path.endsWith('.html')) return []
    const local = [...attributes(html, 'href'), ...attributes(html, 'src')].filter(href => !isAddress(href))
    const broken = local.filter(href => {
      const target = targetOf(path, href)
      return (
        !known.has(target.path) || (target.anchor !== undefined && !ids.get(target.path)?.has(target.anchor))
      )
    })
    const fetched = [
      ...html.matchAll(/<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)="((?:https?:)?\/\/[^"]*)"/g),
    ]
    return [
      ...broken.map(href => `${path}: ${href} leads nowhere.`),
      ...fetched.map(match => `${path}: ${match[1]} would be fetched from elsewhere.`),
    ]
  })
}

/** Our HTML writes attributes in double quotes, and text with quotes escaped. */
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(match => match[1] ?? '')
