import { describe, expect, it } from 'vitest'
import { asAgentSkill, checkAgentSkill, suggestDescription, suggestName } from './agent-skill.js'

const skill = (fields: string, body = '# Title\n\nText.\n') => `---\n${fields}\n---\n${body}`
const messages = (text: string, folder?: string) =>
  checkAgentSkill(text, folder).map(({ message }) => message)

describe('checkAgentSkill', () => {
  it('finds nothing in a valid skill', () => {
    const text = skill(
      [
        'name: pdf-tables-2',
        'description: Reads tables. Use when there are PDFs.',
        'license: MIT',
        'compatibility: Needs git',
        'metadata:\n  author: us',
        'allowed-tools: Read Bash(git:*)',
        'some-other-field: 3',
      ].join('\n'),
    )
    expect(checkAgentSkill(text, 'pdf-tables-2')).toEqual([])
    expect(checkAgentSkill(skill('name: a\ndescription: b\nallowed-tools: [Read, Write]'))).toEqual([])
  })

  it('only warns of a missing frontmatter, and shows the lines to add', () => {
    const [finding, ...others] = checkAgentSkill('# Reading Tables\n\nText.\n')
    expect(others).toEqual([])
    expect(finding).toMatchObject({ level: 'warning', hint: expect.stringContaining('name: reading-tables') })
  })

  it('says why YAML cannot be read, and on which line', () => {
    const [finding] = checkAgentSkill(skill('name: a\ndescription: Reads: tables'))
    expect(finding).toMatchObject({ level: 'error', message: expect.stringContaining('(line 3)') })
  })

  it.each([
    ['', 'the frontmatter has no name'],
    ['name:', 'the frontmatter has no name'],
    ['name: 12', 'the name is not text'],
    ['name: ""', 'the name "" is empty'],
    ['name: PDF', 'the name "PDF" holds something else than lowercase letters, digits and hyphens'],
    ['name: a_b', 'the name "a_b" holds something else than lowercase letters, digits and hyphens'],
    ['name: -a', 'the name "-a" begins or ends with a hyphen'],
    ['name: a-', 'the name "a-" begins or ends with a hyphen'],
    ['name: a--b', 'the name "a--b" has two hyphens in a row'],
    [`name: ${'a'.repeat(65)}`, 'the name has 65 characters; 64 are allowed'],
  ])('%s', (line, message) => {
    expect(messages(skill(`${line}\ndescription: b`))).toEqual([message])
  })

  it('wants the name to be that of the folder', () => {
    const text = skill('name: a\ndescription: b')
    expect(messages(text, 'a')).toEqual([])
    expect(messages(text, 'other')).toEqual(['the name "a" is not that of the folder, "other"'])
  })

  it('takes names and descriptions of the largest length', () => {
    const text = skill(
      `name: ${'a'.repeat(64)}\ndescription: ${'é'.repeat(1024)}\ncompatibility: ${'b'.repeat(500)}`,
    )
    expect(messages(text)).toEqual([])
  })

  it.each([
    ['', 'the frontmatter has no description'],
    ['description: ""', 'the frontmatter has no description'],
    ['description: "  "', 'the description is empty'],
    ['description: [a]', 'the description is not text'],
    [`description: ${'b'.repeat(1025)}`, 'the description has 1025 characters; 1024 are allowed'],
    [
      `description: b\ncompatibility: ${'b'.repeat(501)}`,
      'the compatibility has 501 characters; 500 are allowed',
    ],
    ['description: b\nlicense: 2', 'the license is not text'],
    ['description: b\nmetadata: text', 'the metadata are not a list of keys and values'],
    ['description: b\nmetadata:\n  version: 1.0\n  by: us', 'metadata that are not text: version'],
    ['description: b\nallowed-tools: 3', 'allowed-tools is not text'],
    ['description: b\nallowed-tools: [1]', 'allowed-tools is not text'],
  ])('%s', (line, message) => {
    expect(messages(skill(`name: a\n${line}`))).toEqual([message])
  })

  it.each([
    ['hooks:\n  PreToolUse: [{ command: x }]', 'Text.', 'the frontmatter has hooks'],
    ['allowed-tools: Read Bash', 'Text.', 'any command without asking'],
    ['allowed-tools: [Read, "Bash(*)"]', 'Text.', 'any command without asking'],
    ['allowed-tools: "*"', 'Text.', 'any command without asking'],
    ['license: MIT', 'You are !`whoami`.', 'when it loads it'],
    ['license: MIT', '```!\nwhoami\n```', 'when it loads it'],
  ])('warns of what an agent would run without asking: %s, %s', (field, body, message) => {
    const found = checkAgentSkill(skill(`name: a\ndescription: b\n${field}`, body))
    expect(found).toMatchObject([{ level: 'warning', message: expect.stringContaining(message) }])
  })

  it('warns of a very long skill', () => {
    const [finding] = checkAgentSkill(skill('name: a\ndescription: b', 'line\n'.repeat(500)))
    expect(finding).toMatchObject({ level: 'warning', message: expect.stringContaining('505 lines') })
    expect(checkAgentSkill(skill('name: a\ndescription: b', 'line\n'.repeat(490)))).toEqual([])
  })
})

