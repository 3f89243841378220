import type { RunEvent } from '../core/log/event.js'
import type { RunStore } from '../core/ports/store.js'
import type { BlobRef } from '../core/task/task.js'
import { blobRef, missingBlob } from './blobs.js'
import { isResult, wrongPlace } from './results.js'

/** A store in memory, for tests. Values are parsed from JSON as from disk, never the same object. */
export function createMemoryStore(): RunStore {
  const lines: string[] = []
  const results = new Map<string, number>()
  const texts = new Map<BlobRef, string>()
  const read = (line: string) => JSON.parse(line) as RunEvent
  let closed = false
  return {
    async append(event) {
      if (closed) throw new Error('The store is closed: nothing can be appended.')
      if (event.seq !== lines.length) throw wrongPlace(event.seq, lines.length)
      const { key } = event
      if (isResult(event) && key !== undefined && !results.has(key)) results.set(key, lines.length)
      lines.push(JSON.stringify(event))
    },
    put(text) {
      const ref = blobRef(text)
      texts.set(ref, text)
      return ref
    },
    async get(ref) {
      const text = texts.get(ref)
      if (text === undefined) throw missingBlob('The store', ref)
      return text
    },
    has: key => results.has(key),
    async find(key) {
      const line = lines[results.get(key) ?? -1]
      return line === undefined ? undefined : read(line)
    },
    get length() {
      return lines.length
    },
    async *events() {
      for (const line of lines.slice()) yield read(line)
    },
    async flush() {},
    async close() {
      closed = true
    },
  }
}
