import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import tls from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { InputError, messageOf, WorldFailure } from '../../core/errors/errors.js'
import type { Environment, Fetch } from './definition.js'
import { limitStream, maxErrorBytes, type ReplyLimit, replyTooLong } from './reply-limit.js'

/** Sends all model calls: keep-alive connections, proxies, extra certificates. */
export interface Transport {
  /** A `fetch` that stops reading and fails once a reply exceeds the limit. */
  fetchWithLimit(limit: ReplyLimit): Fetch
  /** Passwords in proxy addresses, which are redacted from messages. */
  readonly secrets: readonly string[]
  close(): Promise<void>
}

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const
type Settings = Record<(typeof variables)[number], string | undefined>

const openTransports = new Map<string, Transport>()

/** Returns a transport; models with the same network settings share one and its connections. */
export function transportFor(env: Environment, options: { local: boolean }): Transport {
  const settings: Settings = options.local ? readSettings({}) : readSettings(env)
  const key = JSON.stringify(settings)
  const known = openTransports.get(key)
  if (known !== undefined) return known
  const created = createTransport(settings)
  openTransports.set(key, created)
  return created
}

export async function closeTransports(): Promise<void> {
  const closing = [...openTransports.values()]
  openTransports.clear()
  await Promise.all(closing.map(transport => transport.close()))
}

function readSettings(env: Environment): Settings {
  const read = (name: string) => {
    // By convention these variables also exist in lower case, which takes precedence.
    const value = (env[name.toLowerCase()] ?? env[name])?.trim()
    return value === '' ? undefined : value
  }
  return Object.fromEntries(variables.map(name => [name, read(name)])) as Settings
}

function createTransport(settings: Settings): Transport {
  const dispatcher = createDispatcher(settings)
  return {
    fetchWithLimit: limit => createFetch(dispatcher, limit),
    secrets: [settings.HTTP_PROXY, settings.HTTPS_PROXY].flatMap(passwordOf),
    // Connections of aborted calls never close by themselves, so they are destroyed.
    close: () => dispatcher.destroy(),
  }
}

function createDispatcher(settings: Settings): Dispatcher {
  const certificates = extraCertificates(settings)
  const tlsOptions = certificates === undefined ? {} : { ca: certificates }
  // The signal of a call sets its timeout, so the dispatcher needs none.
  const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 }
  if (settings.HTTP_PROXY === undefined && settings.HTTPS_PROXY === undefined) {
    return new Agent({ ...noTimeouts, connect: tlsOptions })
  }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY'] as const) checkProxy(name, settings[name])
  return new EnvHttpProxyAgent({
    ...noTimeouts,
    // Empty strings keep the library from reading the process environment.
    httpProxy: settings.HTTP_PROXY ?? '',
    httpsProxy: settings.HTTPS_PROXY ?? '',
    noProxy: settings.NO_PROXY ?? '',
    // Plain HTTP goes to the proxy without a tunnel, because many proxies allow tunnels only to port 443.
    proxyTunnel: false,
    connect: tlsOptions,
    requestTls: tlsOptions,
    proxyTls: tlsOptions,
  })
}

function checkProxy(name: string, value: string | undefined): void {
  // "host:port" also parses as a URL, with "host" as its protocol.
  if (value !== undefined && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))) {
    throw new InputError(`${name} is not the URL of a proxy.`, { hint: 'Write it as http://host:port.' })
  }
}

function passwordOf(proxy: string | undefined): string[] {
  if (proxy === undefined || !URL.canParse(proxy)) return []
  const { username, password } = new URL(proxy)
  if (password === '') return []
  const decoded = decodeURIComponent(password)
  // The last form is sent to the proxy, which might repeat it in an error.
  return [password, decoded, Buffer.from(`${decodeURIComponent(username)}:${decoded}`).toString('base64')]
}

/** The trusted certificates; undefined if Node's default suffices. A list replaces Node's default list. */
function extraCertificates(settings: Settings): string[] | undefined {
  const isReadByNode = settings.NODE_EXTRA_CA_CERTS === process.env.NODE_EXTRA_CA_CERTS
  if (settings.SSL_CERT_FILE === undefined && isReadByNode) return undefined
  const own = (['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const).flatMap(name => {
    const path = settings[name]
    return path === undefined ? [] : [readCertificates(name, path)]
  })
  if (own.length === 0) return undefined
  return [...defaultCertificates(), ...own]
}

function defaultCertificates(): readonly string[] {
  // Newer Node versions can list all trusted certificates, including the system's.
  const get = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates
  return get === undefined ? tls.rootCertificates : get('default')
}

