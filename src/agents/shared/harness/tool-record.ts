import type { Session, Tool } from '../../../core/ports/environment.js'
import { promptParts, userMessage } from '../../../core/task/parts.js'
import type { Message } from '../../../core/task/task.js'

export interface Overheard {
  /** To be used in place of the one that is listened to. */
  readonly session: Session
  /** What passed between the agent and the session, in order; undefined where no world answers. */
  conversation(): readonly Message[] | undefined
}

/**
 * An agent takes its turns with a world by a tool, beside all that it says to itself. To whoever scores or studies it,
 * the attempt is the conversation that a model would have had: what the world heard, and what it answered. It is heard
 * where the session is, so it is the same for every agent, and the same when the calls of a recorded attempt are made
 * again.
 */
export function overhear(session: Session): Overheard {
  if (session.reply === undefined) return { session, conversation: () => undefined }
  const heard: Message[] = []
  const listening = (tool: Tool): Tool => ({
    ...{ name: tool.name, description: tool.description, parameters: tool.parameters },
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

/** Not a copy of its fields: an environment's session may be an object of a class. */
function instead(session: Session, own: Partial<Session>): Session {
  return new Proxy(session, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  })
}
