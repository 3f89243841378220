import { readRegion, writeRegion } from '../model/managed-region.js'
import type { ReceiptChange } from './receipts.js'
import { decode, type LiveContent, regionOf, sha256 } from './target.js'

export interface FileContent {
  readonly bytes: Buffer
  readonly mode: number
}

/** What it takes to undo a change of one file. */
export type TakenBack =
  /** The file already has its old content. */
  | { readonly state: 'is-back' }
  | { readonly state: 'restore'; readonly content: FileContent | undefined }
  /** The person edited the text around the region, so only the region is restored. */
  | { readonly state: 'merge'; readonly content: FileContent }
  /** The person edited the region itself or removed the file. */
  | { readonly state: 'changed' }

export function takeBack(
  change: Pick<ReceiptChange, 'path' | 'after' | 'regionAfter'>,
  before: FileContent | undefined,
  live: LiveContent | undefined,
): TakenBack {
  if (live === undefined) {
    if (before === undefined) return { state: 'is-back' }
    return change.after === null ? { state: 'restore', content: before } : { state: 'changed' }
  }
  if (before !== undefined && live.bytes.equals(before.bytes)) return { state: 'is-back' }
  if (change.after === null) return { state: 'changed' }
  if (sha256(live.bytes) === change.after.sha256) {
    return { state: 'restore', content: before === undefined ? undefined : { ...before, mode: live.mode } }
  }
  const region = readRegion(live.text)
  if (region.state === 'broken') return { state: 'changed' }
  const text = region.state === 'found' ? region.text : undefined
  if (text === regionBefore(change.path, before)) return { state: 'is-back' }
  const untouched = (text === undefined ? null : sha256(text)) === change.regionAfter
  return untouched ? mergeBack(change.path, before, live) : { state: 'changed' }
}

/** Restores the region of `before` within the person's current text. */
export function mergeBack(path: string, before: FileContent | undefined, live: LiveContent): TakenBack {
  const written = writeRegion(live.text, regionBefore(path, before) ?? '')
  if (written.state === 'broken') return { state: 'changed' }
  return { state: 'merge', content: { bytes: Buffer.from(written.document), mode: live.mode } }
}

function regionBefore(path: string, before: FileContent | undefined): string | undefined {
  return before === undefined ? undefined : regionOf(decode(before.bytes, path), path)
}
