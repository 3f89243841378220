import type { TaskBook } from '../model/sleep-task.js'
import type { Memory } from './memory.js'
import type { Recurrence } from './recurrence.js'

export interface Matched {
  /** Maps the id of each known task that recurs to its current recurrence. */
  readonly known: ReadonlyMap<string, Recurrence>
  /** Recurring requests that match no known, dropped or passed-over task, most recurring first. */
  readonly fresh: readonly Recurrence[]
}

/**
 * Minimum overlap of two sets of requests to count as the same task, as a share of the smaller set. Only
 * requests that were compared count.
 */
const sameFrom = 0.5

/**
 * Matches recurring requests to known tasks by the requests they share. This works because a request id
 * stands for the same words, session and time. The largest overlap is matched first. A known task matches at
 * most one recurrence; a dropped or passed-over one matches every recurrence that it overlaps with.
 */
export function matchTasks(
  { tasks, dropped, passedOver }: Pick<TaskBook, 'tasks' | 'dropped' | 'passedOver'>,
  recurring: readonly Recurrence[],
  { compared, alike }: Memory,
): Matched {
  const present = (ids: readonly string[]) => new Set(ids.filter(id => compared.has(id)))
  const earlier = [
    ...tasks.map(({ id, evidence }) => ({ id, ids: present(evidence.requestIds) })),
    ...[...dropped, ...passedOver].map(({ requestIds }) => ({ id: undefined, ids: present(requestIds) })),
  ]
  const pairs = recurring.flatMap(recurrence => {
    const requests = new Set([
      ...recurrence.requests.map(({ id }) => id),
      ...(alike.get(recurrence.id) ?? []),
    ])
    return earlier.flatMap(task => {
      const shared = [...requests].filter(id => task.ids.has(id)).length
      const isSame = shared > 0 && shared >= sameFrom * Math.min(requests.size, task.ids.size)
      return isSame ? [{ recurrence, task, shared }] : []
    })
  })
  // The sort is stable. Among pairs with equal overlap, the more recurring request and the earlier task come
  // first.
  pairs.sort((left, right) => right.shared - left.shared)
  const known = new Map<string, Recurrence>()
  const taken = new Set<Recurrence>()
  for (const { recurrence, task } of pairs) {
    if (taken.has(recurrence) || (task.id !== undefined && known.has(task.id))) continue
    if (task.id !== undefined) known.set(task.id, recurrence)
    taken.add(recurrence)
  }
  return { known, fresh: recurring.filter(recurrence => !taken.has(recurrence)) }
}
