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
  /** With its query; a key in it is a digest. */
  readonly path: string
  readonly headers: {
    /**
     * A short digest, so that a log can tell keys apart without holding one, whichever header the key came in; `null`
     * when none was sent.
     */
    readonly authorization: string | null
    readonly userAgent: string | null
    /** Every header by its name in lower case, those that may hold a secret as digests. */
    readonly all: Readonly<Record<string, string>>
  }
  /** In the form of Chat Completions, whatever it came in; `null` when it could not be read. */
  readonly body: ChatRequest | null
  /** The body as it came, where that is not `body`. */
  readonly received?: unknown
  /** `null` when no status line was ever sent. */
  readonly status: number | null
  readonly fault: FaultKind | null
  readonly usage: ChatUsage | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly finishedAt: number
}

export interface Counters {
  /** Requests for a completion in any protocol, whatever came of them. */
  requests: number
  /** Completions sent whole. */
  completions: number
  /** Requests being answered now, and the most there ever were at once. */
  open: number
  mostOpen: number
  /** Clients that hung up before the reply was whole. */
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

/** What a log may hold of the way a request came. */
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

/** Keeps records in `kept`, appends them to `file`, or both. */
export function openRecordSink(kept: RequestRecord[] | undefined, file: string | undefined): RecordSink {
  const stream = file === undefined ? undefined : createWriteStream(file, { flags: 'a' })
  // Without a listener, a full disk would end the process from inside the stream; it is reported by close() instead.
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
