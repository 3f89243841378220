import type { SessionRequest } from '../model/session-request.js'
import type { TaskBook } from '../model/sleep-task.js'
import { type Cluster, clusterRequests } from './clusters.js'
import type { Embedder } from './embedded.js'

type Known = Pick<TaskBook, 'tasks' | 'dropped' | 'passedOver'>

/** Clusters of the requests read now, with links to remembered requests of earlier nights. */
export interface Remembering {
  readonly clusters: readonly Cluster<SessionRequest>[]
  readonly memory: Memory
}

export interface Memory {
  /** Ids of all compared requests, read now or remembered. */
  readonly compared: ReadonlySet<string>
  /** Maps a cluster id to the ids of remembered requests of the same kind. */
  readonly alike: ReadonlyMap<string, readonly string[]>
}

interface Remembered {
  readonly id: string
  readonly text: string
}

/**
 * Clusters the requests together with the examples of known tasks. The sessions of those examples may be
 * deleted or too old by now, so this is how a repeated request is recognised, whether its task is wanted or
 * was dropped. The examples have no other effect.
 */
export async function clusterWithMemory(
  requests: readonly SessionRequest[],
  known: Known,
  embedder?: Embedder,
): Promise<Remembering> {
  const read = new Map(requests.map(request => [request.id, request]))
  const remembered = rememberedIn(known).filter(({ id }) => !read.has(id))
  // A cluster takes its id from its first request, so remembered requests come last.
  const found = await clusterRequests<Remembered>([...requests, ...remembered], embedder)
  const alike = new Map<string, readonly string[]>()
  const clusters = found.flatMap(({ id, central, requests: all }): Cluster<SessionRequest>[] => {
    const members = all.flatMap(one => read.get(one.id) ?? [])
    const [first] = members
    if (first === undefined) return []
    alike.set(
      id,
      all.flatMap(one => (read.has(one.id) ? [] : one.id)),
    )
    return [{ id, central: read.get(central.id) ?? first, requests: members }]
  })
  return {
    clusters,
    memory: { compared: new Set([...read.keys(), ...remembered.map(({ id }) => id)]), alike },
  }
}

function rememberedIn({ tasks, dropped, passedOver }: Known): readonly Remembered[] {
  const examples = [...tasks, ...dropped.map(({ task }) => task)].flatMap(task => task.examples)
  const all = [
    ...examples.map(({ request, text }) => ({ id: request, text })),
    // A request that was passed over has no examples; its most typical text stands for all its wordings.
    ...passedOver.flatMap(({ requestIds: [id], text }) => (id === undefined ? [] : [{ id, text }])),
  ]
  return [...new Map(all.map(one => [one.id, one])).values()]
}
