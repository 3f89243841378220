import { describe, expect, it } from 'vitest'
import { divideTasks, type SplitTask } from './splits.js'

const real = (id: string, cluster = `c-${id}`, sessions = [`s-${id}`]): SplitTask => ({
  id,
  cluster,
  sessions,
  origin: 'real',
})
const many = (count: number): SplitTask[] => Array.from({ length: count }, (_, index) => real(`t${index}`))
const ids = (tasks: readonly SplitTask[]) => tasks.map(({ id }) => id).sort()

describe('divideTasks', () => {
  it('honours the fractions where every task is alone', () => {
    const { train, val, test } = divideTasks(many(50), { val: 0.3, test: 0.2 }, 42)
    expect([train.length, val.length, test.length]).toEqual([25, 15, 10])
  })

  it('keeps a cluster and a session together, also over others', () => {
    for (let seed = 0; seed < 30; seed += 1) {
      const linked = [real('a', 'x', ['1']), real('b', 'x', ['2']), real('c', 'y', ['2'])]
      const divided = divideTasks([...linked, ...many(12)], { val: 0.4, test: 0.2 }, seed)
      const places = (['train', 'val', 'test'] as const).filter(name =>
        divided[name].some(({ id }) => ['a', 'b', 'c'].includes(id)),
      )
      expect(places).toHaveLength(1)
    }
  })

  it('comes as near as groups allow', () => {
    // Groups of 6, 4, 3 and 1: for 5 of 14, 4 + 1 is exact.
    const tasks = [6, 4, 3, 1].flatMap((size, group) =>
      Array.from({ length: size }, (_, index) => real(`${group}-${index}`, `g${group}`)),
    )
    expect(divideTasks(tasks, { val: 5 / 14, test: 0 }, 1).val).toHaveLength(5)
  })

  it('is decided by the seed and not by the order', () => {
    const tasks = many(20)
    const first = divideTasks(tasks, { val: 0.34, test: 0 }, 7)
    const turned = divideTasks(tasks.toReversed(), { val: 0.34, test: 0 }, 7)
    expect(ids(turned.val)).toEqual(ids(first.val))
    expect(ids(divideTasks(tasks, { val: 0.34, test: 0 }, 8).val)).not.toEqual(ids(first.val))
  })

  it.each([
    [0, [0, 0, 0]],
    [1, [1, 0, 0]],
    [2, [1, 1, 0]],
    [3, [1, 1, 1]],
  ])('with %i groups fills train, then val, then test', (count, sizes) => {
    const { train, val, test } = divideTasks(many(count), { val: 0.3, test: 0.1 }, 3)
    expect([train.length, val.length, test.length]).toEqual(sizes)
  })

  it('draws no test where none is wanted', () => {
    expect(divideTasks(many(9), { val: 0.3, test: 0 }, 3).test).toEqual([])
  })

  it('lets made tasks only teach, and leaves out those that give held-out ones away', () => {
    const tasks = many(10)
    const dreams = tasks.map(
      ({ id, cluster }): SplitTask => ({
        id: `dream-${id}`,
        cluster,
        sessions: [],
        origin: 'dream',
        derivedFrom: id,
      }),
    )
    const recalled: SplitTask = { id: 'old', cluster: 'old', sessions: ['long ago'], origin: 'recalled' }
    const { train, val, test, leftOut } = divideTasks(
      [...tasks, ...dreams, recalled],
      { val: 0.3, test: 0.2 },
      5,
    )
    expect([...val, ...test].every(({ origin }) => origin === 'real')).toBe(true)
    expect(ids(leftOut)).toEqual(ids([...val, ...test]).map(id => `dream-${id}`))
    expect(ids(train)).toContain('old')
    expect(train).toHaveLength(5 + 5 + 1)
  })

  it('leaves out a recalled task of a session that is held out', () => {
    const tasks = many(3)
    const [held] = divideTasks(tasks, { val: 0.4, test: 0 }, 1).val
    const recalled: SplitTask = { id: 'r', cluster: 'r', sessions: held?.sessions ?? [], origin: 'recalled' }
    expect(ids(divideTasks([...tasks, recalled], { val: 0.4, test: 0 }, 1).leftOut)).toEqual(['r'])
  })

  it.each([
    { val: 0.6, test: 0.4 },
    { val: -0.1, test: 0 },
    { val: Number.NaN, test: 0 },
    { val: 1, test: 0 },
  ])('refuses $val and $test', fractions => {
    expect(() => divideTasks(many(3), fractions, 1)).toThrow('leave nothing to train on')
  })
})
