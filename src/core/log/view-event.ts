import type { RunEvent } from './event.js'

/**
 * An event as far as the fold looks at it: without what was said in calls and attempts, which is most of a log. Folding
 * these gives the same view.
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
