import type { TaskBook } from '../model/sleep-task.js'
import type { Memory } from './memory.js'
import type { Recurrence } from './recurrence.js'

export interface Matched {
  /** Maps the id of a known task to its current recurrence. */
  readonly known: ReadonlyMap<string, Recurrence>
  /** Recurring requests that are not known, dropped or passed over. Most recurring first. */
  readonly fresh: readonly Recurrence[]
}

/**
 * Minimum overlap, as a share of the smaller of two request sets, for them to be one task. Only compared
 * requests count.
 */
const sameFrom = 0.5

/**
 * Matches recurring requests to known tasks by the requests they share, because a request id (same words,
 * session and time) is unique. The largest overlap is matched first. A task matches one recurrence; dropped
 * and passed-over ones match every recurrence they overlap with.
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
  // The sort is stable: among equals, the more recurring request and the earlier task in the book come
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
