import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { chooseScorer } from './index.js'

const score = (reply: string, answer: unknown) =>
  chooseScorer('officeqa').score({ answer }, { messages: [], answer: reply, stop: 'answered' }, scoreContext)

const hard = async (answer: string, gold: unknown) => (await score(`<answer>${answer}</answer>`, gold)).hard

describe('officeqa: which part of the reply counts', () => {
  it('is the first tag, whatever follows', async () => {
    expect(await score('<answer>12</answer> No: <answer>13</answer>', '12')).toMatchObject({
      hard: 1,
      soft: 1,
    })
    expect(await score('<ANSWER>\n 12 \n</ANSWER>', '12')).toMatchObject({ hard: 1 })
  })

  it.each(['12', 'The answer is 12.', '<answer>12', '<answer></answer>12', '<answer> </answer>', ''])(
    'is nothing in %j, which scores nothing',
    async reply => {
      expect(await score(reply, '12')).toEqual({
        hard: 0,
        soft: 0,
        feedback: 'Expected "12"; got no answer.',
      })
    },
  )

  it('is nothing in silence, even where only units are expected', async () => {
    expect((await score('<answer></answer>', 'million dollars')).hard).toBe(0)
  })
})

describe('officeqa: what is equal', () => {
  it.each([
    ['$1,234.5 million', '1234.5'],
    ['-7 Billion dollars (nominal)', '-7'],
    ['12.50 %', '12.50 %'],
    ['snake_case', 'snakecase'],
    ['[{(3.2)}]~^`|', '3.2'],
    ['MÜNCHEN', 'münchen'],
    ['12\u00a0000', '12 000'],
  ])('%j and %j', async (answer, gold) => {
    expect(await hard(answer, gold)).toBe(1)
  })

  it.each([
    ['12.5', '12.50'],
    ['7', '-7'],
    ['12.5', '12.5%'],
    ['12.5 thousand', '12.5'],
    ['12.', '12'],
    // Python's punctuation is ASCII only; other marks stay.
    ['a—b', 'ab'],
    ['“12”', '12'],
    ['€5', '5'],
    // Word boundaries follow Unicode, and underscores are removed before they are determined.
    ['éMillion', 'é'],
    ['million_5', '5'],
    ['5million', '5'],
  ])('%j is not %j', async (answer, gold) => {
    expect(await hard(answer, gold)).toBe(0)
  })

  it('counts words, as often as they stand there', async () => {
    expect((await score('<answer>5 5 and 6</answer>', '5 6')).soft).toBeCloseTo(2 / 3, 8)
    expect(await score('<answer>6 5</answer>', '5 6')).toMatchObject({ hard: 0, soft: 1 })
    expect((await score('<answer>5</answer>', '6')).feedback).toBe('Expected "6"; got "5".')
  })

  it('takes a number for the expected answer, and refuses none', () => {
    const scorer = chooseScorer('officeqa')
    expect(scorer.problem({ answer: 12.5 })).toBeUndefined()
    expect(scorer.problem({ answers: ['12'] })).toBe('has no field "answer"')
    expect(scorer.problem({ answer: ' ' })).toBe('has an empty expected answer in "answer"')
  })
})
