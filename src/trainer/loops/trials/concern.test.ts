import { describe, expect, it } from 'vitest'
import type { RecordedEdit } from '../../../core/log/event.js'
import { classifiedTasks, createConcern, editWords, sameType, statedWords, supportTasks } from './concern.js'
import { createWordIndex } from './word-index.js'

const tasks = [
  { id: '1', type: 'mail', text: 'Write a letter about an invoice for the customer.' },
  { id: '2', type: 'mail', text: 'Write a letter about invoices, with a discount.' },
  { id: '3', type: 'sums', text: 'Which percentage of the parcels was late?' },
  { id: '4', type: 'sums', text: 'How many parcels were there in all?' },
  { id: '5', type: 'sums', text: 'How many bills were paid?' },
]
const words = createWordIndex(tasks)
const concern = createConcern(tasks, words)

const proposal = (support: string[], said: { content?: string; cause?: string; condition?: string } = {}) =>
  ({
    op: 'append',
    content: '- Be exact.',
    id: 'e',
    why: '',
    support: 1,
    from: 'failure',
    tasks: support,
    ...said,
  }) satisfies RecordedEdit

const ids = (found: ReadonlySet<string> | undefined) => [...(found ?? [])]

describe('a source', () => {
  it('matches the words of cause and condition, and counts the support tasks that share them', () => {
    const found = statedWords(words, proposal(['1', '5'], { cause: 'invoice number', content: 'parcels' }))
    expect(ids(found.near)).toEqual(['1', '2'])
    expect(found).toMatchObject({ shared: 1, support: 2, isAtHome: false, isUseful: true })
  })

  it('matches the words of the edit itself', () => {
    const edit = proposal(['1'], { content: '- Count the parcels.', cause: 'x', condition: 'y' })
    expect(ids(editWords(words, edit).near)).toEqual(['3', '4'])
  })

  it('returns the other tasks of the type, or the support tasks', () => {
    expect(ids(sameType(tasks, proposal(['3'])))).toEqual(['4', '5'])
    expect(ids(supportTasks(tasks, proposal(['3', 'unknown'])))).toEqual(['3'])
  })
})

describe('a classification', () => {
  const named = (...list: string[]) => new Set(list)

  it.each([
    ['holds a task behind the edit', ['1'], named('1', '5'), ['1', '5']],
    ['holds half of the tasks behind it', ['1', '3'], named('1', '5'), ['1', '5']],
    ['holds tasks that do not exist', ['1'], named('1', '5', '99'), ['1', '5']],
    ['leaves out most tasks behind it', ['1', '2', '3'], named('1', '5'), []],
    ['names nothing else', ['1'], named('1'), []],
    ['names nothing', ['1'], named(), []],
  ])('that %s', (_, support, list, expected) => {
    expect(ids(classifiedTasks(tasks, proposal(support), list))).toEqual(expected)
  })

  it('overrides word matching if it is credible, and yields to it otherwise', () => {
    const edit = proposal(['1'], { cause: 'invoice number' })
    expect(ids(concern(edit, named('1', '2', '5')))).toEqual(['1', '2', '5'])
    for (const wrong of [named('4', '5'), named('99'), named()])
      expect(ids(concern(edit, wrong))).toEqual(['1', '2'])
  })
})

describe('without a classification', () => {
  it.each([
    ['cause and condition', proposal(['1'], { cause: 'the invoice', content: '- parcels' }), ['1', '2']],
    [
      'the edit, where the tasks behind it do not share those of the cause',
      proposal(['5'], { cause: 'the invoice', content: '- Count what was paid late.' }),
      ['3', '5'],
    ],
  ])('words of %s decide', (_, edit, expected) => {
    expect(ids(concern(edit))).toEqual(expected)
  })

  it('falls back to types if no word is shared, and to all tasks without types', () => {
    expect(ids(concern(proposal(['3'])))).toEqual(['4', '5'])
    expect(ids(concern(proposal([])))).toHaveLength(tasks.length)
  })
})
