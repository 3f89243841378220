import { describe, expect, it } from 'vitest'
import { filterOf } from './filters.js'
import { endMeaning, lasted, placeOf, scoresOf } from './outcome.js'
import { rowAfter } from './use-row-keys.js'
import { scrollFor, windowOf } from './use-window.js'

describe('the server query', () => {
  const asked = (text: string) => filterOf(new URLSearchParams(text)).toString()

  it('contains the known parameters of the URL', () => {
    expect(asked('outcome=wrong&sort=task&text=rendered&utm=1')).toBe('outcome=wrong')
    expect(asked('q=a+b&task=x')).toBe('q=a+b&task=x')
  })

  it('leaves out an incomplete pair, and a change without a pair', () => {
    expect(asked('from=v0&change=better')).toBe('')
    expect(asked('change=worse')).toBe('')
    expect(asked('from=v0&to=best&change=better')).toBe('change=better&from=v0&to=best')
  })

  it('leaves out an unknown change', () => {
    expect(asked('from=v0&to=v1&change=sideways')).toBe('from=v0&to=v1')
  })
})

describe('the visible rows', () => {
  it('are a few of a hundred thousand at any position', () => {
    for (const top of [0, 1_800_000, 3_599_000]) {
      const { start, end } = windowOf(top, 720, 100_000, 36)
      expect(end - start).toBeLessThanOrEqual(41)
      expect(start).toBeLessThanOrEqual(top / 36)
      expect(end).toBeGreaterThanOrEqual(Math.min(100_000, (top + 720) / 36))
    }
  })

  it('are all rows of a short list, and none of an empty one', () => {
    expect(windowOf(0, 720, 3, 36)).toEqual({ start: 0, end: 3 })
    expect(windowOf(0, 720, 0, 36)).toEqual({ start: 0, end: 0 })
  })

  it('end at the last one, also where the list has become shorter', () => {
    expect(windowOf(100_000, 720, 50, 36)).toEqual({ start: 39, end: 50 })
  })

  it('are scrolled no further than to bring a row into sight, below the head', () => {
    expect(scrollFor(5, 0, 720, 36)).toBe(0)
    expect(scrollFor(5, 360, 720, 36)).toBe(180)
    expect(scrollFor(100, 0, 720, 36)).toBe(102 * 36 - 720)
  })
})

describe('keys in the list', () => {
  it('go to the next row, and not beyond the ends', () => {
    expect(rowAfter('ArrowDown', 4, 0, 10)).toBe(5)
    expect(rowAfter('j', 9, 0, 10)).toBe(9)
    expect(rowAfter('k', 4, 0, 10)).toBe(3)
    expect(rowAfter('ArrowUp', 0, 0, 10)).toBe(0)
    expect([rowAfter('Home', 4, 0, 10), rowAfter('End', 4, 0, 10)]).toEqual([0, 9])
  })

  it('begin with the first row in sight, and leave other keys alone', () => {
    expect(rowAfter('j', undefined, 7, 10)).toBe(7)
    expect(rowAfter('x', 4, 0, 10)).toBeUndefined()
  })
})

describe('an attempt in words', () => {
  it('has no score after an external failure, and shows a score of 0', () => {
    expect(scoresOf({})).toBe('not scored')
    expect(scoresOf({ hard: 0, soft: 0 })).toBe('0.0%')
    expect(scoresOf({ hard: 0, soft: 0.25 })).toBe('0.0% · soft 25.0%')
  })

  it('says where it was made and what ended it', () => {
    expect(placeOf({ stage: 'gate', step: 3, sample: 1 })).toBe('gate of step 3, sample 2')
    expect(placeOf({ stage: 'slow-update', step: 0, sample: 0 })).toBe('slow update')
    expect(endMeaning({ stop: 'turn-limit' })).toBe('It had used all its turns.')
    expect(endMeaning({ failure: 'transport' })).toContain('no score')
  })

  it('shows milliseconds for short durations', () => {
    expect([lasted(12.4), lasted(83_211)]).toEqual(['12 ms', '1 min 23 s'])
  })
})
