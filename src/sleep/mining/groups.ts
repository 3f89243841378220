import { Heap } from './heap.js'
import type { Edges, Space } from './space.js'

/** Maps each group's id to its members. `of` holds the group of each item. */
export interface Groups {
  readonly members: Map<number, number[]>
  readonly of: number[]
}

/** Number of members that represent a large group: enough for an average, few enough to stay fast. */
const mostAsked = 6

/** Groups that were too dissimilar are compared again once their joint size grew by this factor. */
const growth = 1.5

/** Creates groups from lists of items. Each group is identified by its first item. */
export function groupsOf(parts: Iterable<readonly number[]>): Groups {
  const members = new Map<number, number[]>()
  const of: number[] = []
  for (const items of parts) {
    const [name = 0] = items
    members.set(name, [...items])
    for (const item of items) of[item] = name
  }
  return { members, of }
}

interface Waiting {
  readonly one: number
  readonly other: number
  readonly likeness: number
  /** Joint size of the two groups when they were compared. */
  readonly size: number
}

/**
 * Joins the most similar groups first. Groups join only if they are similar as a whole, so that a chain of
 * similar pairs does not connect unrelated ends.
 */
export function joinNearest(groups: Groups, edges: Edges, together: number, space: Space): void {
  const sizeOf = (name: number) => groups.members.get(name)?.length ?? 0
  const groupOf = (item: number | undefined) => groups.of[item ?? 0] ?? 0
  // Comparing two large groups takes many pairs, so they are compared again only after they have grown.
  const compared = new Map<number, number>()
  const waiting = new Heap<Waiting>(({ likeness }) => likeness)
  const compare = (one: number, other: number) => {
    const key = Math.min(one, other) * space.size + Math.max(one, other)
    const size = sizeOf(one) + sizeOf(other)
    if (one === other || size < growth * (compared.get(key) ?? 0)) return
    compared.set(key, size)
    const likeness = likenessOf(groups.members.get(one) ?? [], groups.members.get(other) ?? [], space)
    if (likeness >= together) waiting.push({ one, other, likeness, size })
  }
  const joinWaiting = (least: number) => {
    for (let next = waiting.greatest; next !== undefined && next.likeness >= least; next = waiting.greatest) {
      waiting.pop()
      const [one, other] = [groupOf(next.one), groupOf(next.other)]
      const size = sizeOf(one) + sizeOf(other)
      const isSame = one === next.one && other === next.other && size < growth * next.size
      if (!isSame) compare(one, other)
      else if (sizeOf(one) >= sizeOf(other)) join(groups, one, other)
      else join(groups, other, one)
    }
  }
  // Groups that were too dissimilar may become similar as they grow, so the loop repeats until no groups
  // join.
  for (let before = Number.POSITIVE_INFINITY; groups.members.size < before; ) {
    before = groups.members.size
    for (let at = 0; at < edges.left.length; at += 1) {
      joinWaiting(edges.similarity[at] ?? 0)
      compare(groupOf(edges.left[at]), groupOf(edges.right[at]))
    }
    joinWaiting(together)
  }
}

/** Minimum size of a group that can absorb smaller ones. */
const largeEnough = 3
const mostRivals = 8
const rounds = 2

/**
 * Thresholds for attaching a small group to a larger one: `near` is the minimum similarity of their centres,
 * `ahead` the minimum lead over the next candidate.
 */
export interface Attachment {
  readonly near: number
  readonly ahead: number
}

/**
 * Attaches leftover small groups to the larger group with the nearest centre. The centre of several wordings
 * is more reliable than one wording, so a lower similarity is enough. If another group is nearly as close,
 * the small group stays alone.
 */
export function attachSmall(groups: Groups, edges: Edges, { near, ahead }: Attachment, space: Space): void {
  for (let round = 0; round < rounds; round += 1) {
    const moves: (readonly [number, number])[] = []
    for (const [name, rivals] of rivalsOf(groups, edges)) {
      const items = groups.members.get(name) ?? []
      const ranked = rivals
        .map(rival => [rival, centreCosine(items, groups.members.get(rival) ?? [], space)] as const)
        .sort(([, left], [, right]) => right - left)
      const [[nearest, cosine] = [name, 0], [, next] = [name, 0]] = ranked
      if (cosine >= near && cosine - next >= ahead) moves.push([nearest, name])
    }
    // All moves of a round are applied together, so that their order does not matter.
    for (const [into, from] of moves) join(groups, into, from)
  }
}

/** Finds for each small group the larger groups that it is most connected to. */
function rivalsOf({ members, of }: Groups, edges: Edges): ReadonlyMap<number, readonly number[]> {
  const isSmall = (name: number) => (members.get(name)?.length ?? 0) < largeEnough
  const ties = new Map<number, Map<number, number>>()
  const put = (small: number, large: number, similarity: number) => {
    const found = ties.get(small) ?? new Map<number, number>()
    ties.set(small, found.set(large, (found.get(large) ?? 0) + similarity))
  }
  for (let at = 0; at < edges.left.length; at += 1) {
    const [one, other] = [of[edges.left[at] ?? 0] ?? 0, of[edges.right[at] ?? 0] ?? 0]
    const similarity = edges.similarity[at] ?? 0
    if (isSmall(one) && !isSmall(other)) put(one, other, similarity)
    if (isSmall(other) && !isSmall(one)) put(other, one, similarity)
  }
  const strongest = (found: ReadonlyMap<number, number>) =>
    [...found]
      .sort(([, left], [, right]) => right - left)
      .slice(0, mostRivals)
      .map(([name]) => name)
  return new Map([...ties].map(([small, found]) => [small, strongest(found)]))
}

/**
 * Returns the geometric mean of two similarities: that of the centres, which is often high for diverse
 * groups, and that of the members, which rarely is.
 */
export function likenessOf(left: readonly number[], right: readonly number[], space: Space): number {
  const across = averageSimilarity(left, right, space)
  return across === 0 ? 0 : Math.sqrt(across * centreCosine(left, right, space, across))
}

/**
 * Cosine between the centres of two groups. In a group of many wordings the members are far apart, so the
 * centres say more than distances between members.
 */
function centreCosine(
  left: readonly number[],
  right: readonly number[],
  space: Space,
  across = averageSimilarity(left, right, space),
): number {
  const within = averageSimilarity(left, left, space) * averageSimilarity(right, right, space)
  return within === 0 ? 0 : across / Math.sqrt(within)
}

export function averageSimilarity(left: readonly number[], right: readonly number[], space: Space): number {
  const [lefts, rights] = [some(left), some(right)]
  let sum = 0
  for (const one of lefts) for (const other of rights) sum += space.similarity(one, other)
  return sum / (lefts.length * rights.length)
}

function join({ members, of }: Groups, into: number, from: number): void {
  const kept = members.get(into)
  for (const item of members.get(from) ?? []) {
    kept?.push(item)
    of[item] = into
  }
  members.delete(from)
}

/** Returns an evenly spaced sample of the items. */
export function some<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length <= mostAsked) return items
  return Array.from({ length: mostAsked }, (_, index) =>
    Math.floor((index * items.length) / mostAsked),
  ).flatMap(at => items.slice(at, at + 1))
}
