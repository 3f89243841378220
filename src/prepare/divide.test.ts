import { describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import { splitCounts } from '../core/statistics/random.js'
import { divideTasks, wantedCounts } from './divide.js'
import type { PreparedTask } from './task.js'

const task = (
  number: number,
  type?: string,
  question = `Unlike the others, number ${number}?`,
): PreparedTask => ({
  id: `t${number}`,
  question,
  answer: `answer ${number}`,
  type,
  fields: {},
  at: `line ${number}`,
})
const many = (count: number, typeOf: (number: number) => string | undefined = () => undefined) =>
  Array.from({ length: count }, (_, number) => task(number, typeOf(number)))
const idsOf = (tasks: readonly PreparedTask[]) => tasks.map(({ id }) => id)

describe('divideTasks', () => {
  it('puts every task into one split, in the order of the source, and the same for the same seed', () => {
    const tasks = many(50)
    const { train, val, test, unused } = divideTasks(tasks, splitCounts(50, '2:1:7'), 42)
    expect([train.length, val.length, test.length, unused.length]).toEqual([10, 5, 35, 0])
    expect([...train, ...val, ...test].map(({ id }) => id).sort()).toEqual(idsOf(tasks).sort())
    const place = new Map(tasks.map(({ id }, index) => [id, index]))
    const places = train.map(({ id }) => place.get(id) ?? -1)
    expect(places).toEqual([...places].sort((left, right) => left - right))
    expect(idsOf(divideTasks(tasks, splitCounts(50, '2:1:7'), 42).train)).toEqual(idsOf(train))
    expect(idsOf(divideTasks(tasks, splitCounts(50, '2:1:7'), 43).train)).not.toEqual(idsOf(train))
  })

  it('gives each type its share in every split', () => {
    const tasks = many(120, number => (number % 6 === 0 ? 'rare' : number % 2 === 0 ? 'even' : 'odd'))
    const division = divideTasks(tasks, splitCounts(120, '4:2:4'), 1)
    for (const [type, total] of Object.entries({ rare: 20, even: 40, odd: 60 })) {
      for (const [split, share] of Object.entries({ train: 0.4, val: 0.2, test: 0.4 })) {
        const held = division[split as 'train'].filter(held => held.type === type).length
        expect(Math.abs(held - share * total), `${type} in ${split}`).toBeLessThanOrEqual(1)
      }
    }
  })

  it('gives each of a few answers its share, where there are no types', () => {
    const tasks = many(60).map((one, index) => ({ ...one, answer: index % 3 === 0 ? 'yes' : 'no' }))
    const { val } = divideTasks(tasks, splitCounts(60, '1:1:1'), 7)
    expect(Math.abs(val.filter(({ answer }) => answer === 'yes').length - 20 / 3)).toBeLessThanOrEqual(1)
  })

  it('keeps near-duplicates on one side, whatever the seed', () => {
    const twin = (number: number, sign: string) =>
      task(
        number,
        undefined,
        `Which harbour does the ferry number ${number % 50} leave from on Sundays${sign}`,
      )
    const tasks = Array.from({ length: 100 }, (_, number) => ({
      ...twin(number, number < 50 ? '?' : ' ?!'),
      answer: `answer ${number % 50}`,
    }))
    for (let seed = 1; seed <= 20; seed++) {
      const { train, val, test } = divideTasks(tasks, splitCounts(100, '2:1:1'), seed)
      const sideOf = new Map([train, val, test].flatMap((side, index) => side.map(({ id }) => [id, index])))
      for (let number = 0; number < 50; number++)
        expect(sideOf.get(`t${number}`)).toBe(sideOf.get(`t${number + 50}`))
      expect(train.length).toBeCloseTo(50, -1)
    }
  })

  it('leaves out what is beyond --counts', () => {
    const { train, val, test, unused } = divideTasks(many(30), { train: 10, val: 5, test: 5 }, 42)
    expect([train, val, test, unused].map(({ length }) => length)).toEqual([10, 5, 5, 10])
  })

  it('refuses when so many are the same that a split would be empty', () => {
    const same = many(4).map(one => ({ ...one, question: 'Always the same question?', answer: 'yes' }))
    expect(() => divideTasks(same, { train: 2, val: 1, test: 1 }, 42)).toThrow(/near-duplicates/)
  })
})

describe('wantedCounts', () => {
  it('takes ratios and counts', () => {
    expect(wantedCounts(10, { ratio: '2:1:7' })).toEqual({ train: 2, val: 1, test: 7 })
    expect(wantedCounts(10, { ratio: '2:1:7', counts: '3:2:4' })).toEqual({ train: 3, val: 2, test: 4 })
  })

  it.each([
    [{ ratio: '2:1:7', counts: '9:9:9' }, /needs 27 tasks, but there are 10/],
    [{ ratio: '1:1:0' }, /leaves none for "test"/],
    [{ ratio: '2:1:7', counts: '5:0:5' }, /leaves none for "val"/],
    [{ ratio: '2:1:7', counts: '5:5' }, /Invalid --counts/],
    [{ ratio: '2:1:7', counts: '5:a:5' }, /Invalid --counts/],
    [{ ratio: '2:1' }, /not a split ratio/],
  ])('refuses %o', (given, message) => {
    expect(() => wantedCounts(10, given)).toThrow(InputError)
    expect(() => wantedCounts(10, given)).toThrow(message)
  })
})
