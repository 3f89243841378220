import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { chooseScorer } from './index.js'

function score(golds: readonly string[], answer: string) {
  return chooseScorer('anls').score(
    { answers: golds },
    { messages: [], answer, stop: 'answered' },
    scoreContext,
  )
}

describe('anls', () => {
  it.each([
    [['Öl'], '<answer> ÖL\n</answer>', 1, 1],
    [['a  b'], 'A b', 1, 1],
    [['abcd'], 'abcx', 0, 0.75],
    [['abcd', 'abcx'], 'abcx', 1, 1],
    [['abcd'], 'abxy', 0, 0],
    [['abcd'], '', 0, 0],
    // By code points one of two and one of four differ; by UTF-16 units it would be one of three and one of
    // five.
    [['😀a'], '😁a', 0, 0],
    [['😀abc'], '😁abc', 0, 0.75],
    [['7'], '<answer>no <answer>7</answer>', 1, 1],
    [['7</answer>8'], '<answer>7</answer>8</answer>', 1, 1],
    [['7'], '<answer>7</answer> or rather <answer>8', 1, 1],
    [['7'], '<answer>never closed\n7', 1, 1],
  ])('%j against %j', async (golds, answer, hard, soft) => {
    const result = await score(golds, answer)
    expect(result.hard).toBe(hard)
    expect(result.soft).toBeCloseTo(soft)
  })

  it('says how near the answer came, and what stands around it', async () => {
    expect((await score(['whale', 'abcd'], 'abcx')).feedback).toBe(
      'Expected "whale" or "abcd"; got "abcx". Nearest to "abcd", with a similarity (ANLS) of 0.75.',
    )
    expect((await score(['42'], 'The total is 42.')).feedback).toBe(
      'Expected "42"; got "The total is 42.". Half of the characters or more are different, which counts as 0. The answer holds "42", but with other text around it.',
    )
    expect((await score(['42'], '')).feedback).toBe('Expected "42"; got no answer.')
    expect((await score(['42'], '42')).feedback).toBe('Correct: "42".')
  })

  it('finds tasks without an expected answer', () => {
    expect(chooseScorer('anls').problem({ answers: [] })).toContain('empty list')
  })
})
