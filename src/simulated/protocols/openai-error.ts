import type { ChatError } from '../chat.js'
import type { ErrorReply } from './protocol.js'

const typeOfCode: Partial<Record<string, string>> = {
  rate_limit_exceeded: 'requests',
  insufficient_quota: 'insufficient_quota',
}

/** An error in OpenAI's format, which Chat Completions and Responses share. */
export function openaiError({ status, message, code, type, headers }: ChatError): ErrorReply {
  const usual = typeOfCode[code ?? ''] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  const body = { error: { message, type: type ?? usual, code: code ?? null, param: null } }
  return { status, body, ...(headers === undefined ? {} : { headers }) }
}
