import type { AgentWork } from './agent-work.js'
import type { Effort } from './config.js'
import type { EventBody, EventType, Place, RunEvent } from './event.js'
import type {
  Attempt,
  BlobRef,
  MediaType,
  Message,
  Part,
  Row,
  Score,
  Scores,
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
  /** For this call, in place of the model's own setting. */
  readonly effort?: Effort
}

export type ModelStop = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'context-overflow'

export interface ModelReply {
  readonly text: string
  readonly toolCalls?: readonly ToolCall[]
  readonly stop: ModelStop
  readonly usage: Usage
  /** How long it took, as the run measured it, or as its log says. */
  readonly ms?: number
  /** US dollars, where whoever answered has counted them; by the model's price otherwise. */
  readonly cost?: number
  /** Where an agent was at work. */
  readonly work?: AgentWork
}

export interface Price {
  /** US dollars per million tokens. */
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
  /** Of input tokens that the provider writes to its cache; `input` if not given. */
  readonly cacheWrite?: number | undefined
}

/** What a provider documents for one kind of file. A limit that it does not name is left to it. */
export interface FileLimits {
  readonly mediaTypes: readonly MediaType[]
  readonly maxBytes?: number
  readonly maxPages?: number
  /** In one request. */
  readonly maxCount?: number
  /** The most input tokens that an image, or a page of a document, can take: reserved against the caps. */
  readonly mostTokens: number
  /** Whether one can say how closely an image is looked at. */
  readonly detail?: boolean
}

/** What a model takes besides text. */
export interface FileSupport {
  readonly image?: FileLimits
  readonly document?: FileLimits
  /** All files of one request together. */
  readonly maxBytes?: number
}

/** What is different about a model that is reached through an agent. */
export interface AgentTraits {
  /** As people call it. */
  readonly title: string
  /** As it is installed here, where it says so. */
  readonly version: string | undefined
  /** Input tokens beside those of the request: the agent's own words, and all calls of an attempt. */
  readonly ownTokens: number
  /** Whether it is ended when it takes more: without that, a cap on tokens or cost could be passed. */
  readonly isBounded: boolean
  /** What the user should know before it is started: what it may do, what is not certain about it. */
  readonly warnings: readonly string[]
}

/** Where others answer a model's prompts, between two sessions of a run. */
export interface Handoff {
  /** The folder of prompts and answers. */
  readonly place: string
  /** Resolves if the reply is there. If not, it throws `PausedError` once the prompt is written down: nothing was called then. */
  answered(request: ModelRequest, signal: AbortSignal): Promise<void>
  /** The reply to this request is in the log. */
  kept(request: ModelRequest): Promise<void>
}

/** Throws `WorldFailure` for anything that is not a reply. */
export interface Model {
  readonly id: string
  /** Whatever changes the replies (endpoint, temperature, effort, …): part of every cache key. No secrets. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Reserved against the caps before each call. */
  readonly maxOutputTokens: number
  readonly price: Price | undefined
  /** Text only, if absent. */
  readonly files?: FileSupport
  /** Where an agent stands between us and the model. */
  readonly agent?: AgentTraits
  /** Where there is no model to be called, and its prompts are answered by others. */
  readonly handoff?: Handoff
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}

// ── Environments and harnesses ──────────────────────────────────────────────

/** What an environment needs and a harness offers; a mismatch is refused before anything is spent. */
export type Capability = 'chat' | 'tools' | 'turns' | 'images' | 'documents' | 'workspace'

export interface Tool extends ToolSpec {
  call(argumentsJson: string, signal: AbortSignal): Promise<string>
}

/** One question, a tool loop, or a world that answers each turn. */
export interface Session {
  /** What the agent is told before the skill: the rules of the environment. May be empty. */
  readonly instructions: string
  /** Text, or text and files in the order in which the model gets them. */
  readonly prompt: string | readonly Part[]
  /** Where the skill goes: system prompt under `## Skill`, or before the user prompt. */
  readonly skillAt: 'system' | 'user'
  readonly tools: readonly Tool[]
  readonly turnLimit: number
  /** Time on the clock for the whole attempt; the turn that passes it is the last. */
  readonly secondsLimit?: number
  /** For worlds that answer: the next user message, or `done`. */
  reply?(assistantText: string): Promise<string | 'done'>
  /** Every turn is asked anew, with nothing but the rules, the skill and the latest message, which says all that counts. */
  readonly stateless?: boolean
  /** A folder of this attempt's own, in which the agent works and where scoring finds what it made; `close` removes it. */
  readonly workspace?: string
  /** The workspace is worked in by `tools` alone. An agent's own tools are off then: they would work on a copy of it. */
  readonly toolsOnly?: boolean
  /** Text for reflection only, never shown to the target. */
  readonly hidden?: string
  close(): Promise<void>
}

