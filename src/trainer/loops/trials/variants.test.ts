import { describe, expect, it } from 'vitest'
import type { RecordedEdit } from '../../../core/log/event.js'
import { seedDocument } from '../../../core/skill/document.js'
import { emptyPool, type Pool } from './pool.js'
import type { TrialEdit } from './types.js'
import { composeVariant } from './variants.js'

const about = { why: '', support: 1, from: 'failure' as const, tasks: [] }
const first: RecordedEdit = { ...about, id: 'first', op: 'append', content: '- Round prices down.' }
const second: RecordedEdit = {
  ...about,
  id: 'second',
  op: 'replace',
  target: 'Round prices down.',
  content: 'Round prices up.',
}
const seed = seedDocument('# Prices\n\n- Read the whole order.\n')

const poolOf = (...accepted: readonly RecordedEdit[]): Pool => ({
  ...emptyPool,
  edits: [first, second].map(
    (edit): TrialEdit => ({ edit, slot: edit.id, concerned: new Set(), status: 'accepted', since: 1 }),
  ),
  accepted: accepted.map(({ id }) => id),
})
const compose = (pool: Pool, from = seed) =>
  composeVariant({ seed: from, limit: undefined }, pool, { pending: [], without: [] })

describe('composing a skill from edits', () => {
  it('replaces text that another edit added', () => {
    const { document, edits } = compose(poolOf(first, second))
    expect(document.text).toBe('# Prices\n\n- Read the whole order.\n- Round prices up.\n')
    expect(edits).toEqual(['first', 'second'])
  })

  it('appends a replacement, with its list marker, if the text it replaces was taken back', () => {
    const { document, edits } = compose(poolOf(second))
    expect(document.text).toBe('# Prices\n\n- Read the whole order.\n- Round prices up.\n')
    expect(edits).toEqual(['second'])
  })

  it('is the seed itself without edits, however untidy the seed is', () => {
    const untidy = seedDocument('# Prices\n\n- one\n\n- two\n\n\n')
    expect(compose(poolOf(), untidy).document).toBe(untidy)
  })

  it('leaves an edit of the seed unchanged', () => {
    const { document } = compose(poolOf(second), seedDocument('# Prices\n\n- Round prices down.\n'))
    expect(document.text).toBe('# Prices\n\n- Round prices up.\n')
  })
})
