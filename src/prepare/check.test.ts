import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { acceptanceChance, visibleGain } from '../core/statistics/power.js'
import { checkTasks } from './check.js'
import { advisedCounts, fewestTasks, missingTasks, sightSentences, suggestedRatio } from './how-many.js'
import type { PreparedTask } from './task.js'

const task = (id: string, question: string, answer: string | undefined, type?: string): PreparedTask => ({
  id,
  question,
  answer,
  type,
  fields: {},
  at: id,
})
/** Enough distinct tasks to avoid findings about their number. */
const plenty = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const number = from + index
    return task(
      `t${number}`,
      `Question number ${number}: what comes of ${number * 7919}?`,
      `result ${number * 31}`,
    )
  })
const splits = { train: plenty(0, 40), val: plenty(1000, 50), test: plenty(2000, 100) }
const findings = (change: Partial<typeof splits>) => checkTasks({ ...splits, ...change }).findings
const texts = (change: Partial<typeof splits>) =>
  findings(change).map(({ level, text }) => `${level}: ${text}`)

describe('checkTasks', () => {
  it('has nothing to say about good tasks', () => {
    const report = checkTasks(splits)
    expect(report).toMatchObject({ counts: { train: 40, val: 50, test: 100 }, findings: [], types: [] })
    expect(report.labels).toBeUndefined()
    expect(report.sight.visibleGain).toBe(visibleGain(100))
    expect(report.sight.accepts.fiveBetter).toBe(acceptanceChance(50, 0.7, 0.75))
  })

  it('finds ids that repeat', () => {
    const val = [...splits.val, task('t0', 'Something else altogether?', 'another result')]
    expect(findings({ val })).toEqual([expect.objectContaining({ level: 'problem', tasks: ['t0'] })])
  })

  it('reports duplicates across splits as a problem and near-duplicates as a warning', () => {
    const question = 'Which of the harbours in the north of the island does the night ferry leave from'
    const one = task('one', question, 'Thorshavn')
    const train = [...splits.train, one]
    expect(findings({ train, test: [...splits.test, { ...one, id: 'two' }] })).toEqual([
      expect.objectContaining({ level: 'problem', tasks: ['one = two'] }),
    ])
    expect(texts({ train, test: [...splits.test, { ...one, id: 'two', answer: 'Klaksvik' }] })).toEqual([
      expect.stringMatching(/^problem: 1 task repeated in another split/),
      'warning: 1 question with different answers',
    ])
    expect(
      texts({ train, test: [...splits.test, { ...one, id: 'two', question: `${question}, please?` }] }),
    ).toEqual(['warning: 1 near-duplicate in another split'])
  })

  it('finds repeats within a split', () => {
    const question = 'Which of the harbours in the north of the island does the night ferry leave from'
    const [one, two] = [task('one', question, 'Thorshavn'), task('two', question, 'Thorshavn')]
    const near = task('three', `${question}?!`, 'Thorshavn')
    expect(texts({ train: [...splits.train, one, two, near] })).toEqual([
      'warning: 1 exact duplicate',
      'warning: 1 near-duplicate',
    ])
  })

  it('warns about answers in the question, and only notes it when all tasks have them', () => {
    const leak = task('leak', 'Who wrote it? (Hint: Selma Lagerlöf.)', 'Selma Lagerlöf')
    expect(texts({ train: [...splits.train, leak] })).toEqual([
      'warning: 1 task with the answer in the question',
    ])
    const inText = (tasks: readonly PreparedTask[]) =>
      tasks.map(one => ({ ...one, question: `${one.question} It says: ${one.answer}.` }))
    const all = { train: inText(splits.train), val: inText(splits.val), test: inText(splits.test) }
    expect(texts(all)).toEqual(['note: 190 tasks with the answer in the question'])
  })

  it('counts answers and types, and warns where one answer is nearly all', () => {
    const labelled = (yes: number) => (one: PreparedTask, index: number) => ({
      ...one,
      answer: index % 100 < yes ? 'yes' : 'no',
      type: index % 2 === 0 ? 'even' : 'odd',
    })
    const mostly = checkTasks({ train: splits.train, val: splits.val, test: splits.test.map(labelled(90)) })
    expect(mostly.labels).toBeUndefined()
    const set = (yes: number) => ({
      train: plenty(0, 100).map(labelled(yes)),
      val: plenty(1000, 100).map(labelled(yes)),
      test: plenty(2000, 100).map(labelled(yes)),
    })
    const report = checkTasks(set(90))
    expect(report.labels).toEqual([
      { label: 'yes', count: 270 },
      { label: 'no', count: 30 },
    ])
    expect(report.types).toEqual([
      { label: 'even', count: 150 },
      { label: 'odd', count: 150 },
    ])
    expect(report.findings[0]?.text).toContain('90% of the answers are "yes"')
    expect(checkTasks(set(50)).findings).toEqual([])
    expect(checkTasks(set(100)).findings[0]?.text).toContain('every task has the same answer')
  })

  it('says when there are too few, and what is missing', () => {
    const few = { train: plenty(0, 10), val: plenty(1000, 5), test: plenty(2000, 5) }
    expect(texts(few)).toEqual([expect.stringMatching(/^warning: only 20 tasks: below 30/)])
    expect(texts({ val: plenty(1000, 20) })).toEqual(['note: better: 50 validation tasks (now 20)'])
  })
})

describe('how many', () => {
  const page = readFileSync(new URL('../../docs/how-many-tasks.md', import.meta.url), 'utf8')

  it('says what docs/how-many-tasks.md says', () => {
    const { train, val, test } = advisedCounts
    expect(page.replace(/\s+/g, ' ')).toContain(
      `${val} or more validation tasks, ${test} or more test tasks, and as many training tasks as you can get beyond ${train}`,
    )
    expect(page).toContain(`| under ${fewestTasks} |`)
    expect(page).toContain(`| 100 to 500 | \`ratio: "${suggestedRatio(100)}"\``)
    expect(suggestedRatio(500)).toBe(suggestedRatio(100))
    expect(page).toContain(`| more | \`ratio: "${suggestedRatio(501)}"\``)
    expect(suggestedRatio(99)).toBe('2:1:1')
  })

  it('puts figures into sentences', () => {
    expect(sightSentences({ val: 50, test: 150 })).toEqual([
      'with 50 validation tasks the gate accepts a +10-point edit 85% of the time, a +5-point edit 67%, and a −5-point edit 26%',
      '150 test tasks can only confirm gains of 10 points or more',
    ])
    expect(missingTasks(advisedCounts)).toBeUndefined()
    expect(missingTasks({ train: 40, val: 49, test: 0 })).toBe(
      '50 validation tasks (now 49), 100 test tasks (now 0)',
    )
  })
})
