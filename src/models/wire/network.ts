import { messageOf, WorldFailure } from '../../core/errors/errors.js'

/** Phase in which the connection failed: only a request that was sent can have been billed. */
export type Phase = 'connecting' | 'sent' | 'replying'

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const certificate = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** The code of a failed connection, however deeply a library wrapped it. */
export function networkCode(error: unknown): string | undefined {
  const seen = new Set<unknown>()
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current)
    const code = 'code' in current ? current.code : undefined
    if (typeof code === 'string' && (/^(E[A-Z]|UND_ERR_)/.test(code) || certificate.test(code))) return code
    if (current.message === 'terminated') return 'terminated'
  }
  return undefined
}

export function networkFailure(error: unknown, where: string, phase: Phase): WorldFailure {
  const code = networkCode(error)
  const detail = code === undefined ? messageOf(error) : `${code}: ${messageOf(error)}`
  if (code !== undefined && certificate.test(code)) {
    return new WorldFailure('transport', `The certificate of ${where} was not accepted (${detail}).`, {
      retryable: false,
      hint: 'Point SSL_CERT_FILE or NODE_EXTRA_CA_CERTS at the certificates of your authority.',
    })
  }
  if (phase === 'replying') {
    return new WorldFailure('transport', `${where} cut its reply short (${detail}).`, {
      retryable: true,
      mayHaveCost: true,
    })
  }
  return new WorldFailure('transport', `No reply from ${where} (${detail}).`, {
    retryable: true,
    mayHaveCost: phase === 'sent' && (code === undefined || !neverSent.has(code)),
    hint: 'Check the endpoint, the network, and HTTPS_PROXY and NO_PROXY.',
  })
}
