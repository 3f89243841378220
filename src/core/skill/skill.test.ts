import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InputError } from '../errors/errors.js'
import {
  checkSkill,
  fillRegionSplice,
  parseSkill,
  placeRegionSplice,
  regionText,
  skillHash,
  slowUpdateRegion,
  spliceText,
  stripMarkers,
} from './skill.js'

const start = '<!-- SLOW_UPDATE_START -->'
const end = '<!-- SLOW_UPDATE_END -->'

describe('parseSkill', () => {
  it.each([
    ['---\nname: a\n---\n# Body\n', '---\nname: a\n---\n'],
    ['---\r\nname: a\r\n---\r\n# Body\r\n', '---\r\nname: a\r\n---\r\n'],
    ['---\n---\n# Body\n', '---\n---\n'],
    ['--- \t\nname: a\n--- \t\n# Body\n', '--- \t\nname: a\n--- \t\n'],
    ['---x\nname: a\n---\n', ''],
    ['---\nname: a\n---', '---\nname: a\n---'],
    ['\uFEFF---\nname: a\n---\nBody', '\uFEFF---\nname: a\n---\n'],
    ['# Body\n\n---\n\nmore\n\n---\n', ''],
    ['---\nnever closed\n', ''],
    ['---\nname: a\n----\n', ''],
    ['', ''],
  ])('finds the frontmatter of %j', (text, frontmatter) => {
    const skill = parseSkill(text)
    expect(skill.frontmatter).toBe(frontmatter)
    expect(skill.frontmatter + skill.body).toBe(text)
  })

  it('finds both kinds of region, with and without their markers', () => {
    const text = `a\n${start}\nguide\n${end}\nb\n<!-- APPENDIX_START -->x<!-- APPENDIX_END -->\n`
    const [slow, appendix] = parseSkill(text).regions
    expect(text.slice(slow?.start, slow?.end)).toBe(`${start}\nguide\n${end}`)
    expect(text.slice(slow?.inner.start, slow?.inner.end)).toBe('\nguide\n')
    expect(text.slice(appendix?.inner.start, appendix?.inner.end)).toBe('x')
  })

  it('protects everything after a region that is never closed, and a lone end marker', () => {
    expect(parseSkill(`a\n${start}\nb`).regions).toMatchObject([{ start: 2, end: 30 }])
    expect(parseSkill(`a\n${end}\nb`).regions).toMatchObject([{ start: 2, end: 2 + end.length }])
  })

  it('protects all of a region that has markers of the other kind in it', () => {
    const text = `a\n${start}\n<!-- APPENDIX_START -->\nb\n<!-- APPENDIX_END -->\nc\n${end}\nd`
    expect(parseSkill(text).regions).toMatchObject([
      { kind: 'SLOW_UPDATE', start: 2, end: text.length - 2, inner: { end: text.indexOf(end) } },
    ])
  })

  it('sees no regions in the frontmatter', () => {
    expect(parseSkill(`---\nnote: ${start}${end}\n---\nbody`).regions).toEqual([])
  })
})

describe('skillHash', () => {
  it('is the first 16 hex digits of sha256', () => {
    const whole = createHash('sha256').update('# Öl\n').digest('hex')
    expect(skillHash('# Öl\n')).toBe(whole.slice(0, 16))
    expect(skillHash('')).toBe('e3b0c44298fc1c14')
  })
})

