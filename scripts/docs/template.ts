import { posix } from 'node:path'
import { addressOf } from './links.js'
import type { Entry, Section } from './navigation.js'
import { escapeHtml, type Page } from './page.js'

interface TemplateInput {
  readonly page: Page
  readonly content: string
  readonly sections: readonly Section[]
  readonly order: readonly Entry[]
}

export function renderTemplate({ page, content, sections, order }: TemplateInput): string {
  const here = addressOf(page.source)
  const to = (address: string) => posix.relative(posix.dirname(here), address)
  const title = page.source === 'README.md' ? 'SkillOpt' : `${page.title} · SkillOpt`
  return `<!doctype html>
<html lang="en" data-root="${'../'.repeat(here.split('/').length - 1)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 13 6 8l3 2 5-7' fill='none' stroke='%23148a82' stroke-width='2.4' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${to('text.css')}">
<link rel="stylesheet" href="${to('frame.css')}">
<script>document.documentElement.style.colorScheme = localStorage.getItem('colors') ?? ''</script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<button type="button" class="menu" aria-label="Menu" aria-expanded="false" aria-controls="navigation">☰</button>
<a class="brand" href="${to('index.html')}">SkillOpt</a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
<div class="results" hidden></div>
</div>
<button type="button" class="colors" aria-label="Light or dark">◐</button>
</header>
<div class="layout">
<nav class="navigation" id="navigation" aria-label="Pages">
${sections.map(section => navigationSection(section, page.source, to)).join('\n')}
</nav>
<main id="content">
<article>
${content}</article>
${neighbours(page.source, order, to)}</main>
${contents(page)}</div>
<script src="${to('browser.js')}"></script>
</body>
</html>
`
}

type To = (address: string) => string

function navigationSection({ title, entries }: Section, current: string, to: To): string {
  return `<p class="title">${escapeHtml(title)}</p>\n${navigationList(entries, current, to)}`
}

/** Children are shown only if the current page is among them. */
function navigationList(entries: readonly Entry[], current: string, to: To): string {
  const items = entries.map(entry => {
    const inside = [entry, ...entry.children].some(({ source }) => source === current)
    const below =
      inside && entry.children.length > 0 ? `\n${navigationList(entry.children, current, to)}` : ''
    const mark = entry.source === current ? ' aria-current="page"' : ''
    return `<li><a href="${to(addressOf(entry.source))}"${mark}>${escapeHtml(entry.label)}</a>${below}</li>`
  })
  return `<ul>\n${items.join('\n')}\n</ul>`
}

function neighbours(source: string, order: readonly Entry[], to: To): string {
  const index = order.findIndex(entry => entry.source === source)
  const link = (entry: Entry | undefined, name: string, word: string) =>
    entry === undefined
      ? ''
      : `<a class="${name}" href="${to(addressOf(entry.source))}"><small>${word}</small>${escapeHtml(entry.label)}</a>`
  if (index < 0) return ''
  const [before, after] = [order[index - 1], order[index + 1]]
  return `<footer class="neighbours">${link(before, 'before', 'Before')}${link(after, 'after', 'Next')}</footer>\n`
}

/** Table of contents, beside the page on wide screens; omitted for pages with one section. */
function contents({ headings }: Page): string {
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (parts.length < 2) return ''
  const items = parts.map(
    ({ depth, id, text }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a></li>`,
  )
  return `<aside class="contents" aria-label="On this page">\n<p class="title">On this page</p>\n<ul>\n${items.join('\n')}\n</ul>\n</aside>\n`
}
