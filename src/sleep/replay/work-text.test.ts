import { describe, expect, it } from 'vitest'
import { longestForReflection, type ShownChange, workText } from './work-text.js'

const change = (path: string, lines?: string): ShownChange => ({
  how: 'changed',
  path,
  ...(lines === undefined ? {} : { lines }),
})
const text = (changes: readonly ShownChange[], longest = 12_000, passedOver: readonly string[] = []) =>
  workText({ changes, passedOver }, longest)

describe('work in words', () => {
  it('lists each changed file with its lines', () => {
    const changes: ShownChange[] = [
      change('a.md', '-one\n+two'),
      { how: 'added', path: 'logo.png', note: 'no text, 12 kB' },
      { how: 'renamed', path: 'new.md', from: 'old.md' },
      { how: 'deleted', path: 'gone.md' },
    ]
    expect(text(changes, 12_000, ['node_modules'])).toBe(
      [
        '4 files: 1 changed, 1 added, 1 renamed, 1 deleted.',
        'changed: a.md\n-one\n+two',
        'added: logo.png (no text, 12 kB)',
        'renamed: old.md -> new.md',
        'deleted: gone.md',
        'Not looked into: node_modules.',
      ].join('\n'),
    )
  })

  it('reports that nothing was changed', () => {
    expect(text([])).toBe('No file was changed.')
  })

  it('keeps a short change whole and cuts a long one in the middle', () => {
    const short = `+${'s'.repeat(900)}`
    const shown = text([change('long.txt', `+begin${'x'.repeat(50_000)}end`), change('short.txt', short)])
    expect(shown).toContain(short)
    expect(shown).toMatch(/\+beginx+\n\([\d,]+ characters left out here\)\nx+end/)
    expect(shown.length).toBeGreaterThan(11_000)
    expect(shown.length).toBeLessThanOrEqual(12_000)
  })

  it.each([12_000, longestForReflection])('never takes more than %d characters', longest => {
    for (const [files, length] of [
      [1, 100_000],
      [30, 5_000],
      [60, 210],
      [5_000, 50],
    ] as const) {
      const name = (index: number) => `${'folder/'.repeat(index % 40)}${index}.txt`
      const changes = Array.from({ length: files }, (_, index) => change(name(index), 'y'.repeat(length)))
      const folders = Array.from({ length: 300 }, (_, index) => `${'deep/'.repeat(50)}${index}`)
      expect(text(changes, longest, folders).length).toBeLessThanOrEqual(longest)
    }
  })

  it('counts the files without room, and names those without lines', () => {
    const many = Array.from({ length: 900 }, (_, index) => change(`file-${index}.txt`, '+new line'))
    const shown = text(many, longestForReflection)
    expect(shown).toMatch(/^900 files: 900 changed\.\nchanged: file-0\.txt\n\+new line\n/)
    expect(shown).toContain(' (its lines are left out)')
    const named = shown.match(/^changed: /gm)?.length ?? 0
    expect(shown).toContain(`(${900 - named} more files, which there is no room to name)`)
  })

  it('shows a name as one line, whatever is in it', () => {
    const shown = text([change('a\nchanged: b.txt'), change('c\u202Etxt.exe'), change('x'.repeat(400))])
    expect(shown.split('\n')).toEqual([
      '3 files: 3 changed.',
      'changed: "a\\nchanged: b.txt"',
      'changed: "ctxt.exe"',
      `changed: …${'x'.repeat(119)}`,
    ])
  })
})
