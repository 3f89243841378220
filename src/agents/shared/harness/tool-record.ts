import type { Session, Tool } from '../../../core/ports/environment.js'
import { promptParts, userMessage } from '../../../core/task/parts.js'
import type { Message } from '../../../core/task/task.js'

export interface Overheard {
  /** To be used instead of the recorded session. */
  readonly session: Session
  /** Messages between the agent and the session, in order; undefined if the environment does not reply. */
  conversation(): readonly Message[] | undefined
}

/**
 * An agent takes its turns with an environment through a tool, next to its own reasoning. For scoring and
 * analysis, the attempt is the conversation that a model would have had: what the environment received and
 * what it replied. Recording at the session makes this the same for every agent, and the same when a
 * recorded attempt is replayed.
 */
export function overhear(session: Session): Overheard {
  if (session.reply === undefined) return { session, conversation: () => undefined }
  const heard: Message[] = []
  const listening = (tool: Tool): Tool => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters,
    async call(given, signal) {
      const id = `call-${heard.length}`
      heard.push({ role: 'assistant', text: '', toolCalls: [{ id, name: tool.name, arguments: given }] })
      const text = await tool.call(given, signal)
      heard.push({ role: 'tool', text, toolCallId: id })
      return text
    },
  })
  const own: Partial<Session> = {
    tools: session.tools.map(listening),
    async reply(said) {
      heard.push({ role: 'assistant', text: said })
      const next = (await session.reply?.(said)) ?? 'done'
      if (next !== 'done') heard.push(userMessage(promptParts(next)))
      return next
    },
  }
  return { session: instead(session, own), conversation: () => heard }
}

/** A proxy rather than a copy of fields, because an environment's session may be a class instance. */
function instead(session: Session, own: Partial<Session>): Session {
  return new Proxy(session, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  })
}
