import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lineOrigins, placeRegion, type SkillDocument, seedDocument, setRegion } from './document.js'
import { applyEdits, type Edit } from './edit.js'
import { checkSkill, parseSkill, slowUpdateRegion } from './skill.js'

const start = '<!-- SLOW_UPDATE_START -->'
const end = '<!-- SLOW_UPDATE_END -->'
const frontmatter = '---\nname: demo\n---\n'

const setSlowUpdate = (document: SkillDocument, guidance: string, origin: string) =>
  setRegion(document, 'SLOW_UPDATE', { text: guidance, origin })

type Change = { op: 'append' | 'insert_after' | 'replace' | 'delete'; target?: string; content?: string }

function edit({ op, target = '', content = '' }: Change, id = 'e1'): Edit {
  const origin = { id, support: 1, from: 'failure', tasks: ['t1'] } as const
  if (op === 'append') return { op, content, ...origin }
  if (op === 'delete') return { op, target, ...origin }
  return { op, target, content, ...origin }
}

function apply(text: string, change: Change) {
  const { document, reports } = applyEdits(seedDocument(text), [edit(change)])
  return { text: document.text, report: reports[0], document }
}

describe('applyEdits', () => {
  it('takes the first exact occurrence that may be edited', () => {
    const text = `${frontmatter}demo one\ndemo two\n`
    const { text: result, report } = apply(text, { op: 'replace', target: 'demo', content: 'x' })
    expect(result).toBe(`${frontmatter}x one\ndemo two\n`)
    expect(report).toMatchObject({ edit: 'e1', status: 'applied', match: 'exact' })
  })

  it('takes an occurrence after a protected region when the first lies inside', () => {
    const text = `a\n${start}\nrule\n${end}\nrule\n`
    expect(apply(text, { op: 'delete', target: 'rule' }).text).toBe(`a\n${start}\nrule\n${end}\n\n`)
  })

  it.each([
    ['the frontmatter', `${frontmatter}body\n`, 'name: demo'],
    ['the frontmatter', `${frontmatter}body\n`, 'NAME:  DEMO'],
    ['a protected region', `a\n${start}\nkeep\n${end}\n`, 'keep'],
    ['a protected region', `a\n${start}\nkeep\n${end}\n`, 'KEEP'],
    ['a protected region', `a\n${start}\nkeep\n${end}\n`, `a\n${start}`],
  ])('refuses a target in %s', (where, text, target) => {
    for (const op of ['replace', 'delete', 'insert_after'] as const) {
      const outcome = apply(text, { op, target, content: 'x' })
      expect(outcome.text).toBe(text)
      expect(outcome.report).toMatchObject({ status: 'refused' })
      expect(outcome.report?.reason).toContain(where)
    }
  })

  it('never appends an edit whose target is missing', () => {
    const outcome = apply('# A\n', { op: 'insert_after', target: 'nowhere', content: 'x' })
    expect(outcome.text).toBe('# A\n')
    expect(outcome.report).toEqual({
      edit: 'e1',
      status: 'unmatched',
      reason: 'The target is not in the skill.',
    })
  })

  it('finds a target that differs in case and white space, if there is only one', () => {
    const one = apply('# A\n- Use the   Tool (now).\n- b\n', {
      op: 'replace',
      target: '- use the\ntool (NOW).',
      content: '- x',
    })
    expect(one.text).toBe('# A\n- x\n- b\n')
    expect(one.report).toMatchObject({ status: 'applied', match: 'tolerant' })
    const two = apply('Rule  a\nrule  A\n', { op: 'delete', target: 'rule a' })
    expect(two.report).toMatchObject({ status: 'unmatched' })
    expect(two.report?.reason).toContain('2 places')
  })

  it('handles characters outside the basic multilingual plane', () => {
    const outcome = apply('😀 A\n😀 A\n', { op: 'delete', target: '😀 a' })
    expect(outcome.report?.reason).toContain('2 places')
  })

  it('does not cut words in two when it searches tolerantly', () => {
    expect(apply('Other words\n', { op: 'delete', target: 'The' }).report).toMatchObject({
      status: 'unmatched',
    })
    expect(apply('Über die Brücke\n', { op: 'delete', target: 'DIE' }).text).toBe('Über  Brücke\n')
  })

  it('calls edits without text or target, and those that change nothing, empty', () => {
    for (const change of [
      { op: 'append', content: ' \n' },
      { op: 'append', content: start },
      { op: 'replace', target: '# A', content: '' },
      { op: 'replace', target: '# A', content: '# A' },
      { op: 'delete', target: '\n' },
      { op: 'insert_after', target: '', content: 'x' },
    ] as const) {
      const outcome = apply('# A\n', change)
      expect(outcome.text).toBe('# A\n')
      expect(outcome.report).toMatchObject({ status: 'empty' })
    }
  })

  it('appends before the first protected region and after the frontmatter', () => {
    expect(apply(`# A\n${start}\n${end}\n`, { op: 'append', content: '\n- x\n' }).text).toBe(
      `# A\n\n- x\n\n${start}\n${end}\n`,
    )
    expect(apply(frontmatter, { op: 'append', content: '- x' }).text).toBe(`${frontmatter}\n- x\n`)
  })

  it('inserts after the line of the target, also at the end of a file and before a region', () => {
    expect(apply('# A\n## B\nc\n', { op: 'insert_after', target: '## B\n', content: 'x' }).text).toBe(
      '# A\n## B\n\nx\nc\n',
    )
    expect(apply('# A', { op: 'insert_after', target: '# A', content: '  - x' }).text).toBe('# A\n\n  - x\n')
    expect(apply(`a ${start}k${end}`, { op: 'insert_after', target: 'a', content: 'x' }).text).toBe(
      `a \n\nx\n${start}k${end}`,
    )
  })

  it('strips markers from content', () => {
    expect(apply('# A\n', { op: 'append', content: `${start}x${end}` }).text).toBe('# A\n\nx\n')
  })

  it('refuses a change that would put a marker or a frontmatter together out of pieces', () => {
    const marker = apply('<!-- SLOW_UPDATE_xSTART -->\n', { op: 'delete', target: 'x' })
    expect(marker.report).toMatchObject({ status: 'refused' })
    const fence = apply('x\n---\na\n---\n', { op: 'delete', target: 'x\n' })
    expect(fence.report).toMatchObject({ status: 'refused' })
  })

  it('keeps the line ends of a CRLF file', () => {
    const text = '# A\r\n- one\r\n- two\r\n'
    expect(apply(text, { op: 'append', content: '- x\n- y' }).text).toBe(`${text}\r\n- x\r\n- y\r\n`)
    const replaced = apply(text, { op: 'replace', target: '- one\n- two', content: '- x\n- y' })
    expect(replaced.text).toBe('# A\r\n- x\r\n- y\r\n')
    expect(replaced.report).toMatchObject({ match: 'exact' })
    expect(apply(text, { op: 'insert_after', target: '- one', content: 'x' }).text).toBe(
      '# A\r\n- one\r\n\r\nx\r\n- two\r\n',
    )
  })

  it('applies each edit to the result of those before it', () => {
    const { document, reports } = applyEdits(seedDocument('# A\n'), [
      edit({ op: 'append', content: '- first' }, 'e1'),
      edit({ op: 'replace', target: 'first', content: 'second' }, 'e2'),
      edit({ op: 'delete', target: 'first' }, 'e3'),
    ])
    expect(document.text).toBe('# A\n\n- second\n')
    expect(reports.map(report => report.status)).toEqual(['applied', 'applied', 'unmatched'])
  })
})

