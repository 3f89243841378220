import type { EventType, RunEvent } from '../core/log/event.js'

/**
 * Events that have an effect's key but are not its result. On resume, replaying one would treat a call that
 * only started, or an external failure, as an answer.
 */
const notResults: ReadonlySet<EventType> = new Set(['call.started', 'call.failed', 'attempt.failed'])

export function isResult(event: RunEvent): boolean {
  return event.key !== undefined && !notResults.has(event.type)
}

export function wrongPlace(seq: number, expected: number): Error {
  return new Error(`Event ${seq} was appended where event ${expected} belongs.`)
}
