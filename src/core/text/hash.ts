import { hash as digest } from 'node:crypto'
import type { Task } from '../task/task.js'

/** 128 bits of sha256, in hex: names blobs and effects. In one go: a hash object per text costs more than the hashing. */
export function contentHash(content: string | Uint8Array): string {
  return digest('sha256', content).slice(0, 32)
}

/** JSON with sorted keys, so that the same data gives the same text whoever built the object. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

/**
 * By content, not by id: a task whose text changed must not be answered from an old recording. Not remembered: a run may
 * have 100,000 tasks, and remembering costs more memory than hashing again costs time.
 */
export function taskHash(task: Task): string {
  // A file that is only called otherwise is still the same file.
  const unnamed = task.attachments?.map(file => ({ ...file, name: '' }))
  return contentHash(canonicalJson(unnamed === undefined ? task : { ...task, attachments: unnamed }))
}