describe('lineOrigins', () => {
  it('names every origin of a line, in order, and counts line ends only on blank lines', () => {
    const { document } = applyEdits(seedDocument('# A\n- old rule\n'), [
      edit({ op: 'append', content: '- new' }, 'e1'),
      edit({ op: 'replace', target: 'old', content: 'better' }, 'e2'),
    ])
    expect(lineOrigins(document)).toEqual([
      { line: '# A', origins: ['seed'] },
      { line: '- better rule', origins: ['seed', 'e2'] },
      { line: '', origins: ['e1'] },
      { line: '- new', origins: ['e1'] },
    ])
  })

  it('has no lines for an empty skill', () => {
    expect(lineOrigins(seedDocument(''))).toEqual([])
  })

  it('merges neighbours of the same origin', () => {
    const { document } = applyEdits(seedDocument('a b c'), [
      edit({ op: 'replace', target: 'b', content: 'x' }, 'e1'),
      edit({ op: 'replace', target: 'x', content: 'y' }, 'e1'),
      edit({ op: 'delete', target: 'y' }, 'e2'),
    ])
    expect(document.origins).toEqual([{ length: 4, origin: 'seed' }])
  })
})

describe('slow update on documents', () => {
  it('places, fills and refills the region under its own origin', () => {
    const placed = placeRegion(seedDocument('# A\n'), 'SLOW_UPDATE', 'slow-update:1')
    expect(slowUpdateRegion(placed.text)).toBe('')
    expect(placeRegion(placed, 'SLOW_UPDATE', 'other')).toBe(placed)
    const filled = setSlowUpdate(placed, `calm ${end}`, 'slow-update:2')
    expect(lineOrigins(filled).map(({ line, origins }) => [line, ...origins])).toEqual([
      ['# A', 'seed'],
      ['', 'slow-update:1'],
      [start, 'slow-update:1'],
      ['calm', 'slow-update:2'],
      [end, 'slow-update:1'],
    ])
    expect(setSlowUpdate(filled, 'calm', 'slow-update:3')).toBe(filled)
    expect(setSlowUpdate(seedDocument('# A\n'), 'calm', 'x').text).toBe(filled.text)
  })

  it('keeps regions of different kinds apart', () => {
    const both = setRegion(setSlowUpdate(seedDocument('# A\n'), 'calm', 's'), 'APPENDIX', {
      text: 'note',
      origin: 'a',
    })
    expect(() => checkSkill(both.text, 'both')).not.toThrow()
    expect(slowUpdateRegion(both.text)).toBe('calm')
  })
})

