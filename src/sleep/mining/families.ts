import { type Embedder, spaceOf } from './embedded.js'
import { groupsOf, joinNearest, likenessOf, some } from './groups.js'
import { neighbours } from './space.js'

interface FamilyItem {
  readonly id: string
  readonly texts: readonly string[]
}

/**
 * Minimum similarity of related items. It is far below the cluster threshold, because a family that is too
 * large costs little, while one that is too small leaks between splits.
 */
export const related = 0.15
/** Items with a similarity below this value share only common words. */
export const leastAlike = 0.1

/**
 * Groups clusters or tasks, by id, that may ask for the same thing: training on one would leak the others.
 * Each item is in exactly one family, most items alone. Families are built like clusters, but with a much
 * lower threshold. Items join a family only if they are similar to it as a whole, so that families do not
 * chain.
 */
export async function families(
  items: readonly FamilyItem[],
  embedder?: Embedder,
): Promise<readonly (readonly string[])[]> {
  const { parts, itemOf, space } = await compared(items, embedder)
  const groups = groupsOf(parts.filter(({ length }) => length > 0))
  joinNearest(groups, neighbours(space, leastAlike), related, space)
  const found = [...groups.members.values()].map(members =>
    [...new Set(members.map(member => itemOf[member] ?? 0))].sort((left, right) => left - right),
  )
  // An item without texts is similar to nothing.
  const alone = parts.flatMap(({ length }, index) => (length === 0 ? [[index]] : []))
  return [...found, ...alone]
    .sort(([left = 0], [right = 0]) => left - right)
    .map(indices => indices.flatMap(index => items[index]?.id ?? []))
}

/**
 * Returns a function for the similarity of two items by id, from 0 to 1. Families are built from the same
 * measure.
 */
export async function likeness(
  items: readonly FamilyItem[],
  embedder?: Embedder,
): Promise<(one: string, other: string) => number> {
  const { parts, space } = await compared(items, embedder)
  const partOf = new Map(items.map(({ id }, index) => [id, parts[index] ?? []]))
  return (one, other) => {
    const [left = [], right = []] = [partOf.get(one), partOf.get(other)]
    return left.length === 0 || right.length === 0 ? 0 : likenessOf(left, right, space)
  }
}

async function compared(items: readonly FamilyItem[], embedder: Embedder | undefined) {
  const texts: string[] = []
  const itemOf: number[] = []
  const parts = items.map((item, index) =>
    some(item.texts).map(text => {
      itemOf.push(index)
      return texts.push(text) - 1
    }),
  )
  return { parts, itemOf, space: await spaceOf(texts, embedder) }
}
