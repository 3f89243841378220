import type { SessionRequest } from '../model/session-request.js'
import type { TaskBook } from '../model/sleep-task.js'
import { type Cluster, clusterRequests } from './clusters.js'
import type { Embedder } from './embedded.js'

type Known = Pick<TaskBook, 'tasks' | 'dropped' | 'passedOver'>

/** What was read, with what is known of earlier nights beside it. */
export interface Remembering {
  readonly clusters: readonly Cluster<SessionRequest>[]
  readonly memory: Memory
}

export interface Memory {
  /** Ids of all requests that were compared: read now, or remembered. */
  readonly compared: ReadonlySet<string>
  /** Id of a cluster -> ids of remembered requests that ask for the same. */
  readonly alike: ReadonlyMap<string, readonly string[]>
}

interface Remembered {
  readonly id: string
  readonly text: string
}

/**
 * Clusters of what was read. The examples of known tasks are compared too, whose sessions may be deleted or too old by now:
 * what is asked for again is then known again, be it wanted or not. They count for nothing else.
 */
export async function clusterWithMemory(
  requests: readonly SessionRequest[],
  known: Known,
  embedder?: Embedder,
): Promise<Remembering> {
  const read = new Map(requests.map(request => [request.id, request]))
  const remembered = rememberedIn(known).filter(({ id }) => !read.has(id))
  // Last, since a cluster is called after its first request.
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
    // Of these there are no examples, but the most typical text, which stands for any of its requests.
    ...passedOver.flatMap(({ requestIds: [id], text }) => (id === undefined ? [] : [{ id, text }])),
  ]
  return [...new Map(all.map(one => [one.id, one])).values()]
}
