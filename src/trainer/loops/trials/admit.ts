import type { RecordedEdit } from '../../../core/log/event.js'
import { jaccard } from '../../../core/text/text-likeness.js'
import { constants } from './constants.js'
import { causeOf, isViable, openSlots, type Pool, type PoolSettings } from './pool.js'
import { createRephrasing } from './rephrasing.js'
import { isGlobal, type TrialEdit } from './types.js'

export interface Admission {
  readonly pool: Pool
  readonly admitted: readonly TrialEdit[]
  readonly known: number
  readonly full: number
}

export interface AdmissionOptions {
  readonly round: number
  readonly settings: PoolSettings
  /** Number of train tasks. */
  readonly tasks: number
  concern(edit: RecordedEdit): ReadonlySet<string>
}

/** Text similarity from which two edits count as the same. */
const sameText = 0.9

/**
 * Adds proposals to the pool. Known lessons are left out, and another remedy for a known cause becomes an
 * alternative to the first.
 */
export function admit(pool: Pool, proposed: readonly RecordedEdit[], options: AdmissionOptions): Admission {
  const { round, settings, tasks } = options
  let edits = pool.edits
  let known = 0
  let full = 0
  const admitted: TrialEdit[] = []
  const isRephrased = createRephrasing([...edits.map(({ edit }) => edit), ...proposed])
  for (const edit of proposed) {
    if (edits.some(one => isSame(one.edit, edit))) {
      known += 1
      continue
    }
    const concerned = options.concern(edit)
    const joined: TrialEdit = { edit, slot: slotOf(edit, edits), concerned, status: 'pending', since: round }
    const isForAll = isGlobal(joined, tasks)
    // Two wordings of one lesson on trial would hide each other's effect, so the second is left out. A
    // dropped lesson may return in other words.
    const isOnTrial = (one: TrialEdit) => one.status !== 'dropped' && isGlobal(one, tasks)
    if (isForAll && edits.some(one => isOnTrial(one) && isRephrased(one.edit, edit))) {
      known += 1
      continue
    }
    const open = edits.filter(one => isViable(pool, one, settings))
    // An edit for all tasks competes with no other edit, since its effect is measured independently.
    const slot = isForAll ? `edit ${edit.id}` : joined.slot
    const alternatives = open.filter(one => one.slot === slot).length
    const { local, global } = openSlots({ ...pool, edits }, { ...settings, tasks })
    const isFull = isForAll
      ? global >= constants.globalPerSlot * settings.slots
      : alternatives === 0
        ? local >= settings.slots
        : alternatives >= settings.alternatives
    if (isFull) {
      full += 1
      continue
    }
    admitted.push({ ...joined, slot })
    edits = [...edits, { ...joined, slot }]
  }
  return { pool: { ...pool, edits }, admitted, known, full }
}

/** The slot of an edit, named by its cause. A cause with an accepted remedy gets a new slot. */
function slotOf(proposed: RecordedEdit, edits: readonly TrialEdit[]): string {
  const name = causeOf(proposed)
  const earlier = edits.filter(({ edit, status }) => status === 'accepted' && causeOf(edit) === name)
  return earlier.length === 0 ? name : `${name} (${earlier.length + 1})`
}

function isSame(one: RecordedEdit, other: RecordedEdit): boolean {
  if (one.op !== other.op) return false
  const text = (edit: RecordedEdit) => ('content' in edit ? edit.content : edit.target)
  const target = (edit: RecordedEdit) => ('target' in edit ? edit.target : '')
  return target(one) === target(other) && jaccard(text(one), text(other)) >= sameText
}
