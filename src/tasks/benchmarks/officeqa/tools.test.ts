import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../../test/support/time-limit.js'
import type { Tool } from '../../../core/ports/environment.js'
import { createTools } from './tools.js'

const texts: Readonly<Record<string, readonly string[]>> = {
  'bulletin_1950_06.txt': ['Receipts', '| Customs | 12 |', 'customs again', '', 'Ende: straße'],
  'old/bulletin_1949_06.txt': Array.from({ length: 200 }, (_, index) => `line ${index + 1}`),
  'wide.txt': ['😀'.repeat(5000), 'x'.repeat(30)],
}
const sources = Object.entries(texts).map(([path, lines]) => ({ path, lines: lines.length, hash: path }))
const limits = { globHits: 50, grepHits: 20, readLines: 80, readCharacters: 4000 }
const tools = (given = {}) =>
  createTools(sources, async ({ path }) => texts[path] ?? [], { ...limits, ...given })

const signal = new AbortController().signal
async function use(name: string, given: unknown, from: readonly Tool[] = tools()): Promise<string> {
  const tool = from.find(candidate => candidate.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool.call(typeof given === 'string' ? given : JSON.stringify(given), signal)
}

const all = 'The sources of this task are: bulletin_1950_06.txt, old/bulletin_1949_06.txt, wide.txt.'

describe('glob', () => {
  it.each([
    ['*', texts],
    ['', texts],
    ['./', texts],
    ['**', texts],
    ['*1949*', { 'old/bulletin_1949_06.txt': 1 }],
    ['old/*', { 'old/bulletin_1949_06.txt': 1 }],
    ['./BULLETIN_19{48,50}_0?.txt', { 'bulletin_1950_06.txt': 1 }],
    ['**/*.txt', texts],
  ])('%j', async (pattern, expected) => {
    expect((await use('glob', { pattern })).split('\n')).toEqual(Object.keys(expected))
  })

  it('lists everything without a pattern, and no more than its limit', async () => {
    expect((await use('glob', {})).split('\n')).toHaveLength(3)
    expect((await use('glob', '')).split('\n')).toHaveLength(3)
    expect(await use('glob', {}, tools({ globHits: 1 }))).toBe(
      'bulletin_1950_06.txt\n[There are more: only the first 1 sources are shown.]',
    )
  })

  it.each(['../*', '/etc/*', '/etc/passwd', '*.pdf', '**/../../*', '~/*'])(
    'finds nothing by %s',
    async pattern => {
      expect(await use('glob', { pattern })).toBe(`No source matches ${pattern}. ${all}`)
    },
  )

  it('is not slowed down by its pattern', async () => {
    const started = performance.now()
    for (const pattern of ['*?'.repeat(6), '*(*(*(*(a))))b', '{*,{*,{*,*}}}', '[[[[*', `${'*a'.repeat(6)}b`])
      await use('glob', { pattern })
    expect(performance.now() - started).toBeLessThan(timeLimit(2000))
    expect(await use('glob', { pattern: '*a'.repeat(7) })).toBe(
      'The pattern is too long: at most 200 characters and 6 stars.',
    )
    expect(await use('glob', { pattern: 'a'.repeat(201) })).toContain('too long')
  })
})

describe('read', () => {
  const path = 'old/bulletin_1949_06.txt'

  it('shows 80 lines from the first, or those asked for', async () => {
    expect((await use('read', { path })).split('\n').slice(0, 80).at(-1)).toBe('line 80')
    expect((await use('read', { path })).split('\n')).toHaveLength(80)
    expect(await use('read', { path, start: 199, limit: 5 })).toBe('line 199\nline 200')
    expect(await use('read', { path, start: '3', limit: '2' })).toBe('line 3\nline 4')
    expect(await use('read', { path, start: -4, limit: 1.9 })).toBe('line 1')
    expect(await use('read', { path, start: null, limit: 0 }, tools({ readLines: 2 }))).toBe('line 1\nline 2')
    expect(await use('read', { path, start: 201 })).toBe(`${path} has 200 lines.`)
  })

  it('finds a source by its name alone, where that is enough', async () => {
    expect(await use('read', { path: './bulletin_1949_06.txt', limit: 1 })).toBe('line 1')
    expect(await use('read', { path: 'old\\bulletin_1949_06.txt', limit: 1 })).toBe('line 1')
  })

  it('cuts at 4,000 characters, counted as people count them', async () => {
    const shown = await use('read', { path: 'wide.txt' })
    expect(shown).toBe(`${'😀'.repeat(4000)}\n[Cut at 4000 characters, in line 1.]`)
    expect(await use('read', { path: 'wide.txt', start: 2 }, tools({ readCharacters: 30 }))).toBe(
      'x'.repeat(30),
    )
    expect(await use('read', { path, start: 5 }, tools({ readCharacters: 10 }))).toBe(
      'line 5\nlin\n[Cut at 10 characters, in line 6.]',
    )
  })
})

describe('grep', () => {
  const path = 'bulletin_1950_06.txt'

  it('finds a text literally, in any case, with line numbers', async () => {
    expect(await use('grep', { pattern: 'CUSTOMS', path })).toBe('2: | Customs | 12 |\n3: customs again')
    expect(await use('grep', { pattern: 'STRAßE', path })).toBe('5: Ende: straße')
    expect(await use('grep', { pattern: 'Custom.', path })).toBe('No line contains "Custom.".')
    expect(await use('grep', { pattern: '| 12', path })).toBe('2: | Customs | 12 |')
  })

  it('looks into all sources where none is named, and shows no more than its limit', async () => {
    expect(await use('grep', { pattern: 'customs a' })).toBe(`${path}:3: customs again`)
    expect(await use('grep', { pattern: 'line 19', path: null }, tools({ grepHits: 2 }))).toBe(
      [
        'old/bulletin_1949_06.txt:19: line 19',
        'old/bulletin_1949_06.txt:190: line 190',
        '[There are more: only the first 2 lines are shown.]',
      ].join('\n'),
    )
    expect((await use('grep', { pattern: 'line' })).split('\n')).toHaveLength(21)
  })

  it('cuts long lines', async () => {
    expect(await use('grep', { pattern: '😀', path: 'wide.txt' })).toBe(`1: ${'😀'.repeat(1000)}`)
  })
})

describe('confinement', () => {
  const outside = [
    '/etc/passwd',
    '../secret.txt',
    'old/../../secret.txt',
    'old/../bulletin_1950_06.txt',
    '..\\secret.txt',
    'C:\\secret.txt',
    'C:secret.txt',
    '\\\\host\\share',
    '',
  ]
  it.each(outside)('%j is not a path inside of the sources', async path => {
    const refusal = `${path} is not a path inside of the sources. ${all}`
    expect(await use('read', { path })).toBe(refusal)
    expect(await use('grep', { path, pattern: 'x' })).toBe(refusal)
  })

  it.each([
    'bulletin_1951_06.txt',
    'old',
    'old/bulletin_1950_06.txt',
    '.',
    'bulletin_1950_06.txt/',
    '%2e%2e/x',
    'a\0b',
  ])('%j is not a source of this task', async path => {
    expect(await use('read', { path })).toBe(`${path} is not a source of this task. ${all}`)
  })
})

describe('arguments that cannot be used', () => {
  it.each([
    ['read', '{"path":', 'The arguments of read are not JSON'],
    ['read', '{}', 'The arguments of read are not usable'],
    ['read', '[]', 'The arguments of read are not usable'],
    ['read', { path: 'wide.txt', start: 'first' }, 'The arguments of read are not usable'],
    ['grep', { path: 'wide.txt' }, 'The arguments of grep are not usable'],
    ['grep', { path: 'wide.txt', pattern: '' }, 'The arguments of grep are not usable'],
    ['grep', { path: 5, pattern: 'x' }, 'The arguments of grep are not usable'],
    ['glob', { pattern: 5 }, 'The arguments of glob are not usable'],
  ])('%s %j are answered with a sentence', async (name, given, sentence) => {
    expect(await use(name, given)).toContain(sentence)
  })

  it('have their form in the description of the tool', () => {
    const described = tools().map(({ name, parameters }) => [name, parameters])
    expect(described).toMatchObject([
      ['glob', { type: 'object', properties: { pattern: {} } }],
      ['grep', { type: 'object', required: ['pattern'] }],
      [
        'read',
        { type: 'object', required: ['path'], properties: { start: { default: 1 }, limit: { default: 80 } } },
      ],
    ])
  })
})
