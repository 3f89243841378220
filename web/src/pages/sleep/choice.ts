import type { SleepChoice, SleepEdit, SleepProposal } from '../../../../src/dashboard/contract/sleep.js'

/** A target that can still be adopted, with its proposed edits. */
export interface OfferedTarget {
  readonly name: string
  readonly edits: readonly Pick<SleepEdit, 'id'>[]
  /** Why the proposed text cannot be adopted as a whole. Its single edits may still be adopted. */
  readonly problem?: string | undefined
}

export function offeredIn({
  open,
  targets,
  edits,
}: Pick<SleepProposal, 'open' | 'targets' | 'edits'>): readonly OfferedTarget[] {
  return targets
    .filter(({ name }) => open.includes(name))
    .map(({ name, problem }) => ({
      name,
      problem,
      edits: edits.filter(({ target, status }) => target === name && status === 'proposed'),
    }))
}

/** The user's rejections: ids of edits, and names of targets that have no edits. */
export interface Rejected {
  readonly edits: ReadonlySet<string>
  readonly targets: ReadonlySet<string>
}

export function rejectedIn(query: URLSearchParams): Rejected {
  return { edits: new Set(query.getAll('without')), targets: new Set(query.getAll('not')) }
}

/** The rejected items as query parameters. */
export function rejectedToQuery({ edits, targets }: Rejected): Record<'without' | 'not', readonly string[]> {
  return { without: [...edits], not: [...targets] }
}

/** Rejects the given edits or accepts them again. */
export function withEdits(rejected: Rejected, ids: readonly string[], isAccepted: boolean): Rejected {
  return { ...rejected, edits: changed(rejected.edits, ids, !isAccepted) }
}

export function withTarget(rejected: Rejected, name: string, isAccepted: boolean): Rejected {
  return { ...rejected, targets: changed(rejected.targets, [name], !isAccepted) }
}

function changed(set: ReadonlySet<string>, names: readonly string[], isIn: boolean): ReadonlySet<string> {
  const others = [...set].filter(name => !names.includes(name))
  return new Set(isIn ? [...others, ...names] : others)
}

export interface Chosen {
  readonly choice: SleepChoice
  /** Number of chosen edits. */
  readonly edits: number
  /** Names of targets without edits. They cannot be adopted together with single edits of other targets. */
  readonly leftOut: readonly string[]
}

/**
 * Computes the choice to adopt. If every wanted target is wanted in full, the targets are chosen as proposed,
 * which is what was measured. If the user rejected some edits, or a text has changed since, the choice
 * consists of single edits. Undefined if nothing is wanted.
 */
export function chosenFrom(offered: readonly OfferedTarget[], rejected: Rejected): Chosen | undefined {
  const wanted = offered
    .map(({ name, edits, problem }) => {
      const kept = edits.filter(({ id }) => !rejected.edits.has(id))
      const isWhole = kept.length === edits.length && (problem === undefined || edits.length === 0)
      return { name, kept: kept.map(({ id }) => id), hasEdits: edits.length > 0, isWhole }
    })
    .filter(({ name, kept, hasEdits }) => (hasEdits ? kept.length > 0 : !rejected.targets.has(name)))
  if (wanted.length === 0) return undefined
  const edits = wanted.flatMap(({ kept }) => kept)
  const names = wanted.map(({ name }) => name)
  if (wanted.every(({ isWhole }) => isWhole)) {
    return { choice: { targets: names }, edits: edits.length, leftOut: [] }
  }
  const single = wanted.filter(({ hasEdits }) => hasEdits).map(({ name }) => name)
  return {
    choice: { targets: single, edits },
    edits: edits.length,
    leftOut: names.filter(name => !single.includes(name)),
  }
}
