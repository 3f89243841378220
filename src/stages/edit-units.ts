import type { SkillDocument } from '../core/document.js'
import { applyEdits } from '../core/edit.js'
import type { RecordedEdit } from '../core/event.js'
import type { SkillLimit } from '../core/skill-limit.js'

/** What an accepted candidate was made of. */
export interface Composition {
  readonly parent: SkillDocument
  readonly candidate: SkillDocument
  /** Those that were applied, in this order. */
  readonly edits: readonly RecordedEdit[]
  readonly limit: SkillLimit | undefined
}

/** The candidate without some of its edits; none if another edit does not find its place then. */
export function leaveOut(composition: Parts, out: ReadonlySet<string>): SkillDocument | undefined {
  const { document, reports } = applied(composition, out)
  return reports.every(({ status }) => status === 'applied') ? document : undefined
}

type Parts = Omit<Composition, 'candidate'>

function applied({ parent, edits, limit }: Parts, out: ReadonlySet<string>) {
  const rest = edits.filter(({ id }) => !out.has(id))
  return applyEdits(parent, rest, limit?.objection)
}

/** Edits that can be left out only together. */
export type Unit = readonly RecordedEdit[]

/**
 * The edits by what can be left out alone: where one does not apply without another, both are one unit. All of them are
 * one if the candidate is more than its edits: an appendix that was rewritten as a whole.
 */
export function unitsOf(composition: Composition): readonly Unit[] {
  const { candidate, edits } = composition
  if (leaveOut(composition, new Set())?.text !== candidate.text) return [edits]
  let units: readonly Unit[] = edits.map(edit => [edit])
  for (;;) {
    const needed = units.find(unit => needing(composition, unit).size > 0)
    if (needed === undefined) return units
    const bound = new Set([...needed.map(({ id }) => id), ...needing(composition, needed)])
    const isBound = (unit: Unit) => unit.some(({ id }) => bound.has(id))
    const together = new Set(units.filter(isBound).flat())
    units = [...units.filter(unit => !isBound(unit)), edits.filter(edit => together.has(edit))]
  }
}

/** The edits that do not apply without this unit. */
function needing(composition: Composition, unit: Unit): ReadonlySet<string> {
  const { reports } = applied(composition, new Set(unit.map(({ id }) => id)))
  return new Set(reports.filter(({ status }) => status !== 'applied').map(({ edit }) => edit))
}
