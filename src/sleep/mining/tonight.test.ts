import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { splitProblems } from '../model/sleep-splits.js'
import { taskSplits } from '../model/sleep-task.js'
import { chooseTonight } from './tonight.js'

const rubric = ['It is right.']
const task = (
  id: string,
  lastAt: string | undefined,
  {
    reworked = 0,
    ...given
  }: Omit<NonNullable<Parameters<typeof sleepTask>[1]>, 'evidence'> & { reworked?: number } = {},
) => {
  const made = sleepTask(id, { rubric, ...given, evidence: { reworked } })
  const { lastAt: _, ...evidence } = made.evidence
  return { ...made, evidence: { ...evidence, ...(lastAt === undefined ? {} : { lastAt }) } }
}
const options = { nightTasks: 40, recall: 0, seed: 1 }
const ids = (tasks: readonly { readonly id: string }[]) => tasks.map(({ id }) => id)

describe('chooseTonight', () => {
  it('trains on the most recent tasks; within a day, on reworked ones first', async () => {
    const tasks = [
      task('undated', undefined),
      task('old', '2026-10-01T08:00:00Z', { reworked: 9 }),
      task('evening', '2026-10-07T20:00:00Z'),
      task('reworked', '2026-10-07T06:00:00Z', { reworked: 1 }),
      task('elsewhere', '2026-10-07T23:30:00-02:00'),
    ]
    const order = ['elsewhere', 'reworked', 'evening', 'old', 'undated']
    expect(ids((await chooseTonight(tasks, options)).train)).toEqual(order)
    expect(ids((await chooseTonight(tasks.toReversed(), { ...options, nightTasks: 2 })).train)).toEqual(
      order.slice(0, 2),
    )
  })

  it('breaks ties by the seed', async () => {
    const tasks = Array.from({ length: 12 }, (_, index) => task(`t${index}`, '2026-10-07T20:00:00Z'))
    const first = async (seed: number) => ids((await chooseTonight(tasks, { ...options, seed })).train)
    expect(await first(1)).toEqual(await first(1))
    expect(await first(1)).not.toEqual(await first(2))
    const turned = await chooseTonight(tasks.toReversed(), options)
    expect(ids(turned.train)).toEqual(await first(1))
  })

  it('measures with all scorable held-out tasks, however few train tasks there are', async () => {
    const at = '2026-10-07T20:00:00Z'
    const tasks = [
      task('a', at),
      task('b', at, { rubric: [], checks: [{ op: 'max_chars', arg: 100 }] }),
      task('v1', at, { split: 'val' }),
      task('v2', undefined, { split: 'val' }),
      task('v3', at, { split: 'val', rubric: [] }),
      task('t1', at, { split: 'test' }),
      task('near', at, { split: 'held-back' }),
      task('unscored', at, { rubric: [] }),
    ]
    const { train, val, test, unscored, recalled } = await chooseTonight(tasks, { ...options, nightTasks: 1 })
    expect(train).toHaveLength(1)
    expect([ids(val), ids(test), ids(unscored), recalled]).toEqual([
      ['v1', 'v2'],
      ['t1'],
      ['v3', 'unscored'],
      [],
    ])
  })

  it('takes only tasks of a skill if one is given', async () => {
    const at = '2026-10-07T20:00:00Z'
    const tasks = [
      task('a', at, { skill: 'notes' }),
      task('b', at),
      task('v', at, { split: 'val', skill: 'notes' }),
    ]
    const { train, val } = await chooseTonight(tasks, { ...options, skill: 'notes' })
    expect([ids(train), ids(val)]).toEqual([['a'], ['v']])
  })
})

