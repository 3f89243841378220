import type { Row, Scores } from '../core/task.js'
import { type AttributionPlan, type ChangedTask, type Loss, lossOf } from './contribution.js'
import { type Composition, leaveOut, type Unit } from './edit-units.js'

/** Units that are left out together. */
export type Group = readonly Unit[]

export const idsIn = (group: Group): string[] => group.flat().map(({ id }) => id)

/** Each of so few is left out by itself. Of more, groups are left out first, and halved where they carry something. */
const mostGroups = 4

/** Edits that few proposals agreed on come first: where two say the same, the better supported one stays. */
export function firstGroups(units: readonly Unit[]): readonly Group[] {
  const support = (unit: Unit) => unit.reduce((sum, edit) => sum + edit.support, 0)
  const ordered = units.toReversed().toSorted((one, other) => support(one) - support(other))
  const size = Math.ceil(ordered.length / mostGroups)
  return Array.from({ length: Math.ceil(ordered.length / size) }, (_, index) =>
    ordered.slice(index * size, (index + 1) * size),
  )
}

/** Fresh attempts at the planned tasks: samples of their own, so that no luck is counted twice. */
export interface Trial {
  /** With the candidate as it is. */
  readonly whole: readonly Row[]
  /** Of the planned tasks, those that the candidate gained. */
  readonly gained: readonly ChangedTask[]
  /** Attempts per text. */
  readonly cost: number
  tryAfresh(skill: string): Promise<readonly Row[]>
}

export interface Finding {
  readonly group: Group
  /** None if nothing had to be tried, or could be. */
  readonly loss: Loss | undefined
  readonly idle: boolean
}

export interface Search {
  readonly findings: readonly Finding[]
  /** The edits that stayed out. */
  readonly out: ReadonlySet<string>
  readonly attempts: number
}

export interface SearchOptions {
  readonly score: (summary: Scores) => number
  readonly tasks: readonly unknown[]
}

/**
 * One group after the other is left out, together with those that proved idle before it: of two edits that say the same,
 * only the first is idle. A group is halved only while there are attempts for all that waits.
 */
export async function leaveOutInTurn(
  composition: Composition,
  groups: readonly Group[],
  { whole, gained, cost, tryAfresh }: Trial,
  plan: AttributionPlan,
  { tasks, score }: SearchOptions,
): Promise<Search> {
  let attempts = cost
  let left = composition.candidate.text
  const out = new Set<string>()
  const findings: Finding[] = []
  const queue = [...groups]
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
    const ids = idsIn(group)
    const text = leaveOut(composition, new Set([...out, ...ids]))?.text
    const isTried = text !== undefined && text !== left
    const loss = isTried ? lossOf(whole, await tryAfresh(text), gained, score, tasks.length) : undefined
    if (isTried) attempts += cost
    // The last of them carries the gain: the gate accepted the candidate, not its parent.
    const isLast = out.size + ids.length === composition.edits.length
    const idle = text === left || (loss?.idle === true && !isLast)
    if (!idle && group.length > 1 && cost * (queue.length + 2) <= plan.room - attempts) {
      queue.push(...halves(group))
      continue
    }
    findings.push({ group, loss, idle })
    if (!idle || !plan.mayDrop || text === undefined) continue
    for (const id of ids) out.add(id)
    left = text
  }
  return { findings, out, attempts }
}

function halves(group: Group): Group[] {
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}
