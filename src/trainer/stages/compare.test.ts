import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../../test/fake-run.js'
import type { Attempt } from '../../core/task/task.js'
import { type Comparison, comparisonSection, rolloutPairs } from './compare.js'

const place = { stage: 'slow-update', epoch: 2, step: 4 } as const

describe('compareSkills', () => {
  it('runs every task under both skills, in its own scope, and leaves out pairs with a failure on either side', async () => {
    const failed: Attempt['outcome'] = { status: 'failed', failure: { kind: 'timeout', message: 'silence' } }
    const run = fakeRun(effect => {
      if (effect.kind !== 'attempt') throw new Error('no calls here')
      const { skill, task } = effect
      const attempt = scoredAttempt(run, task.id, skill === 'new' ? 1 : 0)
      return skill === 'new' && task.id === 'b' ? { ...attempt, outcome: failed } : attempt
    })
    const compared = await rolloutPairs(run, {
      before: 'old',
      after: 'new',
      tasks: [{ id: 'a' }, { id: 'b' }],
      scope: 'epoch 2',
      place,
    })
    expect(compared.map(({ outcome, before }) => [before.task, outcome])).toEqual([['a', 'improved']])
    expect(run.effects).toMatchObject(
      ['old', 'old', 'new', 'new'].map(skill => ({ kind: 'attempt', skill, scope: 'epoch 2', sample: 0 })),
    )
  })

  it('returns nothing for no tasks', async () => {
    expect(
      await rolloutPairs(
        fakeRun(() => ({})),
        { before: 'old', after: 'new', tasks: [], scope: 'epoch 2', place },
      ),
    ).toEqual([])
  })
})

describe('comparisonSection', () => {
  it('shows the question once, both answers, and the feedback on the new one', async () => {
    const run = fakeRun(() => ({}))
    const comparison: Comparison = {
      outcome: 'improved',
      before: scoredAttempt(run, 'a', 0, 'five'),
      after: scoredAttempt(run, 'a', 1, 'four'),
    }
    const block = (number: number) =>
      [
        `<pair number="${number}" type="kind" outcome="improved">`,
        '[user]\nquestion of a',
        '[before]\n[assistant]\nfive',
        '[after]\n[assistant]\nfour',
        '[feedback]\nfeedback on a',
        '</pair>',
      ].join('\n')
    expect(await comparisonSection(run, [comparison, comparison])).toBe(
      `<comparisons>\n${block(1)}\n\n${block(2)}\n</comparisons>`,
    )
    expect(await comparisonSection(run, [])).toBe('')
  })

  it('shows an attempt without a reply as it is', async () => {
    const run = fakeRun(() => ({}))
    const silent: Attempt = {
      ...scoredAttempt(run, 'a', 0),
      messages: [{ role: 'user', blob: run.put('Say something.') }],
    }
    const shown = await comparisonSection(run, [
      { outcome: 'persistent_failure', before: silent, after: scoredAttempt(run, 'a', 0, 'well') },
    ])
    expect(shown).toContain('[before]\n[user]\nSay something.')
    expect(shown).toContain('[after]\n[assistant]\nwell')
  })
})
