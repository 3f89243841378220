import { type Embedder, spaceOf } from './embedded.js'
import { groupsOf, joinNearest, likenessOf, some } from './groups.js'
import { neighbours } from './space.js'

interface FamilyItem {
  readonly id: string
  readonly texts: readonly string[]
}

/** Far less than makes a cluster: a family too large costs a little, one too small lets a split leak. */
export const related = 0.15
/** Below it, two have nothing in common but common words. */
export const leastAlike = 0.1

/**
 * Clusters, or tasks, that may be pieces of one intent, by their ids: what is learned from one gives the others away.
 * Each is in one family, most of them alone. Families grow as clusters do, the most alike first and only if they are
 * alike as a whole, so that they do not chain; but much less likeness is enough.
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
  // What has no texts is like nothing.
  const alone = parts.flatMap(({ length }, index) => (length === 0 ? [[index]] : []))
  return [...found, ...alone]
    .sort(([left = 0], [right = 0]) => left - right)
    .map(indices => indices.flatMap(index => items[index]?.id ?? []))
}

/** How like two of the items are, by their ids, from 0 to 1: what families go by. */
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
