import type { Draft } from './draft.js'

/**
 * For agents that write a session as a tree, each record with the one before it: what a person went back from is no part
 * of how it went on. Only the branch to the last record stays. A record whose predecessor was lost follows upon the one
 * that is written before it, so that a torn line costs no more than itself.
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
      draft.group(name)
      last = name
    },
    finish() {
      const kept = new Set<string>()
      for (let name = last; name !== undefined && !kept.has(name); name = parents.get(name)) kept.add(name)
      draft.keep(kept)
    },
  }
}
