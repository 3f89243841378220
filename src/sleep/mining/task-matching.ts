import type { TaskBook } from '../model/sleep-task.js'
import type { Memory } from './memory.js'
import type { Recurrence } from './recurrence.js'

export interface Matched {
  /** Id of a known task -> what was seen of it now. */
  readonly known: ReadonlyMap<string, Recurrence>
  /** Neither known, nor what a person did not want or a model made no task of. What recurs most comes first. */
  readonly fresh: readonly Recurrence[]
}

/** Of the smaller of two sets of requests, so much in common makes them one task. Only what was compared counts. */
const sameFrom = 0.5

/**
 * Which recurring requests are tasks that are known already: by the requests that they have in common, since nobody can
 * say the same words in the same session at the same time again. The most in common goes first. A task is one of
 * them; what is not wanted stays away, in however many pieces it is found.
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
  // Stable: among equals, what recurs more and what stands first in the book goes first.
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
