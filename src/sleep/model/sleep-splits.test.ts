import { describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { splitProblems } from './sleep-splits.js'
import type { SleepTask } from './sleep-task.js'

const problems = (...tasks: SleepTask[]) =>
  splitProblems(tasks).map(({ task, key, text }) => [task.id, key, text])

describe('splitProblems', () => {
  it('finds none if every session and family is in one split', () => {
    const shared = { family: 'f', examples: [{ session: 's' }] }
    expect(
      problems(sleepTask('a', shared), sleepTask('b', shared), sleepTask('c', { split: 'val' })),
    ).toEqual([])
  })

  it('names each task whose session or family is also in another split', () => {
    const twice = [{ session: 's' }, { session: 's' }]
    const found = problems(
      sleepTask('a', { family: 'f', examples: [{ session: 's' }] }),
      sleepTask('b', { family: 'f', split: 'test', examples: twice }),
    )
    expect(found).toEqual([
      ['b', 'family', 'its family "f" is in test, and with task "a" in train'],
      ['b', 'examples', 'its session "s" is in test, and with task "a" in train'],
      ['b', 'examples', 'its session "s" is in test, and with task "a" in train'],
    ])
  })

  it('lets the occasions of a divided task be in several splits, and a session in one', () => {
    const occasions = [
      { session: 's', split: 'train' },
      { session: 't', split: 'val' },
    ] as const
    const divided = { split: 'divided', family: 'f', examples: occasions } as const
    expect(problems(sleepTask('a', divided), sleepTask('b', divided))).toEqual([])
    const swapped = [{ session: 's', split: 'val' }] as const
    expect(problems(sleepTask('a', divided), sleepTask('c', { ...divided, examples: swapped }))).toEqual([
      ['c', 'examples', 'its session "s" is in val, and with task "a" in train'],
    ])
    expect(problems(sleepTask('a', { split: 'divided', examples: [{}] })).map(([, key]) => key)).toContain(
      'examples',
    )
    expect(problems(sleepTask('a', divided), sleepTask('d', { family: 'f', split: 'test' }))).toEqual([
      ['d', 'family', 'its family "f" is in test, and with task "a" in divided'],
    ])
  })

  it.each(['dream', 'recalled'] as const)('lets nothing that is %s measure', origin => {
    expect(problems(sleepTask('a', { origin }))).toEqual([])
    expect(problems(sleepTask('a', { origin, split: 'val' }))).toEqual([
      ['a', 'split', `it is ${origin}, and in val: only what was asked may measure`],
    ])
  })

  it('reports train tasks derived from a held-out task', () => {
    const held = sleepTask('a', { split: 'test' })
    const dream = sleepTask('b', { origin: 'dream', derivedFrom: 'a' })
    expect(problems(held, dream)).toEqual([
      ['b', 'derivedFrom', 'it was made of task "a", which is in test, and is in train'],
    ])
    expect(problems(sleepTask('a'), dream)).toEqual([])
    expect(problems(dream)).toEqual([])
  })

  it('ignores held-back tasks', () => {
    const session = { examples: [{ session: 's' }] }
    expect(problems(sleepTask('a', session), sleepTask('b', { ...session, split: 'held-back' }))).toEqual([])
  })
})
