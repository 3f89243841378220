import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideOccasions } from './occasions.js'

const fractions = { val: 0.34, test: 0.2 }
const asked = (session: string, text: string) => ({ session, text })
const many = (id: string, count: number) =>
  Array.from({ length: count }, (_, index) => asked(`${id}${index}`, `write the notes for ${index}.0`))
const search = (id: string, candidates: ReturnType<typeof many>) =>
  ({ id, split: 'divided', taken: [], candidates }) as const

describe('divideOccasions', () => {
  it('measures every task on occasions that it is not trained on', () => {
    const splitsOf = (count: number) =>
      divideOccasions([search('a', many('s', count))], { fractions, most: 3 })
        .get('a')
        ?.map(({ split }) => split)
    expect(splitsOf(1)).toEqual(['train'])
    expect(splitsOf(2)).toEqual(['train', 'val'])
    expect(splitsOf(3)).toEqual(['train', 'val', 'test'])
    expect(splitsOf(12)?.toSorted()).toEqual([
      ...['test', 'test', 'test', 'train', 'train', 'train', 'val', 'val', 'val'],
    ])
  })

  it('uses one of near-duplicates, and of requests that differ in a number both', () => {
    const texts = ['Write tests for a.ts', 'write the tests  for a.ts', 'write tests for b.ts']
    const candidates = texts.map((text, index) => asked(String(index), text))
    const chosen = divideOccasions([search('a', candidates)], { fractions, most: 3 }).get('a')
    expect(chosen?.map(({ text }) => text)).toEqual([texts[0], texts[2]])
  })

  it('keeps the split of an occasion and continues from there', () => {
    const candidates = many('s', 7)
    const options = { fractions, most: 3 }
    const first = divideOccasions([search('a', candidates.slice(0, 4))], options).get('a') ?? []
    const again = divideOccasions([{ ...search('a', candidates), taken: first }], options).get('a') ?? []
    const places = new Map([...first, ...again].map(({ session, split }) => [session, split]))
    expect(places.size).toBe(first.length + again.length)
    expect([...places.values()].filter(split => split === 'train')).toHaveLength(3)
  })

  it('tests a task that is kept apart, and gives none to a held-back one', () => {
    const chosen = divideOccasions(
      [
        { ...search('apart', many('s', 4)), split: 'test' },
        { ...search('back', many('t', 4)), split: 'held-back' },
      ],
      { fractions, most: 2 },
    )
    expect(chosen.get('apart')?.map(({ split }) => split)).toEqual(['test', 'test'])
    expect(chosen.get('back')).toEqual([])
  })

  it('never uses a session in two splits', () => {
    const given = fc.record({
      split: fc.constantFrom('divided', 'test', 'held-back'),
      sessions: fc.array(fc.nat(8), { maxLength: 8 }),
    })
    fc.assert(
      fc.property(fc.array(given, { maxLength: 10 }), fc.integer({ min: 1, max: 4 }), (all, most) => {
        const searches = all.map(({ split, sessions }, index) => ({
          id: String(index),
          split,
          taken: [],
          candidates: sessions.map((session, place) => asked(String(session), `${index} ${place}`)),
        }))
        const chosen = divideOccasions(searches, { fractions, most })
        const splitOf = new Map<string, string>()
        for (const examples of chosen.values()) {
          for (const { session, split } of examples) {
            expect(splitOf.get(session) ?? split).toBe(split)
            splitOf.set(session, split)
          }
        }
      }),
    )
  })
})
