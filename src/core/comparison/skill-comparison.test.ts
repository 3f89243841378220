import { describe, expect, it } from 'vitest'
import { pairedDifference } from '../statistics/intervals.js'
import type { Row } from '../task/task.js'
import { comparePaired, compareSkills, meanRows } from './skill-comparison.js'
import { comparisonSentences, shortNames } from './skill-comparison-text.js'

const hard = ({ hard }: { hard: number; soft: number }) => hard

/** `1` solved, `0` not solved, `-` external failure; one character per task, one string per sample. */
function rows(...samples: string[]): Row[] {
  return samples.flatMap((text, sample) =>
    [...text].map((mark, index) => ({
      task: `t${index}`,
      type: index % 2 === 0 ? 'even' : 'odd',
      sample,
      ...(mark === '-' ? {} : { hard: Number(mark), soft: Number(mark) }),
    })),
  )
}

describe('comparePaired', () => {
  it('counts tasks won, lost and tied, and differs by their mean', () => {
    const { difference, ...counts } = comparePaired(rows('11010'), rows('10001'), { score: hard })
    expect(counts).toEqual({ tasks: 5, better: 2, worse: 1 })
    expect(difference.mean).toBeCloseTo(0.2)
    expect(difference.low).toBeLessThan(0)
    expect(difference.high).toBeGreaterThan(0.2)
  })

  it('leaves a task out that has no score on one side, rather than counting it as lost', () => {
    const { tasks, better, worse, difference } = comparePaired(rows('1-11'), rows('11-0'), { score: hard })
    expect({ tasks, better, worse }).toEqual({ tasks: 2, better: 1, worse: 0 })
    expect(difference.mean).toBe(0.5)
  })

  it('says nothing about no tasks', () => {
    expect(comparePaired(rows('--'), rows('11'), { score: hard })).toEqual({
      tasks: 0,
      better: 0,
      worse: 0,
      difference: { mean: 0, low: -1, high: 1 },
    })
  })

  it('compares sample with sample, and lets a task weigh the same however often it was tried', () => {
    // t0: a failed sample on one side removes its counterpart from the pair, which leaves 1 against 1.
    const { tasks, better, worse, difference } = comparePaired(rows('10', '-1'), rows('10', '00'), {
      score: hard,
    })
    expect({ tasks, better, worse }).toEqual({ tasks: 2, better: 1, worse: 0 })
    expect(difference.mean).toBeCloseTo(0.25)
  })

  it('ignores rounding from another summation order', () => {
    const thirds = (...scores: number[]) =>
      scores.map((value, sample) => ({ task: 't', type: '', sample, hard: value, soft: value }))
    expect(comparePaired(thirds(0.1, 0.2, 0.3), thirds(0.3, 0.2, 0.1), { score: hard })).toMatchObject({
      tasks: 1,
      better: 0,
      worse: 0,
    })
  })
})

describe('compareSkills', () => {
  const skills = [
    { name: 'a', rows: rows('0000-') },
    { name: 'b', rows: rows('1000-') },
    { name: 'c', rows: rows('11-0-') },
  ]

  it('has each skill against each one before it, with intervals that hold together', () => {
    const { pairs } = compareSkills(skills, hard)
    expect(pairs.map(({ which, against }) => `${which} ${against}`)).toEqual(['b a', 'c a', 'c b'])
    const [first] = pairs
    const alone = comparePaired(rows('1000-'), rows('0000-'), { score: hard })
    expect(first?.difference.mean).toBe(alone.difference.mean)
    expect(first?.difference.low).toBeLessThan(alone.difference.low)
    expect(first?.difference.high).toBeGreaterThan(alone.difference.high)
  })

  it('lists the tasks that did not come out the same, a failed one as unknown', () => {
    expect(compareSkills(skills, hard).changed).toEqual([
      { task: 't0', type: 'even', scores: [0, 1, 1] },
      { task: 't1', type: 'odd', scores: [0, 0, 1] },
    ])
    const failed = [skills[0], skills[2]].flatMap(skill => skill ?? [])
    const broken = { name: 'd', rows: rows('-1000') }
    expect(compareSkills([...failed, broken], hard).changed[0]?.scores).toEqual([0, 1, null])
  })
})

