import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../test/support/time-limit.js'
import { findDuplicates } from './duplicates.js'
import { findSimilar, wordsOf } from './similar.js'
import type { PreparedTask } from './task.js'

const task = (id: string, question: string, answer?: string): PreparedTask => ({
  id,
  question,
  answer,
  type: undefined,
  fields: {},
  at: id,
})

const ids = (tasks: readonly PreparedTask[]) =>
  findSimilar(tasks).groups.map(group => group.map(at => tasks[at]?.id))

/** Dissimilar tasks, so that rare words stay rare. */
const others = [
  'Name the longest river of Portugal and the town at its mouth.',
  'How do I reset the thermostat after a power cut?',
  'Summarise the minutes of the committee in three sentences.',
  'Which colour results when yellow paint is mixed with blue?',
].map((question, index) => task(`other-${index}`, question, `answer ${index}`))

describe('findSimilar', () => {
  it('finds tasks that differ in a sign, a case or a word', () => {
    const tasks = [
      ...others,
      task('a', 'The courier lost the red umbrella which I ordered for my aunt in Lisbon', 'shipping'),
      task('b', 'the courier LOST the red umbrella, which I ordered for my aunt in Lisbon!', 'shipping'),
      task('c', 'The courier lost the red umbrella which I ordered for my dear aunt in Lisbon', 'shipping'),
    ]
    expect(ids(tasks)).toEqual([['a', 'b', 'c']])
  })

  it('distinguishes tasks of one template by their rare words', () => {
    const words = ['cat', 'dog', 'horse', 'mouse', 'goat', 'duck', 'sheep', 'goose']
    const tasks = words.map(word =>
      task(word, `Translate the following word into German and give its article as well, please: ${word}`),
    )
    expect(ids(tasks)).toEqual([])
  })

  it('treats tasks with different numbers or short answers as different', () => {
    const question = (weight: string) =>
      `A parcel of 20 x 30 x 40 cm weighs ${weight} kg: what does it cost by ship?`
    expect(ids([...others, task('a', question('7.5')), task('b', question('7.6'))])).toEqual([])
    expect(ids([...others, task('a', question('7.5')), task('b', `${question('7.5')} `)])).toEqual([
      ['a', 'b'],
    ])
    const yes = task('yes', 'Is the red umbrella that lies in the hall of the museum for sale?', 'yes')
    const no = task('no', 'Is the red umbrella which lies in the hall of the museum for sale?', 'no')
    expect(ids([...others, yes, no])).toEqual([])
  })

  it('does not compare long answers, which two people word differently', () => {
    const question = 'Explain to a customer why the red umbrella cannot be sent to Lisbon this week'
    const [left, right] = [
      'It is out of stock, and the ship has left.',
      'We have none, and the boat sailed yesterday.',
    ]
    expect(ids([...others, task('a', question, left), task('b', `Please ${question}`, right)])).toEqual([
      ['a', 'b'],
    ])
  })

  it('keeps the same question together even where the answers contradict each other', () => {
    expect(ids([...others, task('a', 'Is it?', 'yes'), task('b', 'is  IT?', 'no')])).toEqual([['a', 'b']])
  })

  it('reads scripts without spaces', () => {
    expect(wordsOf('東京タワー 12.5')).toEqual(['東', '京', 'タ', 'ワ', 'ー', '12.5'])
    expect(
      ids([...others, task('a', '東京の天気を教えてください'), task('b', '東京の天気を教えてください。')]),
    ).toEqual([['a', 'b']])
  })

  it('takes 5,000 tasks in seconds, alike or not', { timeout: timeLimit(15_000) }, () => {
    const numbers = Array.from({ length: 5000 }, (_, index) => index)
    const template = numbers.map(index =>
      task(
        `t${index}`,
        `A parcel of ${index} x ${index % 90} cm goes to station ${index % 77}: what does it cost?`,
      ),
    )
    expect(ids(template)).toEqual([])
    const equal = numbers.map(index => task(`e${index}`, `The same question ${'!'.repeat(index % 7)}`, 'yes'))
    expect(ids(equal)[0]).toHaveLength(5000)
  })
})

describe('findDuplicates', () => {
  it('tells repeats, near repeats and contradictions apart, and compares with those that stay', () => {
    const umbrella = 'The courier lost the red umbrella which I ordered for my aunt in Lisbon'
    const { exact, near, conflicts } = findDuplicates([
      ...others,
      task('a', umbrella, 'shipping'),
      task('b', `  ${umbrella.toUpperCase()}`, 'Shipping'),
      task('c', `${umbrella}!`, 'shipping'),
      task('d', 'Is it raining?', 'yes'),
      task('e', 'Is it raining?', 'no'),
    ])
    expect(exact.map(({ task, of }) => [task.id, of.id])).toEqual([['b', 'a']])
    expect(near.map(({ task, of }) => [task.id, of.id])).toEqual([['c', 'a']])
    expect(conflicts.map(group => group.map(({ id }) => id))).toEqual([['d', 'e']])
  })

  it('finds nothing where there is nothing', () => {
    expect(findDuplicates(others)).toEqual({ exact: [], near: [], conflicts: [] })
    expect(findDuplicates([])).toEqual({ exact: [], near: [], conflicts: [] })
  })
})
