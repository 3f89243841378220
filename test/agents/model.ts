import type { ChatReply, ChatRequest, Responder } from '../../src/simulated/chat.js'
import type { AgentKit, ToolUse } from './kit.js'

/** Scripted models for agents in tests and benchmarks, which react to the requests they get. */

/**
 * A model that makes these calls, one per reply, and then answers. It depends only on the request, because
 * agents make other requests in between, such as for a title; those have no tools.
 */
export function plays(calls: readonly ToolUse[], answer: string) {
  return (request: ChatRequest): ChatReply => {
    const call = offeredTools(request).length === 0 ? undefined : calls[turnsOf(request)]
    return call === undefined ? { content: answer } : { content: 'I will do that.', toolCalls: [call] }
  }
}

/** Lets the agent's kit complete a test's generic replies. */
export function completed({ completes }: AgentKit, respond: Responder): Responder {
  return async request => {
    const reply = await respond(request)
    return completes?.(reply, request) ?? reply
  }
}

/** Number of replies with tool calls in this conversation. */
function turnsOf({ messages }: ChatRequest): number {
  return messages.filter(({ role, tool_calls }) => role === 'assistant' && (tool_calls?.length ?? 0) > 0)
    .length
}

/** Names of the offered tools. */
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
