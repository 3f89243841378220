import { describe, expect, it } from 'vitest'
import type { SleepEdit, SleepProposal, SleepTarget } from '../../../../src/dashboard/contract/sleep.js'
import { withChange } from '../../parts/address.js'
import {
  chosenFrom,
  type OfferedTarget,
  offeredIn,
  rejectedIn,
  rejectedToQuery,
  withEdits,
  withTarget,
} from './choice.js'

const nothing = rejectedIn(new URLSearchParams())
const skill: OfferedTarget = { name: 'skill:tests', edits: [{ id: 'e1' }, { id: 'e2' }] }
const memory: OfferedTarget = { name: 'memory:CLAUDE.md', edits: [{ id: 'e3' }] }
const fresh: OfferedTarget = { name: 'skill:fresh', edits: [] }

const target = (name: string, problem?: string): SleepTarget => ({
  name,
  path: name,
  isNew: false,
  diff: { before: '', after: '' },
  problem,
  measures: [],
})
const edit = (id: string, of: string, status: SleepEdit['status']): SleepEdit => ({
  id,
  target: of,
  op: 'append',
  status,
  content: '',
  why: '',
  additions: [],
  tasks: [],
  sessions: 0,
})

describe('what is offered', () => {
  it('is what can still be adopted, with the edits that were proposed', () => {
    const proposal: Pick<SleepProposal, 'open' | 'targets' | 'edits'> = {
      open: ['skill:tests', 'skill:fresh'],
      targets: [target('skill:tests', 'It was changed.'), target('memory:CLAUDE.md'), target('skill:fresh')],
      edits: [
        edit('e1', 'skill:tests', 'proposed'),
        edit('e2', 'skill:tests', 'rejected'),
        edit('e3', 'memory:CLAUDE.md', 'proposed'),
      ],
    }
    expect(
      offeredIn(proposal).map(({ name, problem, edits }) => [name, problem, edits.map(({ id }) => id)]),
    ).toEqual([
      ['skill:tests', 'It was changed.', ['e1']],
      ['skill:fresh', undefined, []],
    ])
  })
})

describe('a choice', () => {
  it('of everything is the targets as proposed', () => {
    expect(chosenFrom([skill, memory, fresh], nothing)).toEqual({
      choice: { targets: ['skill:tests', 'memory:CLAUDE.md', 'skill:fresh'] },
      edits: 3,
      leftOut: [],
    })
  })

  it('without all edits of a target is the other targets, whole', () => {
    expect(chosenFrom([skill, memory], withEdits(nothing, ['e3'], false))?.choice).toEqual({
      targets: ['skill:tests'],
    })
  })

  it('of some edits names each of them, and leaves out targets without edits', () => {
    expect(chosenFrom([skill, memory, fresh], withEdits(nothing, ['e2'], false))).toEqual({
      choice: { targets: ['skill:tests', 'memory:CLAUDE.md'], edits: ['e1', 'e3'] },
      edits: 2,
      leftOut: ['skill:fresh'],
    })
  })

  it('uses single edits if a text has changed since', () => {
    const stuck = { ...skill, problem: 'It was changed.' }
    expect(chosenFrom([stuck], nothing)?.choice).toEqual({ targets: ['skill:tests'], edits: ['e1', 'e2'] })
    // A target without edits can only be chosen whole; the server then explains why it cannot be adopted.
    expect(chosenFrom([{ ...fresh, problem: 'It is there.' }], nothing)?.choice).toEqual({
      targets: ['skill:fresh'],
    })
  })

  it('of nothing is undefined', () => {
    expect(chosenFrom([], nothing)).toBeUndefined()
    expect(chosenFrom([memory], withEdits(nothing, ['e3'], false))).toBeUndefined()
    expect(chosenFrom([fresh], withTarget(nothing, 'skill:fresh', false))).toBeUndefined()
  })
})

describe('rejected edits and targets', () => {
  it('are kept in the URL, and removed again', () => {
    const rejected = withTarget(withEdits(nothing, ['e1', 'e 2&'], false), 'skill:fresh', false)
    const query = withChange(new URLSearchParams('mode=side'), rejectedToQuery(rejected))
    expect(rejectedIn(new URLSearchParams(query.toString()))).toEqual(rejected)
    const back = withTarget(withEdits(rejected, ['e1', 'e 2&'], true), 'skill:fresh', true)
    expect(withChange(query, rejectedToQuery(back)).toString()).toBe('mode=side')
  })

  it('are rejected once, however often they are given', () => {
    const twice = withEdits(withEdits(nothing, ['e1'], false), ['e1', 'e2'], false)
    expect([...twice.edits]).toEqual(['e1', 'e2'])
  })
})
