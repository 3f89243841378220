import type { EventBody, EventType, Place, RunEvent } from './event.js'
import type {
  Attempt,
  BlobRef,
  Message,
  Row,
  Score,
  Split,
  Task,
  ToolCall,
  Trajectory,
  Usage,
} from './task.js'

// ── Models ──────────────────────────────────────────────────────────────────

export type Role = 'optimizer' | 'target' | 'judge'

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
}

/** The stable part (system, then the oldest messages) comes first, so that provider prompt caches work. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolSpec[]
  /** Asks for JSON; the schema is sent to providers that can enforce it. */
  readonly schema?: { readonly name: string; readonly schema: Record<string, unknown> }
  /** Sent as `seed` only to models configured to take one. Makes the simulated model's reply a function of the call. */
  readonly seed?: number
}

export type ModelStop = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'context-overflow'

export interface ModelReply {
  readonly text: string
  readonly toolCalls?: readonly ToolCall[]
  readonly stop: ModelStop
  readonly usage: Usage
}

export interface Price {
  /** US dollars per million tokens. */
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
  /** Of input tokens that the provider writes to its cache; `input` if not given. */
  readonly cacheWrite?: number | undefined
}

/** Throws `WorldFailure` for anything that is not a reply. */
export interface Model {
  readonly id: string
  /** Whatever changes the replies (endpoint, temperature, effort, …): part of every cache key. No secrets. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Reserved against the caps before each call. */
  readonly maxOutputTokens: number
  readonly price: Price | undefined
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}

// ── Environments and harnesses ──────────────────────────────────────────────

/** What an environment needs and a harness offers; a mismatch is refused before anything is spent. */
export type Capability = 'chat' | 'tools' | 'turns' | 'images' | 'workspace'

export interface Tool extends ToolSpec {
  call(argumentsJson: string, signal: AbortSignal): Promise<string>
}

/** One question, a tool loop, or a world that answers each turn. */
export interface Session {
  /** What the agent is told before the skill: the rules of the environment. May be empty. */
  readonly instructions: string
  readonly prompt: string
  /** Where the skill goes: system prompt under `## Skill`, or before the user prompt. */
  readonly skillAt: 'system' | 'user'
  readonly tools: readonly Tool[]
  readonly turnLimit: number
  /** For worlds that answer: the next user message, or `done`. */
  reply?(assistantText: string): Promise<string | 'done'>
  /** Text for reflection only, never shown to the target. */
  readonly hidden?: string
  close(): Promise<void>
}

export interface ScoreContext {
  readonly signal: AbortSignal
  /** Asks the judge model, which is never the optimizer's. A judge that fails is a failure of the world, not a score. */
  judge(request: ModelRequest): Promise<ModelReply>
}

export interface Environment<T extends Task = Task> {
  readonly id: string
  readonly needs: readonly Capability[]
  /** What the user should know before paying, besides errors. */
  readonly warnings?: readonly string[]
  /** All tasks of a split, checked. Throws `InputError` for bad data. */
  tasks(split: Split): Promise<readonly T[]>
  open(task: T): Promise<Session>
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

/** A harness runs one attempt. It never sees a scorer; it reaches the model only through `call`. */
export interface Job {
  readonly session: Session
  readonly skill: string
  /** `turn` counts from 0 within the attempt. */
  call(request: ModelRequest, turn: number): Promise<ModelReply>
}

export interface Harness {
  readonly id: string
  readonly supports: readonly Capability[]
  run(job: Job, signal: AbortSignal): Promise<Trajectory>
}

// ── Gates ───────────────────────────────────────────────────────────────────

export interface Pair {
  readonly task: string
  readonly sample: number
  readonly current: Row
  readonly candidate: Row
}

export interface Interval {
  readonly mean: number
  readonly low: number
  readonly high: number
}

export type Decision = 'accept' | 'reject' | 'underpowered' | 'abstain'

export interface Verdict {
  readonly decision: Decision
  readonly effect?: Interval
  /** Whether the candidate was run on every task: only then is its score a score, otherwise a bound. */
  readonly complete: boolean
  readonly reason: string
}

/** Decides what to evaluate next, so that it can order, repeat and stop. `seen` is in the order asked for. */
export interface Gate {
  readonly id: string
  /** The one number that "better" and "best" are measured by. */
  score(summary: { readonly hard: number; readonly soft: number }): number
  next(seen: readonly Pair[]): { readonly run: readonly { task: string; sample: number }[] } | Verdict
}

export type GateFactory = (context: {
  readonly tasks: readonly string[]
  score(summary: { readonly hard: number; readonly soft: number }): number
}) => Gate

// ── The run ─────────────────────────────────────────────────────────────────

/** Data, so that an effect can be hashed, replayed and sent to a worker. Its hash is its key in the log. */
export interface CallEffect {
  readonly kind: 'call'
  readonly role: Role
  readonly request: ModelRequest
  /** Tells apart calls that may have the same text and must not share a reply (a step, an attempt's key). */
  readonly scope: string
  readonly sample: number
}

export interface AttemptEffect {
  readonly kind: 'attempt'
  readonly skill: string
  readonly task: Task
  readonly sample: number
  /** Training rollouts carry their step, so that they are sampled anew; evaluations carry none, so that they are shared. */
  readonly scope: string
}

export type Effect = CallEffect | AttemptEffect
export type ResultOf<E extends Effect> = E extends CallEffect ? ModelReply : Attempt

/** The one door to everything that costs money or time, and to the log. */
export interface Run {
  readonly signal: AbortSignal
  /** Recorded before it returns; identical concurrent effects share one promise. `place` is for readers, not part of the key. */
  perform<E extends Effect>(effect: E, place: Place): Promise<ResultOf<E>>
  /** A stage's result: computed once, recorded, and from then on read from the log. */
  once<T extends EventType>(type: T, key: string, compute: () => Promise<EventBody<T>>): Promise<EventBody<T>>
  /** A notice for readers. With a key it is written once, however often the loop passes here. */
  emit<T extends EventType>(type: T, body: EventBody<T>, key?: string): Promise<void>
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
}

/** Where a run's events and texts are kept: on disk, or in memory for tests. One writer at a time. */
export interface RunStore {
  /** Resolves once written. Texts put before are written before. */
  append(event: RunEvent): Promise<void>
  /** Content-addressed; the same text is kept once. */
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  has(key: string): boolean
  find(key: string): Promise<RunEvent | undefined>
  /** How many events are there: the next event's `seq`. */
  readonly length: number
  events(): AsyncIterable<RunEvent>
  /** Waits until everything is on the disk, not only handed to the system. */
  flush(): Promise<void>
  close(): Promise<void>
}