describe('recall', () => {
  const recalling = { nightTasks: 1, recall: 5, seed: 1 }
  const about = (id: string, at: string, text: string, given: Parameters<typeof task>[2] = {}) =>
    task(id, at, { intent: text, examples: [{ text, session: `s-${id}` }], ...given })
  const tonight = about('notes', '2026-10-07T20:00:00Z', 'Write the release notes for version 2.')

  it('returns only older tasks similar to tonight’s, most similar first', async () => {
    const tasks = [
      about('letter', '2026-09-01T20:00:00Z', 'Write a letter about the release to customers.'),
      about('soup', '2026-09-02T20:00:00Z', 'Cook a soup for six people.'),
      about('older-notes', '2026-08-01T20:00:00Z', 'Release notes of version 1, please write them.'),
      tonight,
    ]
    const { train, recalled } = await chooseTonight(tasks, recalling)
    expect(ids(train)).toEqual(['notes'])
    expect(recalled.map(({ id, origin, split }) => [id, origin, split])).toEqual([
      ['older-notes', 'recalled', 'train'],
      ['letter', 'recalled', 'train'],
    ])
    expect(ids((await chooseTonight(tasks, { ...recalling, recall: 1 })).recalled)).toEqual(['older-notes'])
    expect((await chooseTonight(tasks, { ...recalling, recall: 0 })).recalled).toEqual([])
  })

  it.each<[string, { text: string; family: string; session?: string }]>([
    ['in words', { text: 'Write the release notes, as for the app.', family: 'f1' }],
    ['by its family', { text: 'Feed the goldfish.', family: 'older-notes' }],
    ['by its session', { text: 'Feed the goldfish.', family: 'f1', session: 's-older-notes' }],
  ])(
    'leaves out what is near to a task that measures, %s',
    async (_how, { text, family, session = 's-v' }) => {
      const older = about(
        'older-notes',
        '2026-08-01T20:00:00Z',
        'Release notes of version 1, please write them.',
      )
      const held = (name: string, where: string, words: string) =>
        about('v', '2026-10-07T20:00:00Z', words, {
          split: 'val',
          family: name,
          intent: words,
          examples: [{ text: words, session: where }],
        })
      const free = await chooseTonight([tonight, older, held('f1', 's-v', 'Feed the goldfish.')], recalling)
      expect(ids(free.recalled)).toEqual(['older-notes'])
      const near = await chooseTonight([tonight, older, held(family, session, text)], recalling)
      expect(near.recalled).toEqual([])
    },
  )

  it('respects held-out tasks of other skills too', async () => {
    const skill = 'notes'
    const older = about('older', '2026-08-01T20:00:00Z', 'Release notes of version 1.', { skill })
    const held = about('v', '2026-10-07T20:00:00Z', 'Release notes of the app.', { split: 'val' })
    const { recalled } = await chooseTonight([{ ...tonight, skill }, older, held], { ...recalling, skill })
    expect(recalled).toEqual([])
  })

  it('never leaks between splits', async () => {
    const words = ['release', 'notes', 'test', 'module', 'commit', 'soup', 'letter']
    const anyTask = fc.record({
      split: fc.constantFrom(...taskSplits),
      text: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
      day: fc.integer({ min: 1, max: 28 }),
      isScored: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyTask, { maxLength: 12 }), fc.nat({ max: 5 }), async (given, recall) => {
        const tasks = given.map(({ split, text, day, isScored }, index) => {
          const at = `2026-09-${String(day).padStart(2, '0')}T08:00:00Z`
          return about(`t${index}`, at, text.join(' '), { split, ...(isScored ? {} : { rubric: [] }) })
        })
        const { train, val, test, recalled } = await chooseTonight(tasks, { nightTasks: 3, recall, seed: 1 })
        const all = [...train, ...recalled, ...val, ...test]
        expect(new Set(ids(all)).size).toBe(all.length)
        expect(recalled.length).toBeLessThanOrEqual(recall)
        expect(recalled.every(({ split, origin }) => split === 'train' && origin === 'recalled')).toBe(true)
        expect(splitProblems(all)).toEqual([])
      }),
      { numRuns: 50 },
    )
  })
})
