import { describe, expect, it } from 'vitest'
import {
  analystReply,
  consolidateReply,
  learningRateReply,
  mergeReply,
  rankReply,
  rewriteReply,
  toEdit,
} from './contracts.js'

/** Optimizer replies in the forms that models actually write. */

const about = { id: 'e', why: 'because', support: 2, from: 'failure' as const, tasks: ['t'] }

describe('analyses', () => {
  it('propose edits, with reasons or without', () => {
    const edit = { op: 'replace', target: 'a', content: 'b', trajectories: [1, 2] }
    const read = analystReply('failure', 'patch', { skillAware: false, isRaced: false }).parse({
      batch_size: 3,
      failure_summary: [{ failure_type: 'units', count: 2, description: 'forgets them' }],
      patch: { reasoning: 'why', edits: [edit, { op: 'append', content: 'c' }] },
    })
    expect(read.failure_summary).toEqual([{ failure_type: 'units', count: 2, description: 'forgets them' }])
    expect(read.patch).toEqual({
      reasoning: 'why',
      proposed: [edit, { op: 'append', content: 'c' }],
    })
    const bare = analystReply('failure', 'patch', { skillAware: false, isRaced: false }).parse({
      patch: { edits: [] },
    })
    expect(bare.patch).toEqual({ reasoning: '', proposed: [] })
  })

  it('of successes may name patterns in words or as objects', () => {
    const schema = analystReply('success', 'patch', { skillAware: false, isRaced: false })
    const patch = { edits: [] }
    expect(schema.safeParse({ success_patterns: ['units', { pattern: 'units' }], patch }).success).toBe(true)
    expect(schema.safeParse({ success_patterns: [7], patch }).success).toBe(false)
    expect(
      analystReply('failure', 'patch', { skillAware: false, isRaced: false }).safeParse({
        failure_summary: ['units'],
        patch,
      }).success,
    ).toBe(false)
  })

  it('propose suggestions, with or without a title', () => {
    const { patch } = analystReply('success', 'rewrite_from_suggestions', {
      skillAware: false,
      isRaced: false,
    }).parse({
      patch: {
        reasoning: 'why',
        suggestions: [
          { type: 'add', title: 'Units', instruction: 'name them', trajectories: [1] },
          { instruction: 'be brief' },
        ],
      },
    })
    expect(patch).toEqual({
      reasoning: 'why',
      proposed: [
        { op: 'suggest', title: 'Units', content: 'name them', trajectories: [1] },
        { op: 'suggest', title: '', content: 'be brief', trajectories: undefined },
      ],
    })
  })

  it('propose a whole text, or state explicitly that nothing should change', () => {
    const schema = analystReply('failure', 'full_rewrite_minibatch', { skillAware: false, isRaced: false })
    expect(schema.parse({ patch: { new_skill: '# New', change_summary: ['a', 'b'] } }).patch).toEqual({
      reasoning: '',
      proposed: [{ op: 'rewrite', content: '# New', title: 'a b' }],
    })
    expect(schema.parse({ patch: { new_skill: null, reasoning: 'fine as it is' } }).patch).toEqual({
      reasoning: 'fine as it is',
      proposed: [],
    })
    expect(schema.safeParse({ patch: { reasoning: 'forgot the text' } }).success).toBe(false)
  })

  it('must distinguish lapses from defects only if requested', () => {
    const patch = { edits: [] }
    const lapses = [{ reminder: 'check units', trajectories: [2] }]
    expect(
      analystReply('failure', 'patch', { skillAware: true, isRaced: false }).parse({ lapses, patch }).lapses,
    ).toEqual(lapses)
    expect(
      analystReply('failure', 'patch', { skillAware: true, isRaced: false }).safeParse({ patch }).success,
    ).toBe(false)
    expect(
      analystReply('failure', 'patch', { skillAware: false, isRaced: false }).parse({ lapses, patch }),
    ).not.toHaveProperty('lapses')
  })

  it.each(['append', 'insert_after', 'replace', 'delete'])('know the operation %s', op => {
    const schema = analystReply('failure', 'patch', { skillAware: false, isRaced: false })
    expect(schema.safeParse({ patch: { edits: [{ op }] } }).success).toBe(true)
    expect(schema.safeParse({ patch: { edits: [{ op: `${op}s` }] } }).success).toBe(false)
  })
})

