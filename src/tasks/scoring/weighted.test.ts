import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError } from '../../core/errors/errors.js'
import type { Trajectory } from '../../core/task/task.js'
import { chooseScorer } from './index.js'

function said(answer: string, stop: Trajectory['stop'] = 'answered'): Trajectory {
  return { messages: [], answer, stop }
}

const both = {
  name: 'weighted',
  parts: {
    right: { scorer: 'token-f1', weight: 3 },
    short: { scorer: { name: 'rules', checks: [{ op: 'max_chars', arg: 20 }] } },
  },
}

describe('weighted', () => {
  it.each([
    ['big dog', 1, 1],
    ['dog', 0, (3 * (2 / 3) + 1) / 4],
    ['a very, very long answer\nbig dog', 0, 3 / 4],
    ['the cat', 0, 1 / 4],
  ])('%j', async (answer, hard, soft) => {
    const score = await chooseScorer(both).score({ answer: 'big dog' }, said(answer), scoreContext)
    expect(score.hard).toBe(hard)
    expect(score.soft).toBeCloseTo(soft)
  })

  it('takes weights that do not add up in binary', async () => {
    const part = (weight: number) => ({ scorer: 'exact', weight })
    const thirds = { name: 'weighted', parts: { a: part(0.1), b: part(0.2), c: part(0.7) } }
    expect(await chooseScorer(thirds).score({ answer: 'x' }, said('x'), scoreContext)).toMatchObject({
      hard: 1,
      soft: 1,
    })
  })

  it('lists each part by name, and says once that the agent did not finish', async () => {
    expect(
      (await chooseScorer(both).score({ answer: 'big dog' }, said('dog', 'turn-limit'), scoreContext))
        .feedback,
    ).toBe(
      [
        '1 of 2 parts passed.',
        '- right (75% of the score): failed with 0.67. Expected "big dog"; got "dog". Word overlap (F1) 0.67.',
        '- short (25% of the score): passed with 1.00. 1 of 1 checks passed. The agent did not finish: turn-limit.',
      ].join('\n'),
    )
  })

  it('reads, asks and shows what its parts do, each once', () => {
    const scorer = chooseScorer({
      name: 'weighted',
      parts: {
        letter: { scorer: 'choice' },
        text: { scorer: 'exact' },
        inner: { scorer: { name: 'weighted', parts: { again: { scorer: 'choice' } } } },
      },
    })
    expect(scorer.fields).toEqual(['choices', 'answer', 'answers'])
    expect(scorer.instructions).toBe('Put your final answer between <answer> and </answer>.')
    expect(scorer.promptNote({ choices: ['x', 'y'], answer: 'A' })).toBe('A. x\nB. y')
    expect(scorer.problem({ choices: ['x', 'y'], answer: 'A' })).toBeUndefined()
    expect(scorer.problem({ answer: 'A' })).toBe(
      'has no list of at least two texts in "choices" (for the part "letter")',
    )
  })

  it('refuses parts that cannot be used, by name and with a suggestion', () => {
    const refusal = (parts: unknown) => {
      try {
        chooseScorer({ name: 'weighted', parts })
      } catch (error) {
        if (error instanceof InputError) return `${error.message} ${error.hint}`
        throw error
      }
      return undefined
    }
    expect(refusal({})).toContain('name no parts')
    expect(refusal(undefined)).toContain('not valid')
    expect(refusal({ right: { scorer: 'exact', weight: 0 } })).toContain('not valid')
    expect(refusal({ right: { scorer: 'exact', wieght: 1 } })).toContain('not valid')
    expect(refusal({ right: { scorer: 'exakt' } })).toMatch(
      /^In the part "right" of the scorer "weighted": There is no scorer named "exakt"\. Did you mean "exact"\?/,
    )
    expect(refusal({ right: { scorer: { name: 'regex', pattern: '(' } } })).toContain('In the part "right"')
  })
})
