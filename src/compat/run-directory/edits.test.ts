import { describe, expect, it } from 'vitest'
import type { RecordedEdit } from '../../core/log/event.js'
import { lineOrigins, seedDocument } from '../../core/skill/document.js'
import { editsOf, reportsOf, selectedFrom, traced } from './edits.js'

const edit = (content: string, more: Partial<RecordedEdit> = {}): RecordedEdit =>
  ({
    op: 'append',
    content,
    id: content,
    why: '',
    support: 0,
    from: 'unknown',
    tasks: [],
    ...more,
  }) as RecordedEdit

const nothing = { support_count: undefined, source_type: undefined, target: undefined, content: undefined }

describe('edits of another program', () => {
  it('are imported if their operation is known, and skipped otherwise', () => {
    const edits = editsOf(
      {
        reasoning: undefined,
        suggestions: undefined,
        edits: [
          { ...nothing, op: 'append', content: 'a', support_count: 3, source_type: 'success' },
          { ...nothing, op: 'shuffle', content: 'b' },
          { ...nothing, op: 'delete', target: 'c' },
        ],
      },
      '7.',
      'failure',
    )
    expect(edits).toEqual([
      { op: 'append', content: 'a', id: '7.0', why: '', support: 3, from: 'success', tasks: [] },
      { op: 'delete', target: 'c', id: '7.2', why: '', support: 0, from: 'failure', tasks: [] },
    ])
  })

  it('keep their ids when they are selected, each once, and what is known of them', () => {
    const merged = [
      edit('x', { id: '1.0', support: 4, from: 'failure' }),
      edit('x', { id: '1.1' }),
      edit('y', { id: '1.2' }),
    ]
    const ranked = [edit('y', { id: '1.r0' }), edit('x', { id: '1.r1' }), edit('z', { id: '1.r2' })]
    const selected = selectedFrom(merged, ranked, [2, undefined, undefined])
    expect(selected.map(({ id, support, from }) => [id, support, from])).toEqual([
      ['1.2', 2, 'unknown'],
      ['1.0', 4, 'failure'],
      ['1.r2', 0, 'unknown'],
    ])
  })

  it.each([
    ['applied_replace', 'applied', 'Applied.'],
    ['applied_insert_after_fallback_append', 'applied', 'Its anchor was not in the skill; it was appended.'],
    ['skipped_replace_target_not_found', 'unmatched', 'The target is not in the skill.'],
    ['skipped_delete_missing_target', 'empty', 'The edit names no target.'],
    ['skipped_protected_region', 'refused', 'The target is in a protected region.'],
    ['skipped_unknown_op', 'refused', 'Not applied: skipped unknown op.'],
    ['error', 'refused', 'Not applied: error.'],
  ])('that were reported as %s are %s', (status, ours, reason) => {
    expect(reportsOf([edit('a')], [{ status }])).toEqual([{ edit: 'a', status: ours, reason }])
    expect(reportsOf([edit('a')], [])).toEqual([])
  })

  it('are what new lines are traced to, or, where they do not explain the text, their step', () => {
    const before = seedDocument('# Skill\n\nOne.\n')
    const origins = (text: string) =>
      lineOrigins(traced(before, text, { edits: [edit('Two.')], otherwise: 'step 3' })).map(
        ({ line, origins: from }) => [line, from.join()],
      )
    expect(origins('# Skill\n\nOne.\n\nTwo.\n')).toEqual([
      ['# Skill', 'seed'],
      ['', 'seed'],
      ['One.', 'seed'],
      ['', 'Two.'],
      ['Two.', 'Two.'],
    ])
    expect(origins('# Skill\n\nOne, at least.\n')).toEqual([
      ['# Skill', 'seed'],
      ['', 'seed'],
      ['One, at least.', 'step 3'],
    ])
    expect(traced(before, before.text, { edits: [], otherwise: 'step 3' })).toBe(before)
  })
})