describe('merges', () => {
  const evidence = { support_count: 3, source_type: 'success', from: [0, 2] }

  it('keep the evidence of edits and suggestions', () => {
    const edit = { op: 'append', content: 'a', ...evidence }
    expect(mergeReply.patch.parse({ reasoning: 'why', edits: [edit] })).toEqual([edit])
    expect(
      mergeReply.rewrite_from_suggestions.parse({
        suggestions: [{ type: 'add', title: 'A', instruction: 'a', ...evidence }, { instruction: 'b' }],
      }),
    ).toEqual([
      { op: 'suggest', title: 'A', content: 'a', ...evidence },
      { op: 'suggest', title: '', content: 'b' },
    ])
  })

  it('of whole texts are one text', () => {
    expect(mergeReply.full_rewrite_minibatch.parse({ new_skill: '# All', change_summary: 'both' })).toEqual([
      { op: 'rewrite', content: '# All', title: 'both' },
    ])
    expect(mergeReply.full_rewrite_minibatch.parse({ new_skill: '# All' })).toMatchObject([{ title: '' }])
    expect(mergeReply.full_rewrite_minibatch.safeParse({ new_skill: null }).success).toBe(false)
  })

  it('come from failures or from successes', () => {
    const of = (source_type: string) =>
      mergeReply.patch.safeParse({ edits: [{ op: 'append', content: 'a', source_type }] }).success
    expect([of('failure'), of('success'), of('both')]).toEqual([true, true, false])
  })
})

describe('a rewritten skill', () => {
  it('has a text', () => {
    expect(rewriteReply.parse({ new_skill: '# New' })).toEqual({ new_skill: '# New', change_summary: '' })
    expect(rewriteReply.safeParse({ new_skill: ' \n' }).error?.issues[0]?.message).toBe('it has no text')
  })
})

describe('replies that are checked against what was shown', () => {
  it('name an index of the list', () => {
    const problem = (selected_indices: number[]) =>
      rankReply(3).safeParse({ selected_indices }).error?.issues[0]?.message
    expect(problem([0, 2])).toBeUndefined()
    expect(problem([])).toBe('no index was selected')
    expect(problem([3])).toBe('every index must be from 0 to 2')
    expect(problem([1, -1])).toBe('every index must be from 0 to 2')
  })

  it('allow from one edit to all of them', () => {
    const problem = (rate: unknown) =>
      learningRateReply(3).safeParse({ learning_rate: rate }).error?.issues[0]?.message
    expect([problem(1), problem(3)]).toEqual([undefined, undefined])
    expect([problem(0), problem(4)]).toEqual(['it must be from 1 to 3', 'it must be from 1 to 3'])
    expect(learningRateReply(3).safeParse({ learning_rate: 1.5 }).success).toBe(false)
    for (const confidence of [0.5, 'high', null])
      expect(learningRateReply(3).safeParse({ learning_rate: 1, confidence }).success).toBe(true)
  })

  it('leave fewer reminders than there were, and at least one', () => {
    const problem = (appendix_notes: string[]) =>
      consolidateReply(3).safeParse({ appendix_notes }).error?.issues[0]?.message
    expect(problem(['a', 'b'])).toBeUndefined()
    expect(problem([])).toBe('no reminder is left')
    expect(problem(['a', 'b', 'c'])).toBe('there must be fewer than the 3 there are')
    expect(problem(['a', ' '])).toBe('it has no text')
  })
})

describe('toEdit', () => {
  it('keeps the texts that an operation has, with its provenance', () => {
    const all = { target: 'a', content: 'b', title: 'c' }
    expect(toEdit({ op: 'append', ...all }, about)).toEqual({ op: 'append', content: 'b', ...about })
    expect(toEdit({ op: 'delete', ...all }, about)).toEqual({ op: 'delete', target: 'a', ...about })
    expect(toEdit({ op: 'suggest', ...all }, about)).toEqual({
      op: 'suggest',
      title: 'c',
      content: 'b',
      ...about,
    })
    expect(toEdit({ op: 'rewrite', ...all }, about)).toEqual({
      op: 'rewrite',
      content: 'b',
      summary: 'c',
      ...about,
    })
    for (const op of ['insert_after', 'replace'] as const)
      expect(toEdit({ op, ...all }, about)).toEqual({ op, target: 'a', content: 'b', ...about })
  })

  it('turns a missing text into an empty one, which the update reports', () => {
    expect(toEdit({ op: 'replace', target: null }, about)).toMatchObject({ target: '', content: '' })
    expect(toEdit({ op: 'suggest' }, about)).toMatchObject({ title: '', content: '' })
    expect(toEdit({ op: 'rewrite' }, about)).toMatchObject({ summary: '', content: '' })
  })
})
