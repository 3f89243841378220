import type { RecordedEdit } from '../../core/log/event.js'
import { type LineOrigins, lineOrigins } from '../../core/skill/document.js'
import { parseSkill } from '../../core/skill/skill.js'
import { type EditStep, editRegion, type ProposalEdit, tidyRegion } from '../model/proposal.js'
import type { Change } from './changes.js'
import { gives, numbered, pieceEdits } from './piece-edits.js'
import { piecesOf } from './pieces.js'

/** An edit with its evidence, before it gets an id. */
export interface GroundedEdit extends EditStep {
  readonly why: string
  /** Names of the tasks, as the run uses them. */
  readonly tasks: readonly string[]
  readonly gate?: ProposalEdit['gate']
}

/**
 * Returns edits that turn the region into exactly the learned text. These are the optimizer's own edits if
 * they give that text. Other changes, such as a rewrite or guidance, are expressed piece by piece.
 */
export function proposedEdits(region: string, changes: readonly Change[]): readonly GroundedEdit[] {
  const wanted = changes.at(-1)?.text ?? region
  let made: readonly GroundedEdit[] = []
  for (const change of changes) made = [...made, ...editsOf(region, made, change)]
  if (gives(region, made, wanted)) return made
  return grounded(pieceEdits(region, tidyRegion(wanted)), changes)
}

function editsOf(region: string, before: readonly GroundedEdit[], change: Change): readonly GroundedEdit[] {
  const current = madeOf(region, before)
  const own = change.edits.flatMap(edit => ownEdit(edit, change, current) ?? [])
  if (gives(region, [...before, ...own], change.text)) return own
  const kept = nearer(region, before, own, change.text)
  const rest = pieceEdits(madeOf(region, [...before, ...kept]), tidyRegion(change.text))
  return [...kept, ...grounded(rest, [change])]
}

const madeOf = (region: string, edits: readonly EditStep[]) => editRegion(region, numbered(edits)).text

/** Keeps only the edits that bring the text closer to the learned one. */
function nearer(
  region: string,
  before: readonly GroundedEdit[],
  own: readonly GroundedEdit[],
  wanted: string,
): readonly GroundedEdit[] {
  const pieces = new Set(piecesOf(tidyRegion(wanted)).map(({ text }) => text))
  const distance = (text: string) => {
    const found = piecesOf(text).map(piece => piece.text)
    const missing = [...pieces].filter(piece => !found.includes(piece)).length
    return missing + found.filter(piece => !pieces.has(piece)).length
  }
  let kept: readonly GroundedEdit[] = []
  let left = distance(madeOf(region, before))
  for (const edit of own) {
    const tried = [...kept, edit]
    const { text, reports } = editRegion(region, numbered([...before, ...tried]))
    const now = distance(text)
    if (now >= left || reports.some(({ status }) => status !== 'applied')) continue
    kept = tried
    left = now
  }
  return kept
}

function ownEdit(edit: RecordedEdit, change: Change, current: string): GroundedEdit | undefined {
  const { why, tasks } = edit
  const about = { why, tasks, gate: change.gate }
  switch (edit.op) {
    case 'append':
      return { ...about, op: edit.op, content: edit.content }
    case 'insert_after':
    case 'replace':
      return { ...about, op: edit.op, anchor: edit.target, content: edit.content }
    case 'delete':
      return { ...about, op: edit.op, anchor: edit.target, content: '' }
    case 'remind': {
      const step = guidanceStep(current, change.text)
      return step === undefined ? undefined : { ...about, ...step }
    }
    default:
      return undefined
  }
}

/**
 * Returns an edit for the whole guidance section with its markers. It replaces the existing section or is
 * appended.
 */
function guidanceStep(current: string, after: string): EditStep | undefined {
  const [old, fresh] = [current, after].map(text => {
    const part = parseSkill(text).regions.find(({ kind }) => kind === 'SLOW_UPDATE')
    return part && text.slice(part.start, part.end)
  })
  if (fresh === undefined || fresh === old) return undefined
  return old === undefined ? { op: 'append', content: fresh } : { op: 'replace', anchor: old, content: fresh }
}

/**
 * Gives each step the reasons of the edits from which its lines come. If their origin is unknown, it gets the
 * reasons of all edits.
 */
function grounded(steps: readonly EditStep[], changes: readonly Change[]): readonly GroundedEdit[] {
  const all = changes.flatMap(({ edits }) => edits)
  const lines = changes.flatMap(change => lineOrigins(change))
  return steps.map(step => {
    const origins = originsOf(step.content, lines)
    const own = all.filter(({ id }) => origins.has(id))
    const [only] =
      changes.length === 1 ? changes : changes.filter(({ edits }) => edits.some(edit => own.includes(edit)))
    return { ...step, ...groundsOf(own.length > 0 ? own : all), gate: only?.gate }
  })
}

function originsOf(content: string, lines: readonly LineOrigins[]): ReadonlySet<string> {
  const wanted = new Set(content.split('\n').map(line => line.trim()))
  wanted.delete('')
  return new Set(lines.filter(({ line }) => wanted.has(line.trim())).flatMap(({ origins }) => origins))
}

function groundsOf(edits: readonly RecordedEdit[]): Pick<GroundedEdit, 'why' | 'tasks'> {
  const reasons = new Set(edits.map(({ why }) => why).filter(why => why !== ''))
  return { why: [...reasons].join(' '), tasks: [...new Set(edits.flatMap(({ tasks }) => tasks))] }
}
