import type { Embedder } from '../src/sleep/mining/embedded.js'
import { families } from '../src/sleep/mining/families.js'
import type { Recurrence } from '../src/sleep/mining/recurrence.js'
import { labelsOf } from './mining-quality.js'
import { type LabelledSet, type Part, parts } from './mining-set.js'

export interface FamilyFigures {
  /** Share of the pairs of recurring clusters with the same intent that are in one family. */
  readonly together: Readonly<Record<Part, number>>
  /** Number of recurring clusters. */
  readonly recurring: number
  readonly largest: number
}

/** A cluster belongs to the intent of most of its requests. */
export async function familyFigures(
  found: readonly Recurrence[],
  set: LabelledSet,
  embedder: Embedder | undefined,
): Promise<FamilyFigures> {
  const recurring = found.filter(({ isRecurring }) => isRecurring)
  const grouped = await families(
    recurring.map(({ id, requests }) => ({ id, texts: requests.map(({ text }) => text) })),
    embedder,
  )
  const familyOf = new Map(grouped.flatMap((ids, family) => ids.map(id => [id, family] as const)))
  const pieces = recurring.map(cluster => ({ ...mainLabel(cluster, set), family: familyOf.get(cluster.id) }))
  const share = (part: Part) => {
    const pairs = pieces
      .filter(piece => piece.part === part && piece.isRecurring)
      .flatMap((left, index, all) =>
        all.slice(index + 1).flatMap(right => (right.name === left.name ? [[left, right] as const] : [])),
      )
    return pairs.filter(([left, right]) => left.family === right.family).length / pairs.length
  }
  return {
    together: Object.fromEntries(parts.map(part => [part, share(part)])) as Record<Part, number>,
    recurring: recurring.length,
    largest: Math.max(0, ...grouped.map(ids => ids.length)),
  }
}

function mainLabel({ requests }: Recurrence, set: LabelledSet) {
  const labels = labelsOf(requests, set)
  const count = (name: string) => labels.filter(label => label.name === name).length
  const [first, ...others] = labels
  if (first === undefined) throw new Error('A cluster has no requests.')
  return others.reduce((best, label) => (count(label.name) > count(best.name) ? label : best), first)
}
