import type { Role } from '../src/core/ports/model.js'
import type { Call } from './call-graph.js'

export interface Bound {
  readonly ms: number
  /** Priority rule that gave the shortest schedule. */
  readonly rule: string
  /** Lower bounds of any schedule: a role's work divided by its lanes, and the longest chain of calls. */
  readonly workMs: number
  readonly chainMs: number
}

type Lanes = Readonly<Partial<Record<Role, number>>>

/** The ideal schedule: only calls take time, and a free lane starts any ready call at once. */
export function listSchedule(calls: readonly Call[], lanes: Lanes): Bound {
  const tails = longestTails(calls)
  const rules: Record<string, (index: number) => number> = {
    'longest chain first': index => tails[index] ?? 0,
    'as it was': index => -(calls[index]?.started ?? 0),
    'longest call first': index => calls[index]?.ms ?? 0,
    'as it was, chains of the optimizer first': index =>
      -(calls[index]?.started ?? 0) + 2 * (tails[index] ?? 0),
  }
  const schedules = Object.entries(rules).map(([rule, priority]) => ({
    rule,
    ms: makespan(calls, lanes, priority),
  }))
  const best = schedules.reduce((shortest, schedule) => (schedule.ms < shortest.ms ? schedule : shortest))
  const roles = Object.entries(lanes) as [Role, number][]
  const workOf = (role: Role) => calls.reduce((sum, call) => sum + (call.role === role ? call.ms : 0), 0)
  return {
    ...best,
    workMs: Math.max(...roles.map(([role, count]) => workOf(role) / count)),
    chainMs: Math.max(...tails),
  }
}

/** For each call, its own time plus the longest chain of calls that depend on it. */
function longestTails(calls: readonly Call[]): number[] {
  const tails = calls.map(call => call.ms)
  // Calls come after their dependencies, so iterating backwards visits every call before the calls it
  // depends on.
  for (let index = calls.length - 1; index >= 0; index--) {
    for (const needed of calls[index]?.needs ?? []) {
      tails[needed] = Math.max(tails[needed] ?? 0, (calls[needed]?.ms ?? 0) + (tails[index] ?? 0))
    }
  }
  return tails
}

function makespan(calls: readonly Call[], lanes: Lanes, priority: (index: number) => number): number {
  const missing = calls.map(call => call.needs.length)
  const dependents: number[][] = calls.map(() => [])
  calls.forEach((call, index) => {
    for (const needed of call.needs) dependents[needed]?.push(index)
  })
  const free = new Map(Object.entries(lanes) as [Role, number][])
  const ready = new Map([...free.keys()].map(role => [role, new Heap(priority)]))
  const running = new Heap(index => -(ends[index] ?? 0))
  const ends: number[] = []
  const makeReady = (index: number) => {
    const call = calls[index]
    if (call !== undefined) ready.get(call.role)?.push(index)
  }
  missing.forEach((count, index) => {
    if (count === 0) makeReady(index)
  })
  let now = 0
  for (;;) {
    for (const [role, heap] of ready) {
      let count = free.get(role) ?? 0
      for (; count > 0 && heap.size > 0; count--) {
        const index = heap.pop() ?? 0
        ends[index] = now + (calls[index]?.ms ?? 0)
        running.push(index)
      }
      free.set(role, count)
    }
    const done = running.pop()
    if (done === undefined) return now
    now = ends[done] ?? now
    const role = calls[done]?.role ?? 'target'
    free.set(role, (free.get(role) ?? 0) + 1)
    for (const dependent of dependents[done] ?? []) {
      missing[dependent] = (missing[dependent] ?? 0) - 1
      if (missing[dependent] === 0) makeReady(dependent)
    }
  }
}

/** Highest priority first; ties by the order in the log. */
class Heap {
  readonly #items: number[] = []
  readonly #priority: (index: number) => number
  constructor(priority: (index: number) => number) {
    this.#priority = priority
  }

  get size(): number {
    return this.#items.length
  }

  push(item: number): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isBefore(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): number | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (first === undefined || last === undefined || items.length === 0) return first
    items[0] = last
    for (let at = 0; ; ) {
      let next = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && this.#isBefore(child, next)) next = child
      }
      if (next === at) return first
      this.#swap(at, next)
      at = next
    }
  }

  #isBefore(a: number, b: number): boolean {
    const [left = 0, right = 0] = [this.#items[a], this.#items[b]]
    const difference = this.#priority(left) - this.#priority(right)
    return difference === 0 ? left < right : difference > 0
  }

  #swap(a: number, b: number): void {
    const held = this.#items[a] ?? 0
    this.#items[a] = this.#items[b] ?? 0
    this.#items[b] = held
  }
}
