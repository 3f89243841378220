import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { EventOf, Place, RunEvent } from '../core/log/event.js'
import type { Role } from '../core/ports/model.js'
import { callAttributes, messageAttributes, namesOf, replyAttributes, withPrefix } from './attributes.js'
import { facts } from './facts.js'
import type { Said } from './texts.js'

export interface SpanSettings {
  readonly tracer: Tracer
  readonly run: string
  readonly models: Readonly<Partial<Record<Role, string>>>
  readonly texts: boolean
  redact(text: string): string
}

/** A part of the run with a span. It ends with its last event, which is known only from a later event. */
interface Part {
  readonly span: Span
  readonly context: Context
  readonly parent: Part | undefined
  readonly epoch: number
  readonly step: number
  lastAt: number
  ended: boolean
}

/**
 * Turns events into spans: run > epoch > step > stage > call or attempt. Nothing is reported twice, because
 * what a resumed run reads from its log produces no events. A step that began in an earlier session is opened
 * by the first event that names it.
 */
export class SpanReader {
  readonly #settings: SpanSettings
  readonly #parts = new Map<string, Part>()
  readonly #calls = new Map<string, Span>()
  #run: Part | undefined

  constructor(settings: SpanSettings) {
    this.#settings = settings
  }

  event(event: RunEvent, said?: Said): void {
    const part = this.#partOf(event)
    for (let around: Part | undefined = part; around !== undefined; around = around.parent) {
      around.lastAt = Math.max(around.lastAt, event.at)
    }
    switch (event.type) {
      case 'call.started':
        this.#callStarted(event, part)
        break
      case 'call.failed':
        this.#callFailed(event)
        break
      case 'call.finished':
        this.#callFinished(event, part, said)
        break
      case 'attempt.finished':
      case 'attempt.failed':
        this.#attempt(event, part)
        break
      default:
        this.#note(event, part.span)
    }
  }

  /** Ends all open spans: calls in progress first, then the parts from the inside out. */
  close(): Promise<void> {
    const at = this.#run?.lastAt ?? 0
    for (const span of this.#calls.values()) {
      this.#fail(span, 'unfinished')
      span.end(timeOf(at))
    }
    this.#calls.clear()
    this.#end([...this.#parts.values()])
    if (this.#run !== undefined) this.#end([this.#run])
    return Promise.resolve()
  }

  #partOf(event: RunEvent): Part {
    this.#run ??= this.#open(`run ${this.#settings.run}`, undefined, event.at, { epoch: 0, step: 0 })
    const place = placeOf(event)
    if (place === undefined) return this.#run
    if (event.type === 'step.started') this.#endBefore(place)
    const { epoch, step, stage } = place
    const inEpoch =
      epoch === 0 ? this.#run : this.#part(`epoch ${epoch}`, this.#run, event.at, { epoch, step: 0 })
    const inStep = step === 0 ? inEpoch : this.#part(`step ${step}`, inEpoch, event.at, { epoch, step })
    return stage === undefined
      ? inStep
      : this.#part(`${stage}`, inStep, event.at, { epoch, step }, `${stage} ${epoch} ${step}`)
  }

