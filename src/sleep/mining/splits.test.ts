import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FamilyMember, placeFamilies, placeMade } from './splits.js'

const fractions = { val: 0.34, test: 0.2 }
const alone = (...ids: readonly string[]) => ids.map(id => [{ id }])

describe('placeFamilies', () => {
  const splits = (count: number, of = fractions) => {
    const ids = Array.from({ length: count }, (_, index) => `task-${index}`)
    const places = [...placeFamilies(alone(...ids), of, 7).values()]
    return [
      places.filter(split => split === 'divided').length,
      places.filter(split => split === 'test').length,
    ]
  }

  it('divides all tasks but a few, which are kept apart for the test', () => {
    expect([1, 4, 5, 10, 50].map(count => splits(count))).toEqual([
      [1, 0],
      [4, 0],
      [4, 1],
      [9, 1],
      [45, 5],
    ])
  })

  it('keeps none apart if there is no test', () => {
    expect(splits(50, { val: 0.5, test: 0 })).toEqual([50, 0])
  })

  it('keeps a small family apart rather than a large one', () => {
    const large = Array.from({ length: 10 }, (_, index) => ({ id: `large-${index}` }))
    const places = placeFamilies([large, ...alone('b', 'c', 'd', 'e')], fractions, 3)
    expect(places.get('large-3')).toBe('divided')
    expect([...places.values()].filter(split => split === 'test')).toHaveLength(1)
  })

  it('never moves a task into or out of the test and puts related ones beside it', () => {
    const places = placeFamilies(
      [[{ id: 'old', split: 'test' }, { id: 'new' }], [{ id: 'other', split: 'val' }]],
      fractions,
      1,
    )
    expect(Object.fromEntries(places)).toEqual({ old: 'test', new: 'test', other: 'divided' })
  })

  it('holds back a task related to one kept apart and to another, until it no longer is', () => {
    const both: FamilyMember[] = [{ id: 'a', split: 'divided' }, { id: 'b', split: 'test' }, { id: 'c' }]
    expect(placeFamilies([both], fractions, 1).get('c')).toBe('held-back')
    expect(placeFamilies([[{ id: 'c', split: 'held-back' }]], fractions, 1).get('c')).toBe('divided')
  })

  it('does not depend on the order and keeps families whole', () => {
    const family = fc.array(fc.constantFrom(undefined, 'divided', 'test', 'held-back'), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(fc.array(family, { minLength: 1, maxLength: 12 }), fc.nat(), (given, seed) => {
        const families = given.map((splits, group) =>
          splits.map((split, index) => ({ id: `${group}-${index}`, split }) as FamilyMember),
        )
        const places = placeFamilies(families, fractions, seed)
        expect(placeFamilies(families.toReversed(), fractions, seed)).toEqual(places)
        for (const members of families) {
          const before = new Set(
            members.map(({ split }) => split).filter(split => split && split !== 'held-back'),
          )
          const after = new Set(members.map(({ id }) => places.get(id)))
          for (const { id, split } of members)
            if (split !== undefined && split !== 'held-back') expect(places.get(id)).toBe(split)
          if (before.size < 2) expect(after.size).toBe(1)
        }
      }),
    )
  })

  it.each([
    [{ val: 1, test: 0 }],
    [{ val: 0.6, test: 0.4 }],
    [{ val: -0.1, test: 0 }],
    [{ val: Number.NaN, test: 0 }],
  ])('refuses fractions that leave nothing: %j', bad => {
    expect(() => placeFamilies(alone('a'), bad, 1)).toThrow('leave nothing to train on')
  })
})

describe('placeMade', () => {
  const real = [
    { id: 'a', family: 'f', sessions: ['1'], split: 'train' },
    { id: 'b', family: 'g', sessions: ['2'], split: 'val' },
    { id: 'c', family: 'h', sessions: ['3'], split: 'test' },
  ] as const
  const made = (id: string, fields: { family?: string; derivedFrom?: string; sessions?: string[] }) => ({
    family: id,
    sessions: [],
    ...fields,
    id,
  })

  it('trains on other occasions of a divided task, but on none of its held-out sessions', () => {
    const parts = [{ id: 'b-val', partOf: 'b', family: 'g', sessions: ['2'], split: 'val' }] as const
    const tasks = [made('b', { family: 'g', sessions: ['4'] }), made('seen', { sessions: ['2'] })]
    expect(placeMade(tasks, parts).train.map(({ id }) => id)).toEqual(['b'])
  })

  it('puts derived tasks into train unless related to held-out tasks', () => {
    const tasks = [
      made('of-a', { derivedFrom: 'a' }),
      made('of-b', { derivedFrom: 'b' }),
      made('like-c', { family: 'h' }),
      made('said-with-c', { sessions: ['1', '3'] }),
      made('elsewhere', { sessions: ['9'] }),
    ]
    const { train, leftOut } = placeMade(tasks, real)
    expect(train.map(({ id }) => id)).toEqual(['of-a', 'elsewhere'])
    expect(leftOut.map(({ id }) => id)).toEqual(['of-b', 'like-c', 'said-with-c'])
  })
})
