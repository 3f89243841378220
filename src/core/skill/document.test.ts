import { describe, expect, it } from 'vitest'
import {
  documentFrom,
  joinDocuments,
  lineOrigins,
  placeRegion,
  type SkillDocument,
  seedDocument,
  setRegion,
  sliceDocument,
  spliceDocument,
} from './document.js'

const spans = ({ origins }: SkillDocument) => origins.map(({ length, origin }) => `${length} ${origin}`)
const seed = seedDocument('0123456789')

describe('a document', () => {
  it('follows its origins through a change in the middle, at an end and over everything', () => {
    const change = (start: number, end: number, insert: string) =>
      spliceDocument(seed, { start, end, insert }, 'e1')
    expect(change(3, 5, 'abc').text).toBe('012abc56789')
    expect(spans(change(3, 5, 'abc'))).toEqual(['3 seed', '3 e1', '5 seed'])
    expect(spans(change(0, 0, 'a'))).toEqual(['1 e1', '10 seed'])
    expect(spans(change(10, 10, 'a'))).toEqual(['10 seed', '1 e1'])
    expect(spans(change(0, 10, 'a'))).toEqual(['1 e1'])
    expect(spans(change(0, 10, ''))).toEqual([])
    expect(spans(change(2, 4, ''))).toEqual(['8 seed'])
  })

  it('joins neighbours of one origin', () => {
    const once = spliceDocument(seed, { start: 3, end: 3, insert: 'ab' }, 'e1')
    const twice = spliceDocument(once, { start: 4, end: 4, insert: 'c' }, 'e1')
    expect(spans(twice)).toEqual(['3 seed', '3 e1', '7 seed'])
    expect(spans(spliceDocument(once, { start: 5, end: 5, insert: 'c' }, 'e2'))).toEqual([
      '3 seed',
      '2 e1',
      '1 e2',
      '7 seed',
    ])
  })

  it('can be cut and put together again', () => {
    const mixed = spliceDocument(seed, { start: 3, end: 5, insert: 'abc' }, 'e1')
    const [left, right] = [sliceDocument(mixed, 0, 4), sliceDocument(mixed, 4, mixed.text.length)]
    expect([left.text, right.text]).toEqual(['012a', 'bc56789'])
    expect([spans(left), spans(right)]).toEqual([
      ['3 seed', '1 e1'],
      ['2 e1', '5 seed'],
    ])
    expect(joinDocuments([left, right])).toEqual(mixed)
    expect(joinDocuments([])).toEqual({ text: '', origins: [] })
    expect(documentFrom('', 'e1').origins).toEqual([])
  })

  it('fills a region under its origin, and stays as it is when that changes nothing', () => {
    const placed = placeRegion(seed, 'APPENDIX', 'e1')
    const filled = setRegion(seed, 'APPENDIX', { text: 'note', origin: 'e2' })
    expect(filled.text).toBe('0123456789\n\n<!-- APPENDIX_START -->\nnote\n<!-- APPENDIX_END -->\n')
    expect(setRegion(filled, 'APPENDIX', { text: 'note', origin: 'e3' })).toBe(filled)
    expect(placeRegion(placed, 'APPENDIX', 'e3')).toBe(placed)
    const emptied = setRegion(filled, 'APPENDIX', { text: '', origin: 'e3' })
    expect(emptied.text).toBe(placed.text)
  })
})

describe('lineOrigins', () => {
  const lines = (document: SkillDocument) =>
    lineOrigins(document).map(({ line, origins }) => `${line}: ${origins.join(' ')}`)

  it('names every origin of a line in order, each once', () => {
    const parts = [
      documentFrom('one', 'a'),
      documentFrom(' two', 'b'),
      documentFrom(' three\nfour', 'a'),
      documentFrom('\r\n', 'c'),
      documentFrom('\n', 'd'),
      documentFrom('five', 'e'),
    ]
    expect(lines(joinDocuments(parts))).toEqual(['one two three: a b', 'four: a', ': d', 'five: e'])
  })

  it('gives a line end to the line only where it has nothing else', () => {
    const parts = [documentFrom('one', 'a'), documentFrom('\n\ntwo\n', 'b')]
    expect(lines(joinDocuments(parts))).toEqual(['one: a', ': b', 'two: b'])
    expect(lines(documentFrom('\r\n\r\n', 'a'))).toEqual([': a', ': a'])
  })
})
