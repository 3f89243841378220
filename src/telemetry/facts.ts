import type { RunEvent } from '../core/log/event.js'

export type Facts = Record<string, string | number | boolean>

/** Text fields that hold names, ids or fixed values. Other texts could contain a prompt or an answer. */
const names = new Set([
  'kind',
  'product',
  'stage',
  'role',
  'model',
  'task',
  'type',
  'skill',
  'candidate',
  'split',
  'stop',
  'action',
  'what',
  'outcome',
  'which',
  'reason',
  'verdict',
  'verdict.decision',
  'outcome.status',
  'outcome.stop',
  'outcome.failure.kind',
])

/** Fields with error messages. They quote the provider, and some of them repeat the request. */
const sentences = new Set(['message', 'hint', 'outcome.failure.message'])

/** Fields with the run's definition. It is in the run's own files and would hide everything else. */
const left = new Set(['config', 'sources', 'fingerprints'])

/**
 * The content of an event without prompts and answers: numbers, names, and the lengths of lists. A text field
 * that is added later is left out until someone lists it here.
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