function readCertificates(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`Cannot read the file in ${name}: ${messageOf(error)}`, {
      hint: `Correct ${name} or unset it.`,
    })
  }
}

let cachedUserAgent: string | undefined

function userAgent(): string {
  if (cachedUserAgent === undefined) {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    )
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '0'
    cachedUserAgent = `skillopt/${version}`
  }
  return cachedUserAgent
}

/**
 * Sends a POST with a text body, which is all that client libraries need of `fetch`. It takes half the time
 * of the real one, which matters for calls of less than a millisecond, and it knows in which phase a
 * connection failed.
 */
function createFetch(dispatcher: Dispatcher, limit: ReplyLimit): Fetch {
  return async (input, init) => {
    const url = input instanceof URL ? input : new URL(typeof input === 'string' ? input : input.url)
    const signal = init?.signal ?? undefined
    signal?.throwIfAborted()
    let response: Dispatcher.ResponseData
    try {
      response = await request(url, {
        method: 'POST',
        headers: { ...(init?.headers as Record<string, string>), 'user-agent': userAgent() },
        body: init?.body as string,
        dispatcher,
        headersTimeout: 0,
        bodyTimeout: 0,
        signal,
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw networkFailure(error, url.host, 'sent')
    }
    const headers = flatten(response.headers)
    const options = { status: response.statusCode, headers }
    const type = headers['content-type'] ?? ''
    if (type.includes('event-stream')) {
      const stream = Readable.toWeb(response.body) as ReadableStream<Uint8Array>
      return new Response(stream.pipeThrough(limitStream(limit, url.host)), options)
    }
    // Amazon's event stream has no lines, so it is limited and read as a whole.
    const most = type.includes('eventstream') ? limit.stream : limit.whole
    try {
      const body = await (response.statusCode < 300 ? readUpTo(response, most) : readErrorBody(response))
      if (body === undefined) throw replyTooLong(url.host, limit, most)
      return new Response(body.byteLength === 0 ? null : body, options)
    } catch (error) {
      if (signal?.aborted || error instanceof WorldFailure) throw error
      throw networkFailure(error, url.host, 'replying')
    }
  }
}

/**
 * Reads the whole body. If it is too long, the result is undefined, the rest is not read and the connection
 * is closed.
 */
async function readUpTo({ body, headers }: Dispatcher.ResponseData, most: number) {
  const chunks: Uint8Array[] = []
  let bytes = Number(headers['content-length'] ?? 0) > most ? Number.POSITIVE_INFINITY : 0
  if (bytes === 0) {
    // Leaving the loop early closes the connection.
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > most) break
      chunks.push(chunk)
    }
  } else closeUnread(body)
  return bytes > most ? undefined : Buffer.concat(chunks)
}

async function readErrorBody({ body }: Dispatcher.ResponseData) {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > maxErrorBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxErrorBytes)
}

function closeUnread(body: Dispatcher.ResponseData['body']): void {
  // Destroying the body early causes an error, which is expected and ignored.
  body.on('error', () => {}).destroy()
}

function flatten(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** Phase in which a connection failed. A request that was never sent cannot have been billed. */
type Phase = 'connecting' | 'sent' | 'replying'

const notSentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const certificateError = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/

/** The error code of a failed connection, which may be nested in errors of libraries. */
export function networkCode(error: unknown): string | undefined {
  const seen = new Set<unknown>()
  for (let current = error; current instanceof Error && !seen.has(current); current = current.cause) {
    seen.add(current)
    const code = 'code' in current ? current.code : undefined
    if (typeof code === 'string' && (/^(E[A-Z]|UND_ERR_)/.test(code) || certificateError.test(code)))
      return code
    if (current.message === 'terminated') return 'terminated'
  }
  return undefined
}

export function networkFailure(error: unknown, host: string, phase: Phase): WorldFailure {
  const code = networkCode(error)
  const detail = code === undefined ? messageOf(error) : `${code}: ${messageOf(error)}`
  if (code !== undefined && certificateError.test(code)) {
    return new WorldFailure('transport', `The certificate of ${host} was not accepted (${detail}).`, {
      retryable: false,
      hint: 'Set SSL_CERT_FILE or NODE_EXTRA_CA_CERTS to the file of your certificate authority.',
    })
  }
  if (phase === 'replying') {
    return new WorldFailure('transport', `${host} closed the connection during its reply (${detail}).`, {
      retryable: true,
      mayHaveCost: true,
    })
  }
  return new WorldFailure('transport', `No reply from ${host} (${detail}).`, {
    retryable: true,
    mayHaveCost: phase === 'sent' && (code === undefined || !notSentCodes.has(code)),
    hint: 'Check the endpoint, the network, and HTTPS_PROXY and NO_PROXY.',
  })
}
