import type { Effort } from '../config/config.js'
import type { AgentWork } from '../task/agent-work.js'
import type { MediaType, Message, ToolCall, Usage } from '../task/task.js'

export type Role = 'optimizer' | 'target' | 'judge'

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
}

/** A request. The stable part (system, then the oldest messages) comes first, for prompt caches. */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly tools?: readonly ToolSpec[]
  /** Requests JSON; the schema is sent to providers that can enforce it. */
  readonly schema?: { readonly name: string; readonly schema: Record<string, unknown> }
  /**
   * Sent as `seed`, but only to models configured to accept one. A simulated model's reply is determined by
   * the call and this seed.
   */
  readonly seed?: number
  /** Overrides the model's own setting for this call. */
  readonly effort?: Effort
}

export type ModelStop = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'context-overflow'

export interface ModelReply {
  readonly text: string
  readonly toolCalls?: readonly ToolCall[]
  readonly stop: ModelStop
  readonly usage: Usage
  /** Duration in milliseconds, as measured by the run or read from its log. */
  readonly ms?: number
  /** US dollars as reported by the provider or agent; computed from the model's price if absent. */
  readonly cost?: number
  /** The agent's work; present if an agent answered. */
  readonly work?: AgentWork
}

export interface Price {
  /** US dollars per million tokens. */
  readonly input: number
  readonly output: number
  readonly cachedInput?: number | undefined
  /** Price of input tokens that the provider writes to its cache; defaults to `input`. */
  readonly cacheWrite?: number | undefined
}

/**
 * A provider's documented limits for one kind of file. Limits that are not documented are left to the
 * provider.
 */
export interface FileLimits {
  readonly mediaTypes: readonly MediaType[]
  readonly maxBytes?: number
  readonly maxPages?: number
  /** Maximum number of files per request. */
  readonly maxCount?: number
  /** Maximum input tokens of an image or a document page, reserved against the caps. */
  readonly mostTokens: number
  /** Whether the request can set the image detail. */
  readonly detail?: boolean
}

/** File inputs that a model accepts. */
export interface FileSupport {
  readonly image?: FileLimits
  readonly document?: FileLimits
  /** Limit on all files of one request together. */
  readonly maxBytes?: number
}

/** Properties of a model that is reached through an agent. */
export interface AgentTraits {
  /** Display name. */
  readonly title: string
  /** Installed version, if the agent reports one. */
  readonly version: string | undefined
  /** Input tokens beyond the request: the agent's own prompts, over all model calls of an attempt. */
  readonly ownTokens: number
  /** Whether the agent is stopped beyond `ownTokens`. Otherwise it could exceed a cap on tokens or cost. */
  readonly isBounded: boolean
  /** Warnings to show before the agent starts: its permissions and known uncertainties. */
  readonly warnings: readonly string[]
}

/** Lets a person or an agent's session answer a model's prompts between two sessions of a run. */
export interface Handoff {
  /** The folder of prompts and answers. */
  readonly place: string
  /**
   * Resolves if the reply is available. Otherwise writes the prompt to the folder and throws `PausedError`,
   * without calling the model.
   */
  answered(request: ModelRequest, signal: AbortSignal): Promise<void>
  /** Called when the reply to this request is in the log. */
  kept(request: ModelRequest): Promise<void>
}

/** A model that replies to requests. `generate` throws `WorldFailure` for anything that is not a reply. */
export interface Model {
  readonly id: string
  /**
   * All settings that affect the replies (endpoint, temperature, effort, …), without secrets. They are part
   * of every cache key.
   */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Maximum length of a reply, reserved against the caps before each call. */
  readonly maxOutputTokens: number
  readonly price: Price | undefined
  /** Files that the model accepts; if absent, it accepts text only. */
  readonly files?: FileSupport
  /** Present if the model is reached through an agent. */
  readonly agent?: AgentTraits
  /** Present if prompts are answered by handoff instead of a model call. */
  readonly handoff?: Handoff
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>
}
