import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { finished } from 'node:stream/promises'
import type { ChatRequest, ChatUsage } from './chat.js'
import type { FaultKind } from './faults.js'
import type { ProtocolName } from './protocols/protocol.js'

export interface RequestRecord {
  readonly number: number
  readonly protocol: ProtocolName
  /** Path with query. A key in the query is replaced by a digest. */
  readonly path: string
  readonly headers: {
    /**
     * Short digest of the API key, from whichever header contains it. It tells keys apart without storing
     * them. `null` if no key was sent.
     */
    readonly authorization: string | null
    readonly userAgent: string | null
    /** All headers by lower-case name. Headers that may contain a secret are replaced by digests. */
    readonly all: Readonly<Record<string, string>>
  }
  /** The request converted to Chat Completions. `null` if it could not be read. */
  readonly body: ChatRequest | null
  /** The body as received, if it differs from `body`. */
  readonly received?: unknown
  /** HTTP status; `null` if none was sent. */
  readonly status: number | null
  readonly fault: FaultKind | null
  readonly usage: ChatUsage | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly finishedAt: number
}

export interface Counters {
  /** Number of completion requests in any protocol, whatever their result. */
  requests: number
  /** Number of completions that were sent in full. */
  completions: number
  /** Number of requests in progress. `mostOpen` is its maximum so far. */
  open: number
  mostOpen: number
  /** Number of clients that disconnected before the reply was complete. */
  abandoned: number
  statuses: Record<string, number>
  faults: Partial<Record<FaultKind, number>>
  promptTokens: number
  completionTokens: number
  cachedTokens: number
}

export function newCounters(): Counters {
  return {
    requests: 0,
    completions: 0,
    open: 0,
    mostOpen: 0,
    abandoned: 0,
    statuses: {},
    faults: {},
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
  }
}

export function digestOf(secret: string | undefined): string | null {
  return secret === undefined ? null : hash('sha256', secret).slice(0, 12)
}

const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']
const maybeSecret = /auth|key|token|secret|cookie|credential/

/** The path and headers of a request without secrets, so that they can be logged. */
export function originOf(headers: IncomingHttpHeaders, url: URL): Pick<RequestRecord, 'headers' | 'path'> {
  const all = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
    return [name, maybeSecret.test(name) ? (digestOf(text) ?? '') : text]
  })
  const query = new URLSearchParams(url.search)
  const queryKey = query.get('key') ?? undefined
  if (queryKey !== undefined) query.set('key', digestOf(queryKey) ?? '')
  const sent = keyHeaders.map(name => headers[name]).find(value => typeof value === 'string') ?? queryKey
  return {
    path: query.size === 0 ? url.pathname : `${url.pathname}?${query}`,
    headers: {
      authorization: digestOf(sent),
      userAgent: headers['user-agent'] ?? null,
      all: Object.fromEntries(all),
    },
  }
}

export interface RecordSink {
  write(record: RequestRecord): void
  close(): Promise<void>
}

/** Opens a sink for records. It keeps them in `kept`, appends them to `file`, or both. */
export function openRecordSink(kept: RequestRecord[] | undefined, file: string | undefined): RecordSink {
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a' })
  // A full disk is reported by close(). Without a listener, the error would crash the process.
  let failure: Error | undefined
  stream?.on('error', error => {
    failure = error
  })
  return {
    write(record) {
      kept?.push(record)
      stream?.write(`${JSON.stringify(record)}\n`)
    },
    async close() {
      if (stream === undefined) return
      if (failure === undefined) {
        stream.end()
        await finished(stream)
        return
      }
      throw new Error(`loopback server: the request log ${file} could not be written`, { cause: failure })
    },
  }
}
