import type { RunEvent } from './event.js'

/**
 * Reduces an event to the fields that the fold reads. It drops the texts of calls and attempts, which are
 * most of a log. Folding reduced events gives the same view.
 */
export function forView(event: RunEvent): RunEvent {
  switch (event.type) {
    case 'call.finished': {
      const { work: _work, ...body } = event.body
      return { ...event, body: { ...body, messages: [], reply: { role: 'assistant' } } }
    }
    case 'attempt.finished':
      return { ...event, body: { ...event.body, messages: [] } }
    default:
      return event
  }
}
