import fc from 'fast-check'
import { expect, it } from 'vitest'
import { outsideRegion, readRegion, writeRegion } from './managed-region.js'

const start = '<!-- SKILLOPT-SLEEP:LEARNED START -->'
const end = '<!-- SKILLOPT-SLEEP:LEARNED END -->'

function written(document: string, text: string): string {
  const result = writeRegion(document, text)
  if (result.state === 'broken') throw new Error(result.problem)
  return result.document
}

it.each([
  ['nothing', '', `${start}\n- rule\n${end}\n`],
  ['a last line end', '# Mine\n', `# Mine\n\n${start}\n- rule\n${end}\n`],
  ['no last line end', '# Mine', `# Mine\n\n${start}\n- rule\n${end}\n`],
  ['a blank line at its end', '# Mine\n\n', `# Mine\n\n${start}\n- rule\n${end}\n`],
  ['line ends of Windows', '# Mine\r\n', `# Mine\r\n\r\n${start}\r\n- rule\r\n${end}\r\n`],
  ['a byte order mark only', '\uFEFF', `\uFEFF${start}\n- rule\n${end}\n`],
])('appends the region to a document with %s', (_, document, expected) => {
  expect(written(document, '- rule')).toBe(expected)
})

it('replaces and removes the region in place and changes nothing else', () => {
  const document = `\uFEFF# Mine\r\n${start}\r\n- old\r\n${end}\r\nmine, without a last line end`
  expect(written(document, '- one\n\n  more of it')).toBe(
    `\uFEFF# Mine\r\n${start}\r\n- one\r\n\r\n  more of it\r\n${end}\r\nmine, without a last line end`,
  )
  expect(written(document, '')).toBe('\uFEFF# Mine\r\nmine, without a last line end')
  expect(outsideRegion(document)).toBe('\uFEFF# Mine\r\nmine, without a last line end')
  expect(written('# Mine', '')).toBe('# Mine')
})

it('keeps the byte order mark when the region is removed', () => {
  expect(written(`\uFEFF${start}\n- a\n${end}`, '')).toBe('\uFEFF')
})

it('reads regions written by the Python SkillOpt', () => {
  const document = `---\nname: x\n---\n\n# X\n\n${start}\n- Say A.\n- Say B.\n${end}\n`
  expect(readRegion(document)).toMatchObject({ state: 'found', text: '- Say A.\n- Say B.' })
  expect(readRegion(`${start}\n${end}`)).toMatchObject({ state: 'found', text: '' })
})

it.each([
  ['unclosed', 2, `a\n${start}\n- rule\n`],
  ['unclosed', 1, `${start}\n\`\`\`\n${end}\n`],
  ['end-before-start', 1, `${end}\n${start}\n`],
  ['end-before-start', 3, `a\n\n${end}\n`],
  ['nested', 2, `${start}\n${start}\n${end}\n${end}`],
  ['doubled', 3, `${start}\n${end}\n${start}\n${end}\n`],
  ['doubled', 3, `${start}\n${end}\n${end}\n`],
  ['not-alone', 2, `a\nsee ${start}\n`],
  ['not-alone', 1, `${start} - rule ${end}`],
  ['not-alone', 1, `\`code\` ${start} \`more\``],
  ['in-frontmatter', 3, `---\nname: a\n${start}\n---\n${end}\n`],
])('says %s, line %i, and leaves the document alone', (kind, line, document) => {
  expect(readRegion(document)).toMatchObject({ state: 'broken', kind, line })
  expect(writeRegion(document, '- new')).toMatchObject({ state: 'broken', kind, line })
})

it.each([
  ['a code block', `\`\`\`md\n${start}\n${end}\n\`\`\`\n`],
  ['a code block of tildes with backticks in it', `~~~~\n\`\`\`\n${start}\n~~~\n~~~~\n`],
  ['a code block in a list', `- a\n\n      ${start}\n`],
  ['inline code', `Put \`${start}\` and \`\`${end} \` \`\` there.\n`],
])('takes no markers from %s', (_, document) => {
  expect(readRegion(document)).toEqual({ state: 'none' })
  expect(readRegion(written(document, '- rule'))).toMatchObject({ text: '- rule' })
})

it.each([
  ['a marker', `- a\n${end}`, 'marker-in-text', 2],
  ['a marker in other letters', '<!--skillopt-sleep:learned  end-->', 'marker-in-text', 1],
  ['a code block that never ends', '- a\n```js\nfoo()', 'open-code-block', 2],
])('refuses text with %s', (_, text, kind, line) => {
  expect(writeRegion('# Mine\n', text)).toMatchObject({ state: 'broken', kind, line })
})

it('refuses to write after an unclosed code block', () => {
  expect(writeRegion('# Mine\n\n```\ncode\n', '- a')).toMatchObject({ kind: 'open-code-block', line: 3 })
})

it('refuses text that would turn the beginning of the document into frontmatter', () => {
  expect(writeRegion('---\nMine\n', 'a\n---\nb')).toMatchObject({ kind: 'in-frontmatter' })
})

const pieces = fc.constantFrom(
  ...[
    '- rule',
    '  - deeper',
    '---',
    '```',
    '~~~',
    '````md',
    '    code',
    '> said',
    '`',
    '#',
    '-->',
    '<!--',
    '\uFEFF',
  ],
  ...[
    '\n',
    '\n',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    '\t',
    'ä',
    '😀',
    'text',
    '\u2028',
    '\0',
    '<!-- SKILLOPT-SLEEP',
  ],
)
const markdown = fc.oneof(
  fc.array(pieces, { maxLength: 14 }).map(parts => parts.join('')),
  fc.string(),
)
const documents = fc.oneof(
  markdown,
  fc.tuple(markdown, markdown, markdown).map(parts => {
    const [before, rules, after] = parts
    return `${before}\n${start}\n${rules}\n${end}\n${after}`
  }),
)

it('reads back every text and keeps the rest of the document unchanged', () => {
  let held = 0
  fc.assert(
    fc.property(documents, markdown, (document, text) => {
      const wanted = text.replace(/\r\n?/g, '\n')
      const result = writeRegion(document, text)
      if (result.state === 'broken') {
        const openText = writeRegion('', text).state === 'broken'
        const openDocument = writeRegion(document, '- a').state === 'broken'
        const frontmatter = result.kind === 'in-frontmatter'
        expect(openText || openDocument || frontmatter).toBe(true)
        return
      }
      held += 1
      const region = readRegion(result.document)
      expect(region.state === 'found' ? region.text : '').toBe(wanted)
      const before = readRegion(document)
      if (before.state === 'found' || wanted === '') {
        expect(outsideRegion(result.document)).toBe(outsideRegion(document))
      } else {
        expect(result.document.startsWith(document)).toBe(true)
        expect(result.document.slice(document.length)).toMatch(/^(?:\r?\n){0,2}<!--/)
      }
      // Writing it again changes nothing, except that a lone \r at the end forms a Windows line ending with
      // what follows.
      if (!/\r(?!\n)/.test(document)) expect(writeRegion(result.document, text)).toEqual(result)
    }),
    { numRuns: 3_000, seed: 8 },
  )
  expect(held).toBeGreaterThan(1_000)
})
