import { expect, it } from 'vitest'
import { setNotes } from '../core/appendix.js'
import { seedDocument } from '../core/document.js'
import { applyEdits } from '../core/edit.js'
import type { RecordedEdit } from '../core/event.js'
import { tokenLimit } from '../core/skill-limit.js'
import { type Composition, leaveOut, unitsOf } from './edit-units.js'

const parent = seedDocument('# Desk\n\n- Weigh first.\n- Be brief.\n')
const about = { why: '', support: 1, from: 'failure' as const, tasks: [] }
const append = (id: string, content: string): RecordedEdit => ({ op: 'append', id, content, ...about })
const replace = (id: string, target: string, content: string): RecordedEdit => ({
  ...{ op: 'replace', id, target, content, ...about },
})

const compositionOf = (edits: readonly RecordedEdit[], limit?: Composition['limit']): Composition => ({
  ...{ parent, edits, limit, candidate: applyEdits(parent, edits).document },
})

const idsOf = (composition: Composition) => unitsOf(composition).map(unit => unit.map(({ id }) => id))

it('leaves out what it is told, and applies the others to the parent', () => {
  const composition = compositionOf([append('a', '- one'), append('b', '- two'), append('c', '- three')])
  expect(leaveOut(composition, new Set())?.text).toBe(composition.candidate.text)
  expect(leaveOut(composition, new Set(['b']))?.text).toBe(
    applyEdits(parent, [append('a', '- one'), append('c', '- three')]).document.text,
  )
  expect(leaveOut(composition, new Set(['a', 'b', 'c']))?.text).toBe(parent.text)
})

it('has a unit for each edit that can be left out alone', () => {
  const edits = [append('a', '- one'), replace('b', '- Be brief.', '- Be exact.'), append('c', '- three')]
  expect(idsOf(compositionOf(edits))).toEqual([['a'], ['b'], ['c']])
})

it('joins edits of which one does not apply without the other, over several of them', () => {
  const chain = [
    replace('a', 'Weigh first.', 'Weigh twice.'),
    append('b', '- alone'),
    replace('c', 'Weigh twice.', 'Weigh three times.'),
    replace('d', 'three times', '3 times'),
  ]
  const composition = compositionOf(chain)
  expect(leaveOut(composition, new Set(['a']))).toBeUndefined()
  expect(idsOf(composition)).toEqual([['b'], ['a', 'c', 'd']])
})

it('joins a cut with what has room only thanks to it', () => {
  const limit = tokenLimit(parent.text.length + 2, text => text.length)
  const edits = [replace('cut', '- Weigh first.\n', ''), append('more', '- Twice.')]
  expect(idsOf(compositionOf(edits, limit))).toEqual([['cut', 'more']])
})

it('takes all edits for one where the candidate is more than they are', () => {
  const edits = [append('a', '- one'), append('b', '- two')]
  const { candidate, ...rest } = compositionOf(edits)
  const consolidated = setNotes(candidate, ['all in one'], 'consolidation:1')
  expect(idsOf({ ...rest, candidate: consolidated })).toEqual([['a', 'b']])
})
