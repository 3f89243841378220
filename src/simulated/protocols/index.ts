import { protocol as chat } from './chat.js'
import type { Protocol, ProtocolName } from './protocol.js'

export interface Route {
  readonly name: ProtocolName
  /** Whether the request only counts the prompt's tokens. */
  readonly counts: boolean
}

const fixed: Partial<Record<string, Route>> = {
  '/v1/chat/completions': { name: 'chat', counts: false },
  '/v1/responses': { name: 'responses', counts: false },
  '/v1/messages': { name: 'messages', counts: false },
  '/v1/messages/count_tokens': { name: 'messages', counts: true },
}

/** The protocol for a request path; undefined for unknown paths. Azure's paths are under `/openai`. */
export function routeOf(path: string): Route | undefined {
  const gemini = /^\/v1(?:alpha|beta)?\/.+:(generateContent|streamGenerateContent|countTokens)$/.exec(path)
  if (gemini !== null) return { name: 'gemini', counts: gemini[1] === 'countTokens' }
  return fixed[path.replace(/^\/openai(?=\/v1\/)/, '')]
}

/** All protocols but the first are loaded on demand: most servers never need them and start faster. */
const loaders: Readonly<Record<ProtocolName, () => Protocol | Promise<Protocol>>> = {
  chat: () => chat,
  responses: async () => (await import('./responses.js')).protocol,
  messages: async () => (await import('./messages.js')).protocol,
  gemini: async () => (await import('./gemini.js')).protocol,
}

export function loadProtocol(name: ProtocolName): Protocol | Promise<Protocol> {
  return loaders[name]()
}
