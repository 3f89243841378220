import type { RunEvent } from '../core/log/event.js'

export type Facts = Record<string, string | number | boolean>

/** Words that are names, ids or one of a few: everything else that is text could hold a prompt or an answer. */
const names = new Set([
  ...['kind', 'product', 'stage', 'role', 'model', 'task', 'type', 'skill', 'candidate', 'split'],
  ...['stop', 'action', 'what', 'outcome', 'which', 'reason', 'verdict', 'verdict.decision'],
  ...['outcome.status', 'outcome.stop', 'outcome.failure.kind'],
])

/** Sentences about what went wrong. They quote what a provider said, and some repeat what they were sent. */
const sentences = new Set(['message', 'hint', 'outcome.failure.message'])

/** What the run is made of: the log and its files have it, and it would bury the rest. */
const left = new Set(['config', 'sources', 'fingerprints'])

/**
 * What an event says, without the texts that went through it: figures, names, and how many there are of what is listed.
 * A field that a later version adds is left out if it is text, until somebody has looked at it.
 */
export function facts(event: RunEvent, options: { readonly sentences: boolean }): Facts {
  const found: Facts = {}
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'number' || typeof value === 'boolean') found[path] = value
    else if (typeof value === 'string') {
      if (names.has(path) || (options.sentences && sentences.has(path))) found[path] = value
    } else if (Array.isArray(value)) found[path] = value.length
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        if (path !== '' || !left.has(key)) visit(inner, path === '' ? key : `${path}.${key}`)
      }
    }
  }
  visit(event.body, '')
  return found
}