describe('meanRows', () => {
  it('is the rows themselves where each task was tried once', () => {
    const once = rows('10-')
    expect(meanRows(once)).toBe(once)
  })

  it('is the mean of what was scored, and nothing where nothing was', () => {
    expect(meanRows(rows('1-0', '0-1', '1--'))).toEqual([
      { task: 't0', type: 'even', sample: 0, hard: 2 / 3, soft: 2 / 3 },
      { task: 't1', type: 'odd', sample: 0 },
      { task: 't2', type: 'even', sample: 0, hard: 0.5, soft: 0.5 },
    ])
  })
})

describe('pairedDifference of several comparisons', () => {
  const pairs = Array.from({ length: 40 }, (_, index) => ({ current: 0, candidate: index % 2 }))
  const reach = (comparisons: number) => {
    const { low, high } = pairedDifference(pairs, comparisons)
    return (high - low) / 2
  }

  // Two-sided critical values of the normal distribution for 0.05 / n, from a table.
  it.each([
    [1, 1.96],
    [2, 2.2414],
    [3, 2.394],
    [10, 2.807],
    [45, 3.2608],
  ])('is wider for %d, as Bonferroni has it', (comparisons, z) => {
    expect((reach(comparisons) / reach(1)) * 1.95996).toBeCloseTo(z, 2)
  })
})

describe('comparisonSentences', () => {
  const labels = new Map<string, string>()
  const said = (tasks: number, ...skills: { name: string; rows: Row[] }[]) =>
    comparisonSentences(compareSkills(skills, hard), { tasks, labels }).join(' ')
  const bad = { name: 'old', rows: rows('0'.repeat(20)) }
  const good = { name: 'new', rows: rows(`${'1'.repeat(18)}00`) }

  it('names the better one first, whichever was named first', () => {
    const sentence =
      /^new is better than old: \+90 points on 20 tasks \(95% interval \+\d.*\), 18 fixed, 0 broken\.$/
    expect(said(20, bad, good)).toMatch(sentence)
    expect(said(20, good, bad)).toMatch(sentence)
  })

  it('claims nothing that the tasks do not show', () => {
    const [one, other] = [rows('0110'), rows('0101')]
    expect(said(4, { name: 'a', rows: one }, { name: 'b', rows: other })).toMatch(
      /^Cannot tell whether b is better than a: 0 points on 4 tasks \(95% interval −/,
    )
    const failed = { name: 'b', rows: rows('----') }
    expect(said(4, { name: 'a', rows: one }, failed)).toMatch(/^No task was scored for both b and a\./)
  })

  it('states the cost of multiple comparisons', () => {
    const text = said(20, bad, good, { name: 'third', rows: rows('0'.repeat(20)) })
    expect(text).toContain('new is better than third')
    expect(text).toContain('3 pairs are compared')
    expect(text).toContain('Score it again on tasks that were not used to choose it')
    const same = said(20, bad, { ...bad, name: 'x' }, { ...bad, name: 'y' })
    expect(same).toContain('None of the 3 pairs shows a measurable difference.')
    expect(same).not.toContain('partly by chance')
  })

  it('reports excluded tasks', () => {
    const broken = { name: 'new', rows: rows(`${'1'.repeat(18)}--`) }
    expect(said(20, bad, broken)).toContain(
      '2 tasks are left out of the comparison: an attempt failed for external reasons',
    )
  })
})

describe('shortNames', () => {
  it.each([
    [
      ['a.md', 'b.md'],
      ['a.md', 'b.md'],
    ],
    [
      ['runs/x-001/best_skill.md', 'runs/x-002/best_skill.md'],
      ['x-001', 'x-002'],
    ],
    [
      ['SKILL.md', 'runs/x-001/best_skill.md'],
      ['SKILL.md', 'runs/x-001/best_skill.md'],
    ],
    [
      ['new/SKILL.md', 'new/old/SKILL.md'],
      ['SKILL.md', 'old/SKILL.md'],
    ],
    [['SKILL.md'], ['SKILL.md']],
    [[], []],
  ])('of %j are %j', (names, short) => {
    expect(shortNames(names)).toEqual(short)
  })
})
