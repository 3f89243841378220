import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { ChatRequest, ChatUsage } from './chat.js'
import type { FaultKind } from './faults.js'

export interface RequestRecord {
  readonly number: number
  readonly headers: {
    /** A short digest, so that a log can tell keys apart without holding one; `null` when none was sent. */
    readonly authorization: string | null
    readonly userAgent: string | null
  }
  readonly body: ChatRequest | null
  /** `null` when no status line was ever sent. */
  readonly status: number | null
  readonly fault: FaultKind | null
  readonly usage: ChatUsage | null
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly finishedAt: number
}

export interface Counters {
  /** Requests to /v1/chat/completions, whatever came of them. */
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
