import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import tls from 'node:tls'
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici'
import { InputError, messageOf, WorldFailure } from '../../core/errors/errors.js'
import type { Environment, Fetch } from './definition.js'
import { networkFailure } from './network.js'
import { limitEvents, mostBytesOfError, type ReplyLimit, tooLong } from './reply-limit.js'

/** The only network exit for model calls: keep-alive connections, proxies, extra certificates. */
export interface Transport {
  /** Stops reading and fails when a reply exceeds the limit. */
  fetchWithin(limit: ReplyLimit): Fetch
  /** Passwords in proxy addresses, redacted from messages. */
  readonly secrets: readonly string[]
  close(): Promise<void>
}

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const
type Settings = Record<(typeof variables)[number], string | undefined>

const open = new Map<string, Transport>()

/** Models with the same network settings share their connections. */
export function transportFor(env: Environment, options: { local: boolean }): Transport {
  const settings: Settings = options.local ? readSettings({}) : readSettings(env)
  const key = JSON.stringify(settings)
  const known = open.get(key)
  if (known !== undefined) return known
  const created = createTransport(settings)
  open.set(key, created)
  return created
}

export async function closeTransports(): Promise<void> {
  const closing = [...open.values()]
  open.clear()
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
    fetchWithin: limit => fetchThrough(dispatcher, limit),
    secrets: [settings.HTTP_PROXY, settings.HTTPS_PROXY].flatMap(passwordOf),
    // Aborted calls leave connections behind that would never close by themselves.
    close: () => dispatcher.destroy(),
  }
}

function createDispatcher(settings: Settings): Dispatcher {
  const certificates = extraCertificates(settings)
  const trust = certificates === undefined ? {} : { ca: certificates }
  // The caller sets the timeout of a call through the signal.
  const patience = { headersTimeout: 0, bodyTimeout: 0 }
  if (settings.HTTP_PROXY === undefined && settings.HTTPS_PROXY === undefined) {
    return new Agent({ ...patience, connect: trust })
  }
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY'] as const) checkProxy(name, settings[name])
  return new EnvHttpProxyAgent({
    ...patience,
    // Empty strings keep the library from reading the process environment.
    httpProxy: settings.HTTP_PROXY ?? '',
    httpsProxy: settings.HTTPS_PROXY ?? '',
    noProxy: settings.NO_PROXY ?? '',
    // Plain HTTP is sent to the proxy without a tunnel: many proxies refuse tunnels to ports other than 443.
    proxyTunnel: false,
    connect: trust,
    requestTls: trust,
    proxyTls: trust,
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
  // The last form is the one sent to the proxy, which might echo it.
  return [password, decoded, Buffer.from(`${decodeURIComponent(username)}:${decoded}`).toString('base64')]
}

/** Undefined if Node's default certificates suffice, since any list replaces all of them. */
function extraCertificates(settings: Settings): string[] | undefined {
  const nodeReadItself = settings.NODE_EXTRA_CA_CERTS === process.env.NODE_EXTRA_CA_CERTS
  if (settings.SSL_CERT_FILE === undefined && nodeReadItself) return undefined
  const own = (['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'] as const).flatMap(name => {
    const path = settings[name]
    return path === undefined ? [] : [readCertificates(name, path)]
  })
  if (own.length === 0) return undefined
  return [...trustedByNode(), ...own]
}

function trustedByNode(): readonly string[] {
  // Newer Node versions can list all trusted certificates, including the system's.
  const get = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates
  return get === undefined ? tls.rootCertificates : get('default')
}

function readCertificates(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new InputError(`${name} names a file that cannot be read: ${messageOf(error)}`, {
      hint: `Correct ${name} or unset it.`,
    })
  }
}

let agentName: string | undefined

function userAgent(): string {
  if (agentName === undefined) {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    )
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '0'
    agentName = `skillopt/${version}`
  }
  return agentName
}

/**
 * `fetch` as the client libraries use it: a POST with a text body. It costs half as much as the real one,
 * which matters when a call takes less than a millisecond, and it knows in which phase a connection failed.
 */
function fetchThrough(dispatcher: Dispatcher, limit: ReplyLimit): Fetch {
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
        ...(signal === undefined ? {} : { signal }),
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
      return new Response(stream.pipeThrough(limitEvents(limit, url.host)), options)
    }
    // Amazon's event stream format is read as a whole.
    const most = type.includes('eventstream') ? limit.stream : limit.whole
    try {
      const body = await (response.statusCode < 300 ? readWithin(response, most) : readStart(response))
      if (body === undefined) throw tooLong(url.host, limit, most)
      return new Response(body.byteLength === 0 ? null : body, options)
    } catch (error) {
      if (signal?.aborted || error instanceof WorldFailure) throw error
      throw networkFailure(error, url.host, 'replying')
    }
  }
}

/**
 * Returns the whole body, or undefined if it is too long; then the rest stays unread and the connection
 * closes.
 */
async function readWithin({ body, headers }: Dispatcher.ResponseData, most: number) {
  const chunks: Uint8Array[] = []
  let bytes = Number(headers['content-length'] ?? 0) > most ? Number.POSITIVE_INFINITY : 0
  if (bytes === 0) {
    // Leaving the loop closes the connection.
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > most) break
      chunks.push(chunk)
    }
  } else closeUnread(body)
  return bytes > most ? undefined : Buffer.concat(chunks)
}

async function readStart({ body }: Dispatcher.ResponseData) {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > mostBytesOfError) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytesOfError)
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