describe('suggestName', () => {
  it.each([
    ['its own name', skill('name: PDF Tables!'), 'pdf-tables'],
    ['the first heading', '```\n# code\n```\n\nIntro.\n\n## Ärger & Spaß lesen ##\n', 'arger-spa-lesen'],
    ['the first words', 'Always answer with a number, and nothing else.', 'always-answer-with-a-number'],
    ['neither', '', 'my-skill'],
    ['letters of another alphabet', '# 表格', 'my-skill'],
    ['one very long word', `# ${'a'.repeat(80)}`, 'a'.repeat(64)],
    ['more words than fit', `# ${'word '.repeat(20)}`, Array(13).fill('word').join('-').slice(0, 64)],
  ])('from %s', (_, text, expected) => {
    expect(suggestName(text)).toBe(expected)
    expect(checkAgentSkill(`---\nname: ${suggestName(text)}\ndescription: b\n---\n`)).toEqual([])
  })
})

describe('suggestDescription', () => {
  it.each([
    ['its own', skill('description: " Reads. "'), 'Reads.'],
    [
      'the first paragraph',
      '# Title\n\n<!-- hidden -->\n\n**Read** the [table](x.md)\nfirst.\n\nMore.',
      'Read the table first.',
    ],
    ['the first of a list', '# Title\n- one\n- two\n', 'one two'],
    ['the heading', '# Only a title\n', 'Only a title'],
    ['nothing', '', 'my-skill'],
  ])('from %s', (_, text, expected) => {
    expect(suggestDescription(text)).toBe(expected)
  })

  it('is never longer than allowed', () => {
    const long = suggestDescription('word '.repeat(400))
    expect(long.length).toBeLessThanOrEqual(1024)
    expect(long.endsWith('word…')).toBe(true)
    expect([...suggestDescription('x'.repeat(3000))].length).toBeLessThanOrEqual(1024)
  })
})

describe('asAgentSkill', () => {
  it('adds what is missing and touches nothing else', () => {
    expect(asAgentSkill('# Sums\n\nAdd them.\n')).toEqual({
      name: 'sums',
      text: '---\nname: sums\ndescription: Add them.\n---\n\n# Sums\n\nAdd them.\n',
      added: { name: 'sums', description: 'Add them.' },
      findings: [],
    })
    const whole = '---\nname: a\ndescription: b\nlicense: MIT\n---\nBody\n'
    expect(asAgentSkill(whole, { name: 'a' })).toEqual({ name: 'a', text: whole, added: {}, findings: [] })
  })

  it('writes what is asked for over what is there', () => {
    const changed = asAgentSkill('---\nname: a\ndescription: b\n---\nBody\n', { name: 'c' })
    expect(changed).toMatchObject({ name: 'c', added: { name: 'c' }, findings: [] })
    expect(changed.text).toBe('---\nname: c\ndescription: b\n---\nBody\n')
  })

  it('leaves a frontmatter that it cannot read, and says so', () => {
    const broken = '---\nname: [\n---\nBody\n'
    const { text, findings } = asAgentSkill(broken)
    expect([text, findings.map(({ level }) => level)]).toEqual([broken, ['error']])
  })
})
