import type { AgentDefinition } from '../../src/agents/shared/harness/definition.js'
import type { ChatError, ChatReply, ChatRequest } from '../../src/simulated/chat.js'

/** Facts about one agent that the tests need to play its model, in addition to the product's definition. */
export interface AgentKit {
  readonly agent: AgentDefinition
  /** Matches the user agent of this program and of no other. */
  readonly userAgent: RegExp
  /** A model name that the agent accepts for a server other than the provider's. */
  readonly model: string
  /** The user's variables, with a key that the loopback server accepts. */
  readonly env: Readonly<Record<string, string>>
  /** Value that a user would write as `endpoint`; `url` is the server's, without a path. */
  endpoint(url: string): string
  /** The tool call with which the agent writes a file in its workspace by a tool of its own. */
  writes(path: string, content: string): ToolUse
  /** Completes the model's calls with data that only the request has, such as the workspace folder. */
  completes?(reply: ChatReply, request: ChatRequest): ChatReply
  /** The tool call for a tool of the session; undefined if the agent supports no MCP servers. */
  uses(server: string, tool: string, given: Readonly<Record<string, unknown>>): ToolUse | undefined
  /** The tool call that loads the skill, if the prompt alone does not include its text. */
  loads?(skill: string): ToolUse
  /** The tool call that runs a command, if the agent has its own shell even with access `workspace`. */
  runs?(command: string): ToolUse
  /**
   * The user's own set-up in a home: instructions, another skill, a server, a hook … Each file contains the
   * word `canary`, which must never appear in a request unless the set-up is inherited.
   */
  setup(home: string, canary: string): readonly { readonly path: string; readonly content: string }[]
  /** Words from those files that must appear in a request when the set-up is inherited. */
  readonly inherited: readonly string[]
  /** Behaviour at a subscription's limit, for agents whose provider's message is known. */
  readonly limit?: {
    /** The provider's error. */
    readonly error: ChatError
    /** The agent's message about it. */
    readonly words: RegExp
    /** A user with a subscription whose provider is at `url`. */
    subscription(url: string): {
      readonly endpoint?: string
      readonly env: Readonly<Record<string, string>>
    }
  }
}

export interface ToolUse {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}
