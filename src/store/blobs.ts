import { InputError } from '../core/errors/errors.js'
import type { BlobRef } from '../core/task/task.js'
import { contentHash } from '../core/text/hash.js'
import { AppendLog, type AppendLogOptions } from './append-log.js'
import { PlaceIndex } from './place-index.js'
import type { LinePlace } from './read-lines.js'

const hashLength = 32
const head = '{"hash":"'
const middle = '","text":"'
const textStart = head.length + hashLength + middle.length
const hexOnly = /^[0-9a-f]{32}$/
const loneSurrogate = /\p{Surrogate}/u

/**
 * Characters of recent texts that stay in memory. Recent texts are soon read again: reflection follows
 * rollout, and the skill is in every prompt.
 */
const cacheLimit = 4 << 20

/** A text's ref: 32 hex digits of the sha256 of its UTF-8 bytes. */
export function blobRef(text: string): BlobRef {
  // UTF-8 encodes every lone surrogate as the same replacement character, so different texts would share a
  // ref. As JSON they differ.
  return contentHash(loneSurrogate.test(text) ? JSON.stringify(text) : text)
}

export function blobLine(ref: BlobRef, text: string): string {
  return `${head}${ref}","text":${JSON.stringify(text)}}`
}

/** The ref in a line. The text is not parsed: megabytes of JSON on each opening would make resuming slow. */
export function refOfLine(line: Buffer): BlobRef | undefined {
  if (line.length < textStart + 2 || line.toString('latin1', line.length - 2) !== '"}') return undefined
  const start = line.toString('latin1', 0, textStart)
  const ref = start.slice(head.length, head.length + hashLength)
  return start === `${head}${ref}${middle}` && hexOnly.test(ref) ? ref : undefined
}

export function textOfLine(line: string): string {
  return (JSON.parse(line) as { text: string }).text
}

export function missingBlob(path: string, ref: BlobRef): InputError {
  return new InputError(`${path} holds no text named ${ref}.`, {
    hint: 'The run directory is incomplete: restore it from a copy, or start a new run.',
  })
}

/** The run's texts, each stored once under the hash of its content. */
export class Blobs {
  readonly log: AppendLog
  /** Number of texts when the file was opened. */
  readonly size: number
  readonly #index: PlaceIndex
  /** Texts that are not yet written, although their refs were returned. */
  readonly #unwritten = new Map<BlobRef, string>()
  readonly #cache = new TextCache()

  private constructor(log: AppendLog, index: PlaceIndex, size: number) {
    this.log = log
    this.size = size
    this.#index = index
  }

  static async open(path: string, options: Pick<AppendLogOptions, 'openFile'> = {}): Promise<Blobs> {
    const index = new PlaceIndex()
    let size = 0
    const visit = (line: Buffer, place: LinePlace) => {
      const ref = refOfLine(line)
      if (ref === undefined) return false
      index.add(ref, place)
      size += 1
      return true
    }
    return new Blobs(await AppendLog.open(path, { ...options, visit }), index, size)
  }

  has(ref: BlobRef): boolean {
    return this.#index.has(ref) || this.#unwritten.has(ref)
  }

  put(text: string): BlobRef {
    const ref = blobRef(text)
    if (this.has(ref)) return ref
    this.#unwritten.set(ref, text)
    this.#cache.keep(ref, text)
    this.log.append(blobLine(ref, text)).then(
      place => {
        this.#index.add(ref, place)
        this.#unwritten.delete(ref)
      },
      // The log keeps its failure and rejects the event that refers to this text. Until then the text can be
      // read.
      () => undefined,
    )
    return ref
  }

  async get(ref: BlobRef): Promise<string> {
    const near = this.#cache.find(ref) ?? this.#unwritten.get(ref)
    if (near !== undefined) return near
    const place = this.#index.get(ref)
    if (place === undefined) throw missingBlob(this.log.path, ref)
    const text = textOfLine(await this.log.read(place))
    this.#cache.keep(ref, text)
    return text
  }
}

/** An LRU cache. */
class TextCache {
  readonly #texts = new Map<BlobRef, string>()
  #characters = 0

  find(ref: BlobRef): string | undefined {
    const text = this.#texts.get(ref)
    if (text === undefined) return undefined
    this.#texts.delete(ref)
    this.#texts.set(ref, text)
    return text
  }

  keep(ref: BlobRef, text: string): void {
    if (text.length > cacheLimit / 8 || this.#texts.has(ref)) return
    this.#texts.set(ref, text)
    this.#characters += weight(text)
    for (const [oldest, old] of this.#texts) {
      if (this.#characters <= cacheLimit) return
      this.#texts.delete(oldest)
      this.#characters -= weight(old)
    }
  }
}

/** Size of an entry in the cache. Even a short text takes some memory. */
function weight(text: string): number {
  return text.length + 200
}
