import { describe, expect, it } from 'vitest'
import type { Edit } from '../../core/skill/edit.js'
import { earlierSteps, type Memory, type StepRecord, stepLine } from './memory.js'

const edit = (content: string): Edit => ({
  op: 'append',
  content,
  id: content,
  why: '',
  support: 1,
  from: 'failure',
  tasks: [],
})

const rejected: StepRecord = {
  step: 2,
  outcome: 'rejected',
  edits: [edit('one'), edit('two')],
  before: 0.5,
  after: 1 / 3,
  patterns: [{ type: 'units', count: 3, description: 'forgets them' }],
}
const accepted: StepRecord = { step: 1, outcome: 'accepted', edits: [edit('kept')], patterns: [] }

describe('stepLine', () => {
  it('has a line for each edit with its outcome', () => {
    expect(stepLine(rejected)).toBe(
      '- step 2 rejected (0.500 -> 0.333): append "one"\n- step 2 rejected (0.500 -> 0.333): append "two"',
    )
  })

  it('shows an incomplete score as a bound, and no score if there is none', () => {
    const [edits] = [[edit('one')]]
    expect(stepLine({ ...rejected, edits, complete: false })).toContain('(0.500 -> at most 0.333)')
    expect(stepLine({ ...rejected, edits, complete: true })).toContain('(0.500 -> 0.333)')
    const { after: _, ...unscored } = rejected
    expect(stepLine({ ...unscored, edits })).toBe('- step 2 rejected: append "one"')
    const { before: __, ...alone } = rejected
    expect(stepLine({ ...alone, edits })).toBe('- step 2 rejected: append "one"')
  })
})

describe('earlierSteps', () => {
  const memory: Memory = { steps: [accepted, rejected], metaSkill: undefined }
  const show = (failurePatterns: boolean, rejectedEdits: boolean) =>
    earlierSteps(memory, { failurePatterns, rejectedEdits })

  it('lists failure patterns and rejected edits, but not accepted ones', () => {
    const shown = show(true, true)
    expect(shown).toBe(
      `<earlier_steps>\n- step 2 saw 3 × units: forgets them\n${stepLine(rejected)}\n</earlier_steps>`,
    )
  })

  it('leaves out disabled parts, and the whole section when it is empty', () => {
    expect(show(true, false)).toBe('<earlier_steps>\n- step 2 saw 3 × units: forgets them\n</earlier_steps>')
    expect(show(false, true)).toBe(`<earlier_steps>\n${stepLine(rejected)}\n</earlier_steps>`)
    expect(show(false, false)).toBe('')
  })
})
