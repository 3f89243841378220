import { contentHash } from '../core/hash.js'
import { type Embedder, embeddedSpace } from './embedded.js'
import { lexicalSpace } from './lexical.js'
import { neighbours, type Space } from './space.js'

/** Requests that ask for the same kind of thing. */
export interface Cluster<Request> {
  /** The same from night to night as long as its first request is: what is kept about it is kept under this. */
  readonly id: string
  /** The one that is most like the others. */
  readonly central: Request
  /** In the order in which they came. */
  readonly requests: readonly Request[]
}

interface ClusterRequest {
  readonly id: string
  readonly text: string
}

/**
 * By words, or by words and an embedder's vectors. Clusters of one are among them. The same requests in the same order give the
 * same clusters.
 */
export async function clusterRequests<Request extends ClusterRequest>(
  requests: readonly Request[],
  embedder?: Embedder,
): Promise<readonly Cluster<Request>[]> {
  // Many requests are typed again letter for letter; each text is looked at once.
  const byText = new Map<string, Request[]>()
  for (const request of requests) {
    const text = request.text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
    const same = byText.get(text)
    if (same === undefined) byText.set(text, [request])
    else same.push(request)
  }
  const alike = [...byText.values()]
  const texts = alike.map(([first]) => first?.text ?? '')
  const words = lexicalSpace(texts)
  const space = embedder === undefined ? words : await embeddedSpace(texts, words, embedder)
  const order = new Map(requests.map((request, index) => [request, index]))
  const place = (request: Request) => order.get(request) ?? 0
  const clusters = clusterItems(space).map(items => {
    const of = (item: number) => alike[item] ?? []
    const members = items.flatMap(of).sort((left, right) => place(left) - place(right))
    const [first, central] = [members[0], of(centralOf(items, space))[0]]
    return first === undefined || central === undefined
      ? []
      : [{ id: contentHash(first.id).slice(0, 12), central, requests: members }]
  })
  return clusters.flat().sort((left, right) => firstPlace(left) - firstPlace(right))

  function firstPlace({ requests: [first] }: Cluster<Request>): number {
    return first === undefined ? 0 : place(first)
  }
}

/** Of a large group so many stand for all: enough for an average, few enough that groups may grow. */
const mostAsked = 6

/** The cosine of two groups' centres from which they are one. Measured on the tuned half, see bench/mining.ts. */
const together = 0.525

/** Groups that were too far apart are compared again once they are so many times as large. */
const growth = 1.5

/**
 * The most alike come together first, and two groups only if their centres are alike: a chain of pairs,
 * each alike, does not make one of what has nothing in common at its ends.
 */
function clusterItems(space: Space): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>()
  const groupOf = Array.from({ length: space.size }, (_, item) => {
    groups.set(item, [item])
    return item
  })
  const refused = new Map<string, number>()
  let open = neighbours(space)
  // What was too far apart may have come nearer since; and in the end it has not.
  for (let before = Number.POSITIVE_INFINITY; open.length < before; ) {
    before = open.length
    open = open.filter(({ left, right }) => {
      const [one, other] = [groupOf[left] ?? left, groupOf[right] ?? right]
      if (one === other) return false
      const isLarger = (groups.get(one)?.length ?? 0) >= (groups.get(other)?.length ?? 0)
      const [into, from] = isLarger ? [one, other] : [other, one]
      const [kept, joining] = [groups.get(into) ?? [], groups.get(from) ?? []]
      const pair = `${into} ${from}`
      const size = kept.length + joining.length
      // Thousands of pairs lie between two large groups: they are asked again when they have become others.
      if (size < growth * (refused.get(pair) ?? 0)) return true
      if (centreSimilarity(kept, joining, space) < together) {
        refused.set(pair, size)
        return true
      }
      for (const item of joining) {
        kept.push(item)
        groupOf[item] = into
      }
      groups.delete(from)
      return false
    })
  }
  return [...groups.values()].map(items => items.sort((left, right) => left - right))
}

/** A group of many wordings is wide: what is compared is its centre, not how far its members are from each other. */
function centreSimilarity(left: readonly number[], right: readonly number[], space: Space): number {
  const within = averageSimilarity(left, left, space) * averageSimilarity(right, right, space)
  return within === 0 ? 0 : averageSimilarity(left, right, space) / Math.sqrt(within)
}

function averageSimilarity(left: readonly number[], right: readonly number[], space: Space): number {
  const [lefts, rights] = [some(left), some(right)]
  let sum = 0
  for (const one of lefts) for (const other of rights) sum += space.similarity(one, other)
  return sum / (lefts.length * rights.length)
}

function centralOf(items: readonly number[], space: Space): number {
  const asked = some(items)
  let [central, best] = [items[0] ?? 0, -1]
  for (const item of items.slice(0, 1000)) {
    const likeness = averageSimilarity([item], asked, space)
    if (likeness > best) [central, best] = [item, likeness]
  }
  return central
}

/** Evenly over all. */
function some(items: readonly number[]): readonly number[] {
  if (items.length <= mostAsked) return items
  return Array.from(
    { length: mostAsked },
    (_, index) => items[Math.floor((index * items.length) / mostAsked)] ?? 0,
  )
}
