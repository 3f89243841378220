import type { Draft } from './draft.js'

/**
 * Orders the records of agents that write a session as a tree, in which each record names its predecessor.
 * Only the branch to the last record is kept, because the user abandoned the others. A record whose
 * predecessor was lost is attached to the record written before it, so that a truncated line loses only
 * itself.
 */
export function createBranches(draft: Draft): {
  enter(name: unknown, before: unknown): void
  finish(): void
} {
  const parents = new Map<string, string | undefined>()
  let last: string | undefined
  return {
    enter(given, before) {
      const name = typeof given === 'string' ? given : `unnamed ${parents.size}`
      const isKnown = before === null || (typeof before === 'string' && parents.has(before))
      const parent = isKnown ? (before ?? undefined) : last
      parents.set(name, parent)
      draft.startGroup(name)
      last = name
    },
    finish() {
      const kept = new Set<string>()
      for (let name = last; name !== undefined && !kept.has(name); name = parents.get(name)) kept.add(name)
      draft.keepGroups(kept)
    },
  }
}
