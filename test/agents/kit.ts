import type { AgentDefinition } from '../../src/agents/shared/harness/definition.js'
import type { ChatError, ChatReply, ChatRequest } from '../../src/simulated/chat.js'

/** What the tests have to know of one agent to speak for its model, beside what the product knows of it. */
export interface AgentKit {
  readonly agent: AgentDefinition
  /** Of a request of this program, and of no other. */
  readonly userAgent: RegExp
  /** A model name that the agent takes, for a server that is not the provider's. */
  readonly model: string
  /** The user's variables with a key that the loopback server takes. */
  readonly env: Readonly<Record<string, string>>
  /** What the user would write as `endpoint`; `url` is the server's, without a path. */
  endpoint(url: string): string
  /** The call by which its model has it write a file of its workspace, with a tool of its own. */
  writes(path: string, content: string): ToolUse
  /** Its model's calls in full, where they need what only a request tells, such as the folder of the workspace. */
  completes?(reply: ChatReply, request: ChatRequest): ChatReply
  /** The call by which its model uses a tool of the session; undefined where the agent takes no servers. */
  uses(server: string, tool: string, given: Readonly<Record<string, unknown>>): ToolUse | undefined
  /** Calls by which its model loads the skill, where the prompt alone does not bring its text along. */
  loads?(skill: string): ToolUse
  /** The call by which its model runs a command, where it has a shell of its own with access `workspace` too. */
  runs?(command: string): ToolUse
  /**
   * The user's own set-up, in a home: instructions, another skill, a server, a hook … Each file holds the word
   * `canary`, which must never be in a request, unless the set-up is wanted.
   */
  setup(home: string, canary: string): readonly { readonly path: string; readonly content: string }[]
  /** What of that has to be in a request when the set-up is wanted: words from its files. */
  readonly inherited: readonly string[]
  /** What happens when a subscription's limit is reached, for agents whose provider's words are known. */
  readonly limit?: {
    /** What the provider says. */
    readonly error: ChatError
    /** What the agent makes of it. */
    readonly words: RegExp
    /** A user with a subscription, of which the provider is at `url`. */
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
