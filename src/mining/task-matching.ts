import type { DroppedTask, PassedOver, TaskBook } from '../core/sleep-task.js'
import type { Recurrence } from './recurrence.js'

export interface Matched {
  /** Id of a known task -> what was seen of it now. */
  readonly known: ReadonlyMap<string, Recurrence>
  /** What a person did not want, or a model made no task of, seen again. */
  readonly unwanted: readonly { readonly of: DroppedTask | PassedOver; readonly recurrence: Recurrence }[]
  /** What recurs most comes first. */
  readonly fresh: readonly Recurrence[]
}

/** Of the smaller of two sets of requests, so much in common makes them one task. */
const sameFrom = 0.5

/**
 * Which recurring requests are tasks that are known already: by the requests that they have in common, since nobody can
 * say the same words in the same session at the same time again. The most in common goes first. A task is one of
 * them; what is not wanted stays away, in however many pieces it is found.
 */
export function matchTasks(
  { tasks, dropped, passedOver }: Pick<TaskBook, 'tasks' | 'dropped' | 'passedOver'>,
  recurring: readonly Recurrence[],
): Matched {
  const earlier = [
    ...tasks.map(task => ({ of: task, ids: new Set(task.evidence.requestIds) })),
    ...[...dropped, ...passedOver].map(one => ({ of: one, ids: new Set(one.requestIds) })),
  ]
  const pairs = recurring.flatMap(recurrence => {
    const requests = new Set(recurrence.requests.map(({ id }) => id))
    return earlier.flatMap(task => {
      const shared = [...requests].filter(id => task.ids.has(id)).length
      const isSame = shared > 0 && shared >= sameFrom * Math.min(requests.size, task.ids.size)
      return isSame ? [{ recurrence, task, shared }] : []
    })
  })
  // Stable: among equals, what recurs more and what stands first in the book goes first.
  pairs.sort((left, right) => right.shared - left.shared)
  const known = new Map<string, Recurrence>()
  const unwanted: { of: DroppedTask | PassedOver; recurrence: Recurrence }[] = []
  const taken = new Set<Recurrence>()
  for (const { recurrence, task } of pairs) {
    if (taken.has(recurrence)) continue
    if (!('evidence' in task.of)) unwanted.push({ of: task.of, recurrence })
    else if (known.has(task.of.id)) continue
    else known.set(task.of.id, recurrence)
    taken.add(recurrence)
  }
  return { known, unwanted, fresh: recurring.filter(recurrence => !taken.has(recurrence)) }
}
