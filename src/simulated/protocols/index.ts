import { protocol as chat } from './chat.js'
import type { Protocol, ProtocolName } from './protocol.js'

export interface Route {
  readonly name: ProtocolName
  /** Whether the request asks only for the prompt's number of tokens. */
  readonly counts: boolean
}

const fixed: Partial<Record<string, Route>> = {
  '/v1/chat/completions': { name: 'chat', counts: false },
  '/v1/responses': { name: 'responses', counts: false },
  '/v1/messages': { name: 'messages', counts: false },
  '/v1/messages/count_tokens': { name: 'messages', counts: true },
}

/** The protocol for a path; undefined if it is unknown. Azure's paths start with `/openai`. */
export function routeOf(path: string): Route | undefined {
  const gemini = /^\/v1(?:alpha|beta)?\/.+:(generateContent|streamGenerateContent|countTokens)$/.exec(path)
  if (gemini !== null) return { name: 'gemini', counts: gemini[1] === 'countTokens' }
  return fixed[path.replace(/^\/openai(?=\/v1\/)/, '')]
}

/** Loads each protocol but the first when it is needed. Most servers never need them. */
const loaders: Readonly<Record<ProtocolName, () => Protocol | Promise<Protocol>>> = {
  chat: () => chat,
  responses: async () => (await import('./responses.js')).protocol,
  messages: async () => (await import('./messages.js')).protocol,
  gemini: async () => (await import('./gemini.js')).protocol,
}

export function loadProtocol(name: ProtocolName): Protocol | Promise<Protocol> {
  return loaders[name]()
}