  #part(name: string, parent: Part, at: number, place: { epoch: number; step: number }, key = name): Part {
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const part = this.#open(name, parent, at, place)
    this.#parts.set(key, part)
    return part
  }

  #open(name: string, parent: Part | undefined, at: number, place: { epoch: number; step: number }): Part {
    const attributes = { 'skillopt.run': this.#settings.run, ...withPrefix(place) }
    const span = this.#settings.tracer.startSpan(
      name,
      { startTime: timeOf(at), attributes },
      parent?.context ?? ROOT_CONTEXT,
    )
    return { span, context: trace.setSpan(ROOT_CONTEXT, span), parent, ...place, lastAt: at, ended: false }
  }

  /** Ends the parts before a step. An event that arrives late is still added to its own part. */
  #endBefore({ epoch, step }: { epoch: number; step: number }): void {
    const over = (part: Part) => (part.step === 0 ? part.epoch > 0 && part.epoch < epoch : part.step < step)
    this.#end([...this.#parts.values()].filter(over))
  }

  #end(parts: readonly Part[]): void {
    for (const part of parts.filter(({ ended }) => !ended).reverse()) {
      part.span.end(timeOf(part.lastAt))
      part.ended = true
    }
  }

  #callStarted({ at, key = '', body }: EventOf<'call.started'>, part: Part): void {
    if (!this.#calls.has(key)) this.#calls.set(key, this.#startCall(at, body, part))
  }

  #startCall(at: number, body: Place & { role: Role; model?: string }, part: Part): Span {
    const { operation, ...names } = namesOf(body.model ?? this.#settings.models[body.role])
    const options = {
      kind: SpanKind.CLIENT,
      startTime: timeOf(at),
      attributes: callAttributes(operation, names, body),
    }
    return this.#settings.tracer.startSpan(`${operation} ${names.model}`, options, part.context)
  }

  #callFailed(event: EventOf<'call.failed'>): void {
    const { at, key = '', body } = event
    const span = this.#calls.get(key)
    if (span === undefined) return
    span.addEvent('try failed', { 'error.type': body.kind, ...this.#facts(event) }, timeOf(at))
    if (body.retryInMs !== undefined) return
    this.#fail(span, body.kind)
    span.end(timeOf(at))
    this.#calls.delete(key)
  }

  #callFinished({ at, key = '', body }: EventOf<'call.finished'>, part: Part, said: Said | undefined): void {
    // If an earlier session started the call, only its duration is known.
    const span = this.#calls.get(key) ?? this.#startCall(at - body.ms, body, part)
    this.#calls.delete(key)
    span.setAttributes(replyAttributes(body))
    if (this.#settings.texts && said !== undefined) {
      span.setAttributes(messageAttributes(said, this.#settings.redact))
    }
    span.end(timeOf(at))
  }

  /**
   * Adds an attempt as a span without duration, because the log records only when an attempt ended. Its calls
   * have durations.
   */
  #attempt(event: EventOf<'attempt.finished'> | EventOf<'attempt.failed'>, part: Part): void {
    const options = { startTime: timeOf(event.at), attributes: this.#facts(event) }
    const span = this.#settings.tracer.startSpan(`attempt ${event.body.task}`, options, part.context)
    if (event.type === 'attempt.failed') this.#fail(span, event.body.kind)
    span.end(timeOf(event.at))
  }

  /** Adds any other event as a span event to the part that it belongs to. */
  #note(event: RunEvent, span: Span): void {
    span.addEvent(event.type, this.#facts(event), timeOf(event.at))
    if (event.type === 'optimizer.failed') this.#fail(span, 'optimizer')
    if (event.type === 'step.finished') span.setAttribute('skillopt.outcome', event.body.outcome)
    if (event.type === 'run.finished') span.setAttribute('skillopt.outcome', 'finished')
    if (event.type !== 'run.stopped') return
    const { reason } = event.body
    span.setAttribute('skillopt.outcome', reason)
    if (reason === 'failed' || reason === 'paused') this.#fail(span, reason)
  }

  #facts(event: RunEvent) {
    const told = facts(event, { sentences: this.#settings.texts })
    const { redact } = this.#settings
    return withPrefix(
      Object.fromEntries(
        Object.entries(told).map(([name, value]) => [
          name,
          typeof value === 'string' ? redact(value) : value,
        ]),
      ),
    )
  }

  #fail(span: Span, kind: string): void {
    span.setAttribute('error.type', kind)
    span.setStatus({ code: SpanStatusCode.ERROR, message: kind })
  }
}

/** Seconds and nanoseconds, because a single number could be taken for the process's uptime. */
function timeOf(at: number): HrTime {
  return [Math.trunc(at / 1000), Math.round((at % 1000) * 1e6)]
}

/** The stage of events that name only their step. */
const stageOf: Partial<Record<RunEvent['type'], Place['stage']>> = {
  'rollout.finished': 'rollout',
  'reflect.finished': 'reflect',
  'trials.classified': 'reflect',
  'aggregate.finished': 'aggregate',
  'rate.decided': 'select',
  'select.finished': 'select',
  'update.finished': 'update',
  'gate.decided': 'gate',
  'slow-update.finished': 'slow-update',
  'meta-skill.finished': 'meta-skill',
}

function placeOf(event: RunEvent): { epoch: number; step: number; stage?: Place['stage'] } | undefined {
  const { epoch, step, stage } = event.body as Partial<Place>
  const within = stage ?? stageOf[event.type]
  if (event.type === 'test.finished') return { epoch: 0, step: 0, stage: 'test' }
  if (epoch === undefined) return undefined
  return { epoch, step: step ?? 0, ...(within === undefined ? {} : { stage: within }) }
}
