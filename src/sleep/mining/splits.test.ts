import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseExamples, type FamilyMember, placeFamilies, placeMade } from './splits.js'

const fractions = { val: 0.34, test: 0.2 }
const alone = (...ids: readonly string[]) => ids.map(id => [{ id }])

describe('placeFamilies', () => {
  it('fills train with one family, val with two, test with three', () => {
    const splits = (...ids: readonly string[]) =>
      [...placeFamilies(alone(...ids), fractions, 1).values()].sort()
    expect(splits('a')).toEqual(['train'])
    expect(splits('a', 'b')).toEqual(['train', 'val'])
    expect(splits('a', 'b', 'c')).toEqual(['test', 'train', 'val'])
  })

  it('approximates the fractions', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `task-${index}`)
    const splits = [...placeFamilies(alone(...ids), fractions, 7).values()]
    const count = (split: string) => splits.filter(placed => placed === split).length
    expect([count('train'), count('val'), count('test')]).toEqual([23, 17, 10])
  })

  it('leaves val or test empty only if their fraction is zero', () => {
    const places = placeFamilies(alone('a', 'b', 'c', 'd'), { val: 0.5, test: 0 }, 1)
    expect([...places.values()].sort()).toEqual(['train', 'train', 'val', 'val'])
  })

  it('gives small families to val and test if one is large', () => {
    const large = Array.from({ length: 10 }, (_, index) => ({ id: `large-${index}` }))
    const places = placeFamilies([large, [{ id: 'b' }], [{ id: 'c' }]], fractions, 3)
    expect(places.get('large-3')).toBe('train')
    expect([places.get('b'), places.get('c')].sort()).toEqual(['test', 'val'])
  })

  it('never moves a placed task and puts related ones in the same split', () => {
    const places = placeFamilies(
      [[{ id: 'old', split: 'test' }, { id: 'new' }], [{ id: 'other', split: 'val' }]],
      fractions,
      1,
    )
    expect(Object.fromEntries(places)).toEqual({ old: 'test', new: 'test', other: 'val' })
  })

  it('holds back a task related to two splits until it no longer is', () => {
    const both: FamilyMember[] = [{ id: 'a', split: 'train' }, { id: 'b', split: 'val' }, { id: 'c' }]
    expect(placeFamilies([both], fractions, 1).get('c')).toBe('held-back')
    expect(placeFamilies([[{ id: 'c', split: 'held-back' }]], fractions, 1).get('c')).toBe('train')
  })

  it('does not depend on the order and keeps families whole', () => {
    const family = fc.array(fc.constantFrom(undefined, 'train', 'val', 'test', 'held-back'), {
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

const asked = (session: string, text: string) => ({ session, text })

describe('chooseExamples', () => {
  it('uses no session of another split and no wording twice', () => {
    const chosen = chooseExamples(
      [
        {
          id: 'a',
          split: 'train',
          taken: [],
          candidates: [asked('1', 'Write tests'), asked('2', 'write  tests'), asked('3', 'more tests')],
        },
        { id: 'b', split: 'val', taken: [], candidates: [asked('1', 'fix it'), asked('4', 'mend it')] },
      ],
      3,
    )
    // The task with fewer sessions chooses first.
    expect(chosen.get('b')?.map(({ session }) => session)).toEqual(['1', '4'])
    expect(chosen.get('a')?.map(({ session }) => session)).toEqual(['2', '3'])
  })

  it('keeps examples of earlier nights and adds up to the limit', () => {
    const chosen = chooseExamples(
      [
        {
          id: 'a',
          split: 'train',
          taken: [asked('1', 'one')],
          candidates: [asked('1', 'one'), asked('2', 'two'), asked('3', 'three')],
        },
        { id: 'b', split: 'test', taken: [asked('2', 'two')], candidates: [asked('3', 'x')] },
      ],
      2,
    )
    expect(chosen.get('b')?.map(({ session }) => session)).toEqual(['3'])
    expect(chosen.get('a')).toEqual([])
  })

  it('gives no examples to held-back tasks', () => {
    const search = { id: 'a', split: 'held-back', taken: [], candidates: [asked('1', 'x')] } as const
    expect(chooseExamples([search], 3).get('a')).toEqual([])
  })

  it('never uses a session in two splits', () => {
    const search = fc.record({
      split: fc.constantFrom('train', 'val', 'test', 'held-back'),
      sessions: fc.array(fc.nat(8), { maxLength: 8 }),
    })
    fc.assert(
      fc.property(fc.array(search, { maxLength: 10 }), fc.integer({ min: 1, max: 4 }), (given, most) => {
        const searches = given.map(({ split, sessions }, index) => ({
          id: String(index),
          split,
          taken: [],
          candidates: sessions.map((session, place) => asked(String(session), `${index} ${place}`)),
        }))
        const chosen = chooseExamples(searches, most)
        const users = new Map<string, string>()
        for (const { id, split } of searches) {
          const examples = chosen.get(id) ?? []
          expect(examples.length).toBeLessThanOrEqual(most)
          for (const { session } of examples) {
            expect(users.get(session) ?? split).toBe(split)
            users.set(session, split)
          }
        }
      }),
    )
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
