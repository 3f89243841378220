import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Markdown } from './markdown.js'

const set = (text: string, level?: number) =>
  renderToStaticMarkup(<Markdown text={text} {...(level === undefined ? {} : { level })} />)

/** Allowed elements, and their allowed attributes. */
const elements = new Set(
  'div p pre code span strong em del blockquote ul ol li table thead tbody tr th td h1 h2 h3 h4 h5 h6 br hr'.split(
    ' ',
  ),
)
const attributes = new Set(['class', 'start'])

/** Tags as a browser would parse them; React escapes every `<` in text as `&lt;`. */
function tagsIn(html: string): readonly { readonly name: string; readonly attributes: readonly string[] }[] {
  return [...html.matchAll(/<\/?([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    ([, name = '', rest = '']) => ({
      name: name.toLowerCase(),
      attributes: [...rest.matchAll(/\s([a-z-]+)(?:="[^"]*")?/gi)].map(([, attribute = '']) => attribute),
    }),
  )
}

const hostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  'text <b onclick="alert(1)">bold</b> <iframe src="https://evil.example"></iframe>',
  '<svg><animate onbegin=alert(1) attributeName=x></svg>',
  '<style>*{display:none}</style>',
  '<a href="javascript:alert(1)">x</a>',
  '<form action=https://evil.example><button>OK</button></form>',
  '[click](javascript:alert(1))',
  '[click](  JaVaScRiPt:alert(1) "title")',
  '[click](&#106;avascript:alert(1))',
  '[click][ref]\n\n[ref]: javascript:alert(1)',
  '[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '![picture](https://evil.example/x.png?secret=1)',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '[![x](https://evil.example/x.png)](https://evil.example)',
  '<https://evil.example/auto> and https://evil.example/bare and www.evil.example',
  '<mailto:a@evil.example> a@evil.example',
  '&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62;',
  '| <script>a</script> | ![x](https://evil.example) |\n|---|---|\n| [x](javascript:a) | <img src=x> |',
  '- [x] <input onfocus=alert(1) autofocus>\n- [ ] ![i](https://evil.example)',
  '# <img src=x onerror=alert(1)>\n\n> <script>a</script>',
  '```html"><script>alert(1)</script>\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '---\nname: <script>alert(1)</script>\n---\n<!-- --><script>alert(1)</script>',
  '<div\n\n<script>alert(1)</script>',
  '\\<script>alert(1)</script>',
]

describe('untrusted Markdown', () => {
  it.each(hostile)('renders inertly: %s', text => {
    const html = set(text)
    const tags = tagsIn(html)
    expect(tags.filter(({ name }) => !elements.has(name))).toEqual([])
    expect(tags.flatMap(tag => tag.attributes).filter(name => !attributes.has(name))).toEqual([])
    // Any tag that the pattern above missed would leave a `<` behind.
    expect(html.replaceAll(/<\/?[a-z][^<>]*>/gi, '')).not.toContain('<')
  })

  it('would be detected by these tests if it rendered active tags', () => {
    expect(tagsIn('<p><a href="x">y</a><img src="x" onerror="y"/></p>').map(({ name }) => name)).toEqual([
      'p',
      'a',
      'a',
      'img',
      'p',
    ])
  })

  it('shows links, images and HTML as text', () => {
    expect(set('<script>alert(1)</script>')).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(set('[click](javascript:alert(1))')).toContain('(javascript:alert(1))')
    expect(set('![a cat](https://evil.example/x.png)')).toContain('[picture: a cat]')
    expect(set('![a cat](https://evil.example/x.png)')).toContain('https://evil.example/x.png')
  })

  it('makes invisible characters visible', () => {
    expect(set('safe\u202Etxt\u200B')).toContain('safe⟨U+202E⟩txt⟨U+200B⟩')
    expect(set('[x](https://a.example/\u202Egnp)')).toContain('⟨U+202E⟩')
    expect(set('`a\u200Bb`')).toContain('a⟨U+200B⟩b')
    expect(set('&#8238;x')).toContain('⟨U+202E⟩x')
  })

  it('does not exhaust the page', () => {
    for (const text of [
      '>'.repeat(50_000),
      '- '.repeat(50_000),
      '['.repeat(50_000),
      '*'.repeat(50_000),
      `${'> - '.repeat(150)}x`,
      'word '.repeat(100_000),
      'a**b'.repeat(70_000),
      '_a '.repeat(90_000),
    ]) {
      expect(set(text).length).toBeGreaterThan(100)
    }
  })
})

describe('Markdown', () => {
  it('renders its elements', () => {
    const html = set('# Title\n\nSome **strong** and *soft* `code`.\n\n3. three\n4. four\n\n- [x] done')
    expect(html).toContain('<h3 class="markdown-h1">Title</h3>')
    expect(html).toContain('<strong>strong</strong>')
    expect(html).toContain('<ol start="3">')
    expect(html).toContain('☑ ')
  })

  it('leaves no level of headings out', () => {
    const levels = (text: string) => [...set(text, 3).matchAll(/<h(\d)/g)].map(([, level]) => Number(level))
    expect(levels('# a\n\n### b\n\n###### c\n\n# d')).toEqual([3, 4, 5, 3])
    expect(levels('### a\n\n# b')).toEqual([3, 3])
  })

  it('leaves the fields at the top of a skill as they are', () => {
    expect(set('---\nname: x\n---\n\ntext')).toContain('<pre class="markdown-head">name: x</pre>')
  })
})
