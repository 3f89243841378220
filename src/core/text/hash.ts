import { hash as digest } from 'node:crypto'
import type { Task } from '../task/task.js'

/**
 * 128 bits of SHA-256 in hex, used to name blobs and effects. Uses the one-shot digest, because a hash object
 * per text would take longer than the hashing.
 */
export function contentHash(content: string | Uint8Array): string {
  return digest('sha256', content).slice(0, 32)
}

/** JSON with sorted keys, so that equal data gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/**
 * Hashes the content of a task, not its id: a task whose text changed must not be answered from an old
 * recording. Not memoised, because for 100,000 tasks the memory would cost more than hashing again.
 */
export function taskHash(task: Task): string {
  // Renaming a file does not change the task.
  const unnamed = task.attachments?.map(file => ({ ...file, name: '' }))
  return contentHash(canonicalJson(unnamed === undefined ? task : { ...task, attachments: unnamed }))
}