describe('any sequence of edits', () => {
  const piece = fc.constantFrom(
    ...[
      '# A',
      '- rule',
      'rule',
      'Rule  one',
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      'keep',
      'name: demo',
      '---',
      '---\n',
    ],
    ...[
      start,
      end,
      '<!-- SLOW_',
      'UPDATE_START -->',
      '<!-- APPENDIX_START -->',
      'ß',
      '😀',
      'İ',
      '$&',
      '(',
      '\\',
    ],
  )
  const words = fc.array(piece, { maxLength: 5 }).map(pieces => pieces.join(''))
  const changes = fc.array(
    fc.record({
      op: fc.constantFrom('append', 'insert_after', 'replace', 'delete'),
      target: words,
      content: words,
    }),
    { maxLength: 8 },
  )
  const seeds = fc.record({
    head: fc.constantFrom('', frontmatter),
    before: words,
    region: fc.boolean(),
    after: words,
  })

  const protectedTexts = ({ text }: SkillDocument) =>
    parseSkill(text).regions.map(region => text.slice(region.start, region.end))

  it('resolves every line, covers the text and leaves what is protected alone', () => {
    fc.assert(
      fc.property(seeds, changes, ({ head, before, region, after }, list) => {
        const text = `${head}${before}\n${region ? `${start}\nkeep\n${end}\n` : ''}${after}`
        const seed = seedDocument(text)
        const edits = list.map((change, index) => edit(change as Change, `e${index}`))
        const { document, reports } = applyEdits(seed, edits)

        expect(document.origins.reduce((sum, span) => sum + span.length, 0)).toBe(document.text.length)
        for (const [index, span] of document.origins.entries()) {
          expect(span.length).toBeGreaterThan(0)
          expect(span.origin).not.toBe(document.origins[index + 1]?.origin)
        }
        const known = new Set(['seed', ...edits.map(({ id }) => id)])
        for (const { origins } of lineOrigins(document)) {
          expect(origins.length).toBeGreaterThan(0)
          for (const origin of origins) expect(known.has(origin)).toBe(true)
        }
        const lines = lineOrigins(document).map(({ line }) => line)
        expect(lines.join('\n')).toBe(document.text.replaceAll('\r\n', '\n').replace(/\n$/, ''))

        expect(protectedTexts(document)).toEqual(protectedTexts(seed))
        expect(parseSkill(document.text).frontmatter).toBe(parseSkill(text).frontmatter)
        expect(reports.map(report => report.edit)).toEqual(edits.map(({ id }) => id))
        if (reports.every(report => report.status !== 'applied')) expect(document).toEqual(seed)
        expect(applyEdits(seed, edits).document).toEqual(document)
      }),
    )
  })

  it('keeps origins consistent through slow updates in between', () => {
    fc.assert(
      fc.property(words, changes, words, (text, list, guidance) => {
        const edits = list.map((change, index) => edit(change as Change, `e${index}`))
        const half = applyEdits(seedDocument(text), edits.slice(0, 4)).document
        const updated = setSlowUpdate(
          placeRegion(half, 'SLOW_UPDATE', 'slow-update:1'),
          guidance,
          'slow-update:2',
        )
        const { document } = applyEdits(updated, edits.slice(4))
        expect(protectedTexts(document)).toEqual(protectedTexts(updated))
        expect(document.origins.reduce((sum, span) => sum + span.length, 0)).toBe(document.text.length)
        for (const { origins } of lineOrigins(document)) expect(origins.length).toBeGreaterThan(0)
      }),
    )
  })
})
