import { contentHash } from '../../core/text/hash.js'
import { type Embedder, spaceOf } from './embedded.js'
import { attachSmall, averageSimilarity, groupsOf, joinNearest, some } from './groups.js'
import { neighbours, type Space } from './space.js'

/** A cluster holds similar requests, which probably ask for the same kind of work. */
export interface Cluster<Request> {
  /** Stays the same from night to night while the first request does. Stored data is keyed by it. */
  readonly id: string
  /** The request that is most similar to the others. */
  readonly central: Request
  /** All requests of the cluster, in their original order. */
  readonly requests: readonly Request[]
}

interface ClusterRequest {
  readonly id: string
  readonly text: string
}

/**
 * Groups similar requests into clusters, by their words or by words and an embedder's vectors. A request
 * without a similar one forms a cluster of its own. The same requests in the same order always give the same
 * clusters.
 */
export async function clusterRequests<Request extends ClusterRequest>(
  requests: readonly Request[],
  embedder?: Embedder,
): Promise<readonly Cluster<Request>[]> {
  // Many requests are repeated verbatim, so each distinct text is processed once.
  const byText = new Map<string, Request[]>()
  for (const request of requests) {
    const text = request.text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
    const same = byText.get(text)
    if (same === undefined) byText.set(text, [request])
    else same.push(request)
  }
  const alike = [...byText.values()]
  const texts = alike.map(([first]) => first?.text ?? '')
  const space = await spaceOf(texts, embedder)
  const order = new Map(requests.map((request, index) => [request, index]))
  const place = (request: Request) => order.get(request) ?? 0
  const clusters = clusterItems(space, embedder === undefined ? together.words : together.vectors).map(
    items => {
      const of = (item: number) => alike[item] ?? []
      const members = items.flatMap(of).sort((left, right) => place(left) - place(right))
      const [first, central] = [members[0], of(centralOf(items, space))[0]]
      return first === undefined || central === undefined
        ? []
        : [{ id: contentHash(first.id).slice(0, 12), central, requests: members }]
    },
  )
  return clusters.flat().sort((left, right) => firstPlace(left) - firstPlace(right))

  function firstPlace({ requests: [first] }: Cluster<Request>): number {
    return first === undefined ? 0 : place(first)
  }
}

/** These thresholds were tuned on the tuning part of the labelled requests; see bench/mining.ts. */
const together = { words: 0.55, vectors: 0.53 }
const attachment = { near: 0.42, ahead: 0.12 }

function clusterItems(space: Space, alike: number): readonly (readonly number[])[] {
  const groups = groupsOf(Array.from({ length: space.size }, (_, item) => [item]))
  const edges = neighbours(space)
  joinNearest(groups, edges, alike, space)
  attachSmall(groups, edges, attachment, space)
  return [...groups.members.values()].map(items => items.sort((left, right) => left - right))
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
