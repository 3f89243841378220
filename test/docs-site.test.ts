import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readRepository, writeSite } from '../scripts/docs/build.js'
import { brokenLinks, siteProblems } from '../scripts/docs/links.js'
import { parsePage, searchEntries } from '../scripts/docs/page.js'
import { buildSite, type Repository } from '../scripts/docs/site.js'

describe('the documentation', () => {
  let folder = ''
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  it('has no broken link, no page that nothing leads to, and fetches nothing', () => {
    expect(buildSite(readRepository()).problems).toEqual([])
  })

  it('has no broken link beside the site either', () => {
    const { read } = readRepository()
    const pages = [
      'AGENTS.md',
      'examples/gsm8k/tasks/LICENSE-NOTE.md',
      'examples/ifeval/tasks/LICENSE-NOTE.md',
    ]
    const parsed = pages.map(path => [path, parsePage(path, read(path) ?? '')] as const)
    expect(brokenLinks(new Map(parsed), path => read(path) !== undefined)).toEqual([])
  })

  it('is written as a site that opens from the disk', async () => {
    folder = await mkdtemp(join(tmpdir(), 'skillopt-docs-site-'))
    writeSite(buildSite(readRepository()), folder)
    const written = (path: string) => readFileSync(join(folder, path), 'utf8')
    expect(written('index.html')).toContain('<h1 id="skillopt">SkillOpt</h1>')
    expect(written('docs/decisions/01-event-log.html')).toContain(
      '<link rel="stylesheet" href="../../text.css">',
    )
    expect(existsSync(join(folder, 'docs/images/quickstart.svg'))).toBe(true)
    expect(existsSync(join(folder, 'browser.js'))).toBe(true)
    const index = JSON.parse(written('search-index.js').replace('window.searchIndex = ', '')) as {
      href: string
    }[]
    expect(index.map(({ href }) => href)).toContain('docs/cost.html#hard-caps')
  })
})

/** A repository in memory: an overview that lists `pages`, and the files given. */
function repository(
  files: Readonly<Record<string, string>>,
  listed: readonly string[] = ['a.md'],
): Repository {
  const all: Record<string, string> = {
    'README.md': '# Top\n\n[docs](docs/README.md)\n',
    'docs/README.md': `# Docs\n\n## First\n\n${listed.map(name => `- [${name}](${name}): a page\n`).join('')}`,
    'docs/a.md': '# A\n\n## Part one\n\nText.\n',
    ...files,
  }
  return { pages: Object.keys(all).filter(path => path.endsWith('.md')), read: path => all[path] }
}

const problems = (files: Readonly<Record<string, string>>, listed?: readonly string[]) =>
  buildSite(repository(files, listed)).problems

describe('the link check', () => {
  it('accepts links to pages, headings, files and images', () => {
    const text =
      '# A\n\n[self](#a) [top](../README.md#top) [code](x.ts) ![p](p.svg) [out](https://example.org)\n'
    expect(problems({ 'docs/a.md': text, 'docs/x.ts': 'let a', 'docs/p.svg': '<svg/>' })).toEqual([])
  })

  it.each([
    ['a file that is not there', '[b](b.md)', 'b.md leads to no file'],
    ['a heading that is not there', '[b](#part-two)', '#part-two leads to no heading'],
    ['a heading of another page', '[b](../README.md#nope)', 'README.md#nope leads to no heading'],
    ['a picture that is not there', '![b](images/b.svg)', 'images/b.svg leads to no file'],
    ['an anchor in what has no headings', '[b](x.ts#line)', 'x.ts#line leads to no heading'],
  ])('finds %s', (_case, link, said) => {
    expect(problems({ 'docs/a.md': `# A\n\n${link}\n`, 'docs/x.ts': '' })).toEqual([
      expect.stringContaining(said),
    ])
  })

  it('finds links in tables and lists, and none in code', () => {
    const text =
      '# A\n\n| x |\n| --- |\n| [b](b.md) |\n\n- [c](c.md)\n\n```sh\n[d](d.md)\n```\n\n`[e](e.md)`\n'
    expect(problems({ 'docs/a.md': text })).toHaveLength(2)
  })

  it('finds a page that no list leads to', () => {
    expect(problems({ 'docs/lost.md': '# Lost\n' })).toEqual([
      'docs/lost.md: no list of docs/README.md leads to it.',
    ])
  })

  it('finds what the HTML gets wrong', () => {
    const html = '<a href="gone.html">x</a><a href="b.html#no">x</a><img src="https://example.org/x.png">'
    const found = siteProblems(
      new Map([
        ['a.html', html],
        ['b.html', '<h1 id="yes">b</h1>'],
      ]),
      [],
    )
    expect(found).toEqual([
      'a.html: gone.html leads nowhere.',
      'a.html: b.html#no leads nowhere.',
      'a.html: https://example.org/x.png would be fetched from elsewhere.',
    ])
  })
})

describe('pages', () => {
  it('give headings the anchors that GitHub gives', () => {
    const { headings } = parsePage(
      'a.md',
      '# A\n\n## `use: tasks`, and more\n\n## Same\n\n## Same\n\n```sh\n# no\n```\n',
    )
    expect(headings.map(({ id }) => id)).toEqual(['a', 'use-tasks-and-more', 'same', 'same-1'])
  })

  it('become HTML with escaped code, moved links and no comments', () => {
    const text = '# A\n\n<!-- output: x -->\n```sh\nls <dir> # "why"\n```\n\n[b](../README.md#top)\n'
    const html = buildSite(repository({ 'docs/a.md': text })).files.get('docs/a.html') ?? ''
    expect(html).toContain('ls &lt;dir&gt; <span class="comment"># &quot;why&quot;</span>')
    expect(html).toContain('<a href="../index.html#top">b</a>')
    expect(html).not.toContain('output: x')
  })

  it('show where the reader is, what comes next, and the pages of a folder only inside it', () => {
    const files = {
      'docs/why/README.md': '# Why\n\n1. [One](1.md)\n',
      'docs/why/1.md': '# One\n',
    }
    const { files: built, problems } = buildSite(repository(files, ['a.md', 'why/README.md']))
    expect(problems).toEqual([])
    const inside = built.get('docs/why/1.html') ?? ''
    expect(inside).toContain('<a href="1.html" aria-current="page">One</a>')
    expect(inside).toContain('<a class="before" href="index.html">')
    expect(built.get('docs/a.html')).not.toContain('why/1.html')
    expect(built.get('docs/a.html')).toContain('<a class="after" href="why/index.html">')
  })

  it('can be searched by section', () => {
    const page = parsePage('a.md', '# A\n\nHello `code`.\n\n## B\n\nSee [this](b.md) | **now**.\n')
    expect(searchEntries(page)).toEqual([
      { page: 'A', heading: 'A', id: 'a', text: 'Hello code .' },
      { page: 'A', heading: 'B', id: 'b', text: 'See this now .' },
    ])
  })
})
