/** Keys for finding similar items. A heavier key says more about the item. */
export interface Keys {
  readonly keys: Int32Array
  readonly weights: Float32Array
}

/** Items that can be compared. Their similarity is between 0 and 1, and similar items share keys. */
export interface Space {
  readonly size: number
  /** Returns the item's keys, heaviest first. */
  keysOf(item: number): Keys
  similarity(left: number, right: number): number
}

/**
 * Pairs of items, most similar first. They are stored in columns to save memory, because each item can have
 * up to sixteen pairs.
 */
export interface Edges {
  readonly left: Int32Array
  readonly right: Int32Array
  readonly similarity: Float32Array
}

/** Limits on the work per item. They keep the total time linear even if many items share a key. */
const mostVisits = 12_000
const mostCompared = 80
const mostNeighbours = 16

/** Items with a similarity below this value have almost nothing in common. */
const leastAlike = 0.2

/** Finds for each item the most similar earlier items above the minimum similarity. */
export function neighbours(space: Space, least = leastAlike): Edges {
  const postings = new Map<number, number[]>()
  const gathered = new Float32Array(space.size)
  const [lefts, rights, similarities]: [number[], number[], number[]] = [[], [], []]
  for (let item = 0; item < space.size; item += 1) {
    const keys = space.keysOf(item)
    const candidates = gather(keys, postings, gathered)
    const found = heaviest(candidates, gathered)
      .map(other => [other, space.similarity(item, other)] as const)
      .filter(([, similarity]) => similarity >= least)
      .sort(([, left], [, right]) => right - left)
    for (const [other, similarity] of found.slice(0, mostNeighbours)) {
      lefts.push(item)
      rights.push(other)
      similarities.push(similarity)
    }
    for (const candidate of candidates) gathered[candidate] = 0
    for (const key of keys.keys) {
      const items = postings.get(key)
      if (items === undefined) postings.set(key, [item])
      else items.push(item)
    }
  }
  // Pairs of equal similarity keep their order.
  const order = Int32Array.from(lefts.keys()).sort(
    (one, other) => (similarities[other] ?? 0) - (similarities[one] ?? 0) || one - other,
  )
  return {
    left: order.map(at => lefts[at] ?? 0),
    right: order.map(at => rights[at] ?? 0),
    similarity: Float32Array.from(order, at => similarities[at] ?? 0),
  }
}
/**
 * Selects the heaviest candidates without a full sort, because items that share a common word have thousands
 * of candidates.
 */
function heaviest(candidates: readonly number[], gathered: Float32Array): readonly number[] {
  const best: number[] = []
  const weightAt = (place: number) => gathered[best[place] ?? 0] ?? 0
  for (const candidate of candidates) {
    const weight = gathered[candidate] ?? 0
    if (best.length === mostCompared && weight <= weightAt(best.length - 1)) continue
    let place = best.length
    while (place > 0 && weightAt(place - 1) < weight) place -= 1
    best.splice(place, 0, candidate)
    if (best.length > mostCompared) best.pop()
  }
  return best
}

/** Collects earlier items that share a key with this one, latest first, up to the visit limit. */
function gather(
  { keys, weights }: Keys,
  postings: ReadonlyMap<number, readonly number[]>,
  gathered: Float32Array,
): number[] {
  const candidates: number[] = []
  let visits = 0
  for (let at = 0; at < keys.length && visits < mostVisits; at += 1) {
    const items = postings.get(keys[at] ?? 0) ?? []
    const weight = weights[at] ?? 0
    const end = Math.max(0, items.length - (mostVisits - visits))
    visits += items.length - end
    for (let index = items.length - 1; index >= end; index -= 1) {
      const item = items[index] ?? 0
      if (gathered[item] === 0) candidates.push(item)
      gathered[item] = (gathered[item] ?? 0) + weight
    }
  }
  return candidates
}
