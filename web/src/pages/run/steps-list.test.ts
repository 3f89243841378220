import { describe, expect, it } from 'vitest'
import { sampleLog } from '../../../../test/support/sample-run.js'
import { allDecisions, epochsOf, groupedEdits, matchesStep, rejectedEdits } from './steps-list.js'

const sample = sampleLog().view()
const step = (number: number) => {
  const found = sample.steps.find(each => each.step === number)
  if (found === undefined) throw new Error(`no step ${number}`)
  return found
}

describe('decisions in a list', () => {
  it('go by epochs, each with its slow update after its steps, and the last skill at the end', () => {
    const gate = step(1).gate
    if (gate === undefined) throw new Error('no gate')
    const end = { epoch: 1, slowUpdate: undefined, slowUpdateGate: gate, metaSkill: undefined }
    const names = allDecisions({ steps: sample.steps, epochEnds: [end], lastVerdict: gate }).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['1', 'epoch-1', '2', 'last'])
  })
})

describe('epochs', () => {
  it('exist even if only their end is known', () => {
    const end = { epoch: 7, slowUpdate: undefined, slowUpdateGate: undefined, metaSkill: undefined }
    const listed = epochsOf(sample.steps, [end])
    expect(listed.map(({ epoch, steps }) => [epoch, steps.length])).toEqual([
      [1, 1],
      [2, 1],
      [7, 0],
    ])
    expect(listed[2]?.end).toBe(end)
  })
})

describe('a filter of steps', () => {
  it('looks for all words in one edit, whatever their case', () => {
    expect(matchesStep(step(1), { words: 'ROUND decimals', outcome: '' })).toBe(true)
    expect(matchesStep(step(2), { words: 'round decimals', outcome: '' })).toBe(false)
    // Both words occur in the step, but not in the same edit.
    expect(matchesStep(step(2), { words: 'never nice', outcome: '' })).toBe(false)
  })

  it('looks for the outcome, and for steps that have none yet', () => {
    expect(matchesStep(step(1), { words: '', outcome: 'accepted' })).toBe(true)
    expect(matchesStep(step(1), { words: '', outcome: 'rejected' })).toBe(false)
    const open = { ...step(1), outcome: undefined }
    expect(matchesStep(open, { words: '', outcome: 'under-way' })).toBe(true)
    expect(matchesStep(open, { words: ' ', outcome: '' })).toBe(true)
  })
})

describe('edits of a step', () => {
  it('are grouped by fate', () => {
    const groups = groupedEdits(step(1).edits).map(({ title, edits }) => [title, edits.map(({ id }) => id)])
    expect(groups).toEqual([
      ['Applied', ['1.0']],
      ['Unmatched', ['1.1']],
      ['Not selected', ['1.2']],
    ])
  })

  it('count as rejected with the candidate that they were applied to', () => {
    expect([rejectedEdits(step(1)), rejectedEdits(step(2))]).toEqual([0, 1])
  })
})