/** What a session may use while it lasts. */
export interface SessionContext {
  readonly signal: AbortSignal
  readonly sandbox: Sandbox
  /** Nothing will be run in it, so that no folder needs to be made for it. */
  readonly isLook?: boolean
}

export interface ScoreContext extends SessionContext {
  /**
   * Asks the judge model, which is never the optimizer's. A judge that fails is a failure of the world, not a score.
   * Votes on the same question are told apart by their number; without one, calls count up.
   */
  judge(request: ModelRequest, vote?: number): Promise<ModelReply>
  /** The session's folder, if it has one. */
  readonly workspace?: string
  /** What the agent did to the files that it was given, in words and lines: for judges, as a part of its answer. */
  readonly changedFiles?: string
}

/** What scoring takes besides the reply; what is not there is refused before anything is spent. */
export interface ScoringNeeds {
  /** Calls of the judge model per attempt, repairs aside. */
  readonly judgeCalls?: number
  readonly sandbox?: boolean
}

/** One rubric of an environment, asked on its own: `doctor --judge` compares it with the labels of people. */
export interface RubricJudge<T extends Task = Task> {
  /** The part of a weighted score that it is; empty when it is the whole. */
  readonly name: string
  readonly votes: number
  /** The score from which an answer passes. */
  readonly threshold: number
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

export interface Environment<T extends Task = Task> {
  readonly id: string
  readonly needs: readonly Capability[]
  /** What the user should know before paying, besides errors. */
  readonly warnings?: readonly string[]
  /** Optimizer prompts of its own, by name (`analyst-failure`, …); the user's prompts folder stands above them. */
  readonly prompts?: Readonly<Record<string, string>>
  readonly scoring?: ScoringNeeds
  /** Hashes of files that decide scores and that the config only names: a change of them is a change of the run. */
  readonly fingerprints?: Readonly<Record<string, string>>
  readonly judges?: readonly RubricJudge<T>[]
  /** Looks in the sandbox for what scoring will run there, before anything is spent. Throws `InputError`. */
  checkSandbox?(sandbox: Sandbox): Promise<void>
  /** All tasks of a split, checked. Throws `InputError` for bad data. */
  tasks(split: Split): Promise<readonly T[]>
  open(task: T, context: SessionContext): Promise<Session>
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

/** A harness runs one attempt. It never sees a scorer; it reaches the model only through `call`. */
export interface Job {
  readonly session: Session
  readonly skill: string
  /**
   * `turn` counts from 0 within the attempt. With a `worker`, that one answers in the model's place, and is counted,
   * limited, tried again and recorded as the model would be.
   */
  call(request: ModelRequest, turn: number, worker?: Worker): Promise<ModelReply>
  /** Another session at the same task, in place of one that a failed try has left its marks on. */
  reopen(): Promise<Session>
}

/** Throws as a model does. It is not asked where its reply is in the log: what it had done to the session is not there then. */
export type Worker = (signal: AbortSignal) => Promise<ModelReply>

export interface Harness {
  readonly id: string
  readonly supports: readonly Capability[]
  run(job: Job, signal: AbortSignal): Promise<Trajectory>
}

// ── Sandboxes ───────────────────────────────────────────────────────────────

export interface SandboxLimits {
  /** Time on the clock; then everything that was started is killed. */
  readonly seconds: number
  /** Of all processes together. */
  readonly memoryMegabytes: number
  /** At once, threads among them. */
  readonly processes: number
  /** Of each file that is written. */
  readonly fileMegabytes: number
  /** Of all files together, besides those that stood in the workspace before; four times `fileMegabytes` if not said. */
  readonly diskMegabytes?: number
  /** Of stdout and of stderr: the end is kept, which is where errors stand. */
  readonly outputCharacters: number
}

export interface SandboxJob {
  /** A folder made for this job: all that it can write, and where it starts. Its files are there to be read afterwards. */
  readonly workspace: string
  readonly limits: SandboxLimits
  readonly signal: AbortSignal
  readonly stdin?: string
  /** Folders that it may read besides the system, at their own paths. Programs are looked for in their `bin`. */
  readonly readOnly?: readonly string[]
}

export interface SandboxResult {
  /** 128 and the signal's number for what a signal ended; none when the time limit did. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
  /** Whether more was printed than kept. */
  readonly truncated: boolean
}

/** Runs programs that nobody vouches for: what a model wrote, what a check makes of it. */
export interface Sandbox {
  readonly id: string
  /** Throws `InputError`, with what to install, where it does not work. Tried once. */
  check(): Promise<void>
  /** Whether a program can be started in it. Paths into the workspace are not known before there is one. */
  has(program: string, readOnly?: readonly string[]): Promise<boolean>
  /** A program and its arguments, no shell. Whatever it does is a result; a sandbox that does not start is a `WorldFailure`. */
  run(command: readonly string[], job: SandboxJob): Promise<SandboxResult>
}

// ── Gates ───────────────────────────────────────────────────────────────────

/** Which skill an attempt was made under. */
export type Side = 'current' | 'candidate'

/** An attempt that the gate asked for. */
export interface Seen {
  readonly side: Side
  readonly row: Row
}

/** The same task and sample under both skills. */
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
  /** Tasks that were scored under both skills, and on how many of them the candidate was better and worse. */
  readonly tasks?: { readonly better: number; readonly worse: number; readonly total: number }
  /** Whether the candidate was run on every task: only then is its score a score, otherwise a bound. */
  readonly complete: boolean
  readonly reason: string
}

/**
 * Decides what to evaluate next, so that it can order, repeat and stop. `seen` is in the order asked for. The current
 * skill has been evaluated on every task once: asking for that costs nothing.
 */
export interface Gate {
  readonly id: string
  /** The one number that "better" and "best" are measured by. */
  score(summary: Scores): number
  next(seen: readonly Seen[]): { readonly run: readonly Wanted[] } | Verdict
}

export interface Wanted {
  readonly side: Side
  readonly task: string
  readonly sample: number
}

/** What the user may set about gates; each takes what concerns it. */
export interface GateSettings {
  /** Stop where what is left cannot change the decision. */
  readonly earlyStop: boolean
  /** How often a change that is none may be accepted. */
  readonly falseAccepts: number
  /** The smallest gain worth finding, as a share of the whole score. */
  readonly smallestGain: number
}

export type GateFactory = (context: {
  readonly tasks: readonly string[]
  readonly settings: GateSettings
  score(summary: Scores): number
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

/** How an effect is performed; its result does not depend on it. */
export interface PerformOptions {
  /** Who answers a call in the model's place. */
  readonly worker?: Worker | undefined
}

/** The one door to everything that costs money or time, and to the log. */
export interface Run {
  readonly signal: AbortSignal
  /**
   * Recorded before it returns; identical concurrent effects share one promise. `place` is for readers, not part of the
   * key.
   */
  perform<E extends Effect>(effect: E, place: Place, how?: PerformOptions): Promise<ResultOf<E>>
  /** A stage's result: computed once, recorded, and from then on read from the log. */
  once<T extends EventType>(type: T, key: string, compute: () => Promise<EventBody<T>>): Promise<EventBody<T>>
  /** A notice for readers. With a key it is written once, however often the loop passes here. */
  emit<T extends EventType>(type: T, body: EventBody<T>, key?: string): Promise<void>
  put(text: string): BlobRef
  get(ref: BlobRef): Promise<string>
  /** US dollars so far, over all sessions, as far as prices are known. What is decided by it must be recorded. */
  spent(): number
}

/** Scored evaluations that runs share. It may fail at any time, and then it is as if it were empty: it never throws. */
export interface AttemptCache {
  /** Its texts are put where the attempt is going to live. What is not whole is not found. */
  find(key: string, put: (text: string) => BlobRef): Promise<Attempt | undefined>
  keep(key: string, attempt: Attempt, get: (ref: BlobRef) => Promise<string>): Promise<void>
}

/** Reads a run's events as they are written; what is replayed from the log comes to no reader twice. */
export interface EventReader {
  event(event: RunEvent): void
  /** After the last event. Does not throw: a reader is no reason for a run to fail. */
  close(): Promise<void>
}

export interface ReaderContext {
  /** The run's name. */
  readonly run: string
  get(ref: BlobRef): Promise<string>
  /** A word to the user. */
  notice(text: string): void
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
