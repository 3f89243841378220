import type { Effort } from '../config/config.js'
import type { AgentWork } from '../task/agent-work.js'
import type { MediaType, Message, ToolCall, Usage } from '../task/task.js'

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
