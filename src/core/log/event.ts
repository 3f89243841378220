import { z } from 'zod'
import { runEvents } from './run-events.js'
import { trainingEvents } from './training-events.js'

export type {
  FailurePattern,
  Patch,
  Place,
  RecordedEdit,
  Reservation,
  StageName,
  Summary,
} from './event-parts.js'
export { logVersion } from './run-events.js'
export { stageNames } from './stage-names.js'

/**
 * The run's single source of truth: an append-only log of these events. CLI progress, resume, reports and
 * the files in the run directory are all derived from it.
 */
export const eventBodies = { ...runEvents, ...trainingEvents } as const

export type EventType = keyof typeof eventBodies
export type EventBody<T extends EventType> = z.output<(typeof eventBodies)[T]>

/**
 * `key` identifies the work whose result the event records. An event with a key is written once and replayed
 * on resume.
 */
export type RunEvent = {
  [T in EventType]: {
    readonly seq: number
    readonly at: number
    readonly type: T
    readonly key?: string
    readonly body: EventBody<T>
  }
}[EventType]

export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>

const envelope = z.object({
  seq: z.int().nonnegative(),
  at: z.number(),
  type: z.enum(Object.keys(eventBodies) as [EventType, ...EventType[]]),
  key: z.string().optional(),
  body: z.unknown(),
})

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventBodies, type)

/** Path of the first invalid value in an event's body; undefined if the body is valid. */
export function eventProblem({ type, body }: RunEvent): string | undefined {
  const [issue] = eventBodies[type].safeParse(body).error?.issues ?? []
  return issue === undefined ? undefined : ['body', ...issue.path].join('.')
}

/**
 * Validates a whole event. Used for tests, imports and readers of `--json`; a run skips it for the events
 * that it built itself.
 */
export function parseEvent(value: unknown): RunEvent {
  const { body, ...rest } = envelope.parse(value)
  return { ...rest, body: eventBodies[rest.type].parse(body) } as RunEvent
}
