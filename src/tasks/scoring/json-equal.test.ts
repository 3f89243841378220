import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { chooseScorer } from './index.js'

type Config = Parameters<typeof chooseScorer>[0]

function score(config: Config, gold: unknown, answer: string) {
  return chooseScorer(config).score(
    { answer: gold },
    { messages: [], answer, stop: 'answered' },
    scoreContext,
  )
}

const fence = '```'

describe('json-equal', () => {
  it.each<[Config, unknown, string, number, number]>([
    ['json-equal', { a: 1, b: [true, null] }, '{"b": [true, null], "a": 1.0}', 1, 1],
    ['json-equal', '{"a": 1}', '<answer>{"a":\n1}</answer>', 1, 1],
    ['json-equal', { a: 1 }, `Here it is:\n${fence}json\n{"a": 1}\n${fence}\nDone.`, 1, 1],
    ['json-equal', { a: 1 }, `<answer>\n${fence}\n{"a": 1}\n${fence}\n</answer>`, 1, 1],
    ['json-equal', { a: 1 }, `${fence}\n{"a": 2}\n${fence}\nno:\n${fence}\n{"a": 1}\n${fence}`, 1, 1],
    ['json-equal', { text: '```\nx\n```' }, '{"text": "```\\nx\\n```"}', 1, 1],
    ['json-equal', { a: 1 }, 'It is {"a": 1}', 0, 0],
    ['json-equal', { a: 1 }, '', 0, 0],
    ['json-equal', { a: 1, b: 2, c: { d: 3, e: 4 } }, '{"a": 1, "b": 0, "c": {"d": 3}}', 0, 0.5],
    ['json-equal', { a: 1, c: { d: 3, e: 4 } }, '{"a": 1, "c": 5}', 0, 1 / 3],
    ['json-equal', { a: 1 }, '{"a": 1, "b": 2}', 0, 1],
    ['json-equal', [1, 2], '[2, 1]', 0, 0],
    ['json-equal', [1], '[1, 2]', 0, 1],
    ['json-equal', [], '{}', 0, 0],
    ['json-equal', {}, '{}', 1, 1],
    ['json-equal', {}, '{"a": 1}', 0, 0],
    ['json-equal', null, 'null', 1, 1],
    ['json-equal', null, '{}', 0, 0],
    ['json-equal', { toString: 1 }, '{}', 0, 0],
    ['json-equal', 5, '"5"', 0, 0],
    ['json-equal', { a: 0.3 }, `{"a": ${0.1 + 0.2}}`, 1, 1],
    ['json-equal', { a: 0.3 }, '{"a": 0.31}', 0, 0],
    [{ name: 'json-equal', absolute: 0.02 }, { a: 0.3 }, '{"a": 0.31}', 1, 1],
    [{ name: 'json-equal', relative: 0.1 }, { a: -10 }, '{"a": -11}', 1, 1],
    [{ name: 'json-equal', relative: 0.1 }, { a: -10 }, '{"a": -11.1}', 0, 0],
    [
      { name: 'json-equal', ignore: ['id', 'lines.*.id'] },
      { id: 1, lines: [{ id: 2, x: 3 }] },
      '{"lines": [{"id": 9, "x": 3}]}',
      1,
      1,
    ],
    [{ name: 'json-equal', ignore: ['id'] }, { x: 1 }, '{"x": 1, "id": 7}', 1, 1],
    [{ name: 'json-equal', ignore: ['id'] }, { x: { id: 1 } }, '{"x": {"id": 2}}', 0, 0],
    [{ name: 'json-equal', ignore: ['lines.0'] }, { lines: [1, 2] }, '{"lines": [5, 2]}', 1, 1],
  ])('%j takes %j: %s', async (config, gold, answer, hard, soft) => {
    const result = await score(config, gold, answer)
    expect(result.hard).toBe(hard)
    expect(result.soft).toBeCloseTo(soft)
  })

  it('says which values are wrong, and how', async () => {
    const gold = { total: 12, lines: [{ price: 5, name: 'pen' }], date: 'May' }
    expect(
      (await score('json-equal', gold, '{"total": "12", "lines": [{"price": 6, "name": "pen"}], "tax": 1}'))
        .feedback,
    ).toBe(
      '1 of 4 expected values are right. total: expected 12, got "12", text instead of a number. lines[0].price: expected 5, got 6. date is missing; expected "May". tax is not expected (1).',
    )
    expect((await score('json-equal', { a: 1 }, '[1]')).feedback).toBe(
      '0 of 1 expected values are right. the answer: expected {"a":1}, got [1], a list instead of an object.',
    )
    expect((await score('json-equal', { a: 1 }, '{"a": 1}')).feedback).toBe(
      'Correct: 1 of 1 expected values are right.',
    )
    expect((await score('json-equal', { a: 1 }, '{a: 1}')).feedback).toMatch(
      /^The answer is not valid JSON: .* It is "\{a: 1\}"\.$/,
    )
    expect((await score('json-equal', { a: 1 }, '')).feedback).toBe(
      'There is no answer, where JSON was expected.',
    )
    const many = Array.from({ length: 20 }, (_, index) => index)
    expect((await score('json-equal', many, '[]')).feedback).toContain('12 more of these.')
  })

  it('survives an answer that is nested without end', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(await score('json-equal', [[]], deep)).toMatchObject({ hard: 0, soft: 0 })
    expect((await score('json-equal', [[]], deep)).feedback).toContain('nested deeper')
  })

  it('finds what is wrong with a task', () => {
    const problem = (config: Config, task: Record<string, unknown>) => chooseScorer(config).problem(task)
    expect(problem('json-equal', {})).toBe('has no field "answer"')
    expect(problem('json-equal', { answer: 'Paris' })).toContain('that is not JSON')
    expect(problem({ name: 'json-equal', ignore: ['a'] }, { answer: { a: 1 } })).toContain('not ignored')
    expect(problem({ name: 'json-equal', field: 'gold' }, { gold: '{"a": 1}' })).toBeUndefined()
    expect(problem('json-equal', { answer: null })).toBeUndefined()
  })

  it('asks the agent for tags', () => {
    expect(chooseScorer('json-equal').instructions).toContain('<answer>')
    expect(chooseScorer({ name: 'json-equal', extract: 'whole' }).instructions).toBe('')
  })
})