describe('checkSkill', () => {
  it.each([
    '# Plain',
    `# A\n${start}\n${end}\n`,
    `# A\r\n${start}\r\ntext\r\n${end}\r\n<!-- APPENDIX_START -->\r\n<!-- APPENDIX_END -->`,
  ])('accepts %j', text => {
    expect(() => checkSkill(text, 'skill.md')).not.toThrow()
  })

  it.each([
    [`a\n${start}\n`, 'skill.md, line 2: <!-- SLOW_UPDATE_START --> has no end marker'],
    [`a\nb\n${end}\n`, 'skill.md, line 3: <!-- SLOW_UPDATE_END --> has no start marker'],
    [`${end}\n${start}\n`, 'line 1: <!-- SLOW_UPDATE_END --> has no start marker'],
    [
      `${start}\n<!-- APPENDIX_START -->\n`,
      'line 2: <!-- APPENDIX_START --> stands inside the region opened on line 1',
    ],
    [`${start}\n${start}\n${end}`, 'line 2: <!-- SLOW_UPDATE_START --> stands inside'],
    [
      `${start}\n<!-- APPENDIX_END -->`,
      'line 2: <!-- APPENDIX_END --> does not fit <!-- SLOW_UPDATE_START -->',
    ],
    [`${start}${end}\n${start}${end}`, 'line 2: <!-- SLOW_UPDATE_START --> opens a second region'],
    [`---\na: ${start}\n---\n`, 'line 2: <!-- SLOW_UPDATE_START --> stands in the frontmatter'],
  ])('refuses %j', (text, message) => {
    expect(() => checkSkill(text, 'skill.md')).toThrow(InputError)
    expect(() => checkSkill(text, 'skill.md')).toThrow(message)
    expect(() => checkSkill(text, 'skill.md')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('one start and one end marker') }),
    )
  })
})

describe('stripMarkers', () => {
  it('removes markers, also loosely spelled, and leaves other comments', () => {
    expect(stripMarkers(`a${start}b<!--appendix_end-->c<!-- note -->`)).toBe('abc<!-- note -->')
  })

  it('leaves no marker behind, however they are interleaved', () => {
    const pieces = fc.constantFrom(
      start,
      end,
      '<!-- SLOW_',
      'UPDATE_',
      'START -->',
      '<!-- APPENDIX_',
      'END -->',
      'x',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        const stripped = stripMarkers(parts.join(''))
        expect(stripped).not.toMatch(/<!-- (SLOW_UPDATE|APPENDIX)_(START|END) -->/)
        expect(stripMarkers(stripped)).toBe(stripped)
      }),
    )
  })
})

describe('regions', () => {
  const placed = (text: string) => {
    const splice = placeRegionSplice(text, 'SLOW_UPDATE')
    return splice === undefined ? text : spliceText(text, splice)
  }
  const filled = (text: string, content: string) => {
    const splice = fillRegionSplice(text, 'SLOW_UPDATE', content)
    return splice === undefined ? text : spliceText(text, splice)
  }

  it('reads undefined without a region and an empty string from an empty one', () => {
    expect(slowUpdateRegion('# A')).toBeUndefined()
    expect(slowUpdateRegion(placed('# A'))).toBe('')
    expect(regionText(placed('# A'), 'APPENDIX')).toBeUndefined()
  })

  it('places a region once, at the end, with the file\u2019s own line ends', () => {
    expect(placed('# A\n\n\n')).toBe(`# A\n\n${start}\n${end}\n`)
    expect(placed('# A\r\n')).toBe(`# A\r\n\r\n${start}\r\n${end}\r\n`)
    expect(placed('')).toBe(`${start}\n${end}\n`)
    expect(placed('---\na: b\n---\n')).toBe(`---\na: b\n---\n\n${start}\n${end}\n`)
    expect(placed(placed('# A'))).toBe(placed('# A'))
    expect(placed(' \n\n')).toBe(`${start}\n${end}\n`)
    expect(placed('# A\nb\r\n')).toBe(`# A\nb\n\n${start}\n${end}\n`)
    const appendix = '<!-- APPENDIX_START -->\n<!-- APPENDIX_END -->'
    expect(placed(appendix)).toBe(`${appendix}\n\n${start}\n${end}\n`)
  })

  it('replaces the content and strips markers from it', () => {
    const text = placed('# A')
    expect(filled(text, '  keep calm \n')).toBe(`# A\n\n${start}\nkeep calm\n${end}\n`)
    expect(filled(filled(text, 'old'), `new ${end}`)).toBe(`# A\n\n${start}\nnew\n${end}\n`)
    expect(filled(filled(text, 'old'), '')).toBe(text)
    expect(fillRegionSplice('# A', 'SLOW_UPDATE', 'x')).toBeUndefined()
    expect(slowUpdateRegion(filled(placed('# A\r\n'), 'one\ntwo'))).toBe('one\r\ntwo')
  })
})
