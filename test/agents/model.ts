import type { ChatReply, ChatRequest, Responder } from '../../src/simulated/chat.js'
import type { AgentKit, ToolUse } from './kit.js'

/** What speaks for the models of agents, in tests and benchmarks: scripts that go by what they are sent. */

/**
 * A model that makes these calls, one per reply, and then answers. It goes by what it was sent alone, for agents ask for
 * other things in between, such as a title; these have no tools.
 */
export function plays(calls: readonly ToolUse[], answer: string) {
  return (request: ChatRequest): ChatReply => {
    const call = offeredTools(request).length === 0 ? undefined : calls[turnsOf(request)]
    return call === undefined ? { content: answer } : { content: 'I will do that.', toolCalls: [call] }
  }
}

/** What an agent's kit knows better than the test, which speaks for the models of all agents. */
export function completed({ completes }: AgentKit, respond: Responder): Responder {
  return async request => {
    const reply = await respond(request)
    return completes?.(reply, request) ?? reply
  }
}

/** How many replies with calls the model has given in this conversation. */
function turnsOf({ messages }: ChatRequest): number {
  return messages.filter(({ role, tool_calls }) => role === 'assistant' && (tool_calls?.length ?? 0) > 0)
    .length
}

/** By their names. */
export function offeredTools({ tools }: ChatRequest): readonly string[] {
  return (tools ?? []).map(tool => {
    const { name, type, function: inner } = tool as ToolOnTheWire
    return inner?.name ?? name ?? type ?? ''
  })
}

interface ToolOnTheWire {
  readonly type?: string
  readonly name?: string
  readonly function?: { readonly name?: string }
}
