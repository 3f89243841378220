import { dirname, join } from 'node:path'
import type { Disk } from './disk.js'
import { draftOf } from './drafts.js'
import { ensureFolder } from './files.js'
import {
  type AdoptionState,
  backupFolder,
  type Receipt,
  type ReceiptChange,
  readBackup,
  readReceipts,
  receiptPath,
  unfinishedPath,
} from './receipts.js'
import { type FileContent, takeBack } from './take-back.js'
import { type LiveContent, readLive, sha256, Unsafe } from './target.js'

/**
 * Settles an interrupted operation. If its receipt exists, the whole operation is kept; otherwise all of it
 * is rolled back. Files that a person has changed meanwhile are left alone, and their paths are returned.
 */
export async function settle(state: AdoptionState, receipt: Receipt, disk: Disk): Promise<readonly string[]> {
  // A receipt is written after all files and removed before the first file is rolled back, so it proves that
  // the files are complete.
  if ((await disk.entry(receiptPath(state, receipt.number))) !== undefined) {
    await disk.remove(state.journal)
    return []
  }
  return rollBack(state, receipt, disk)
}

/** Removes backups of a process that stopped before it wrote its journal. */
export async function removeLeftovers(state: AdoptionState, disk: Disk): Promise<void> {
  await disk.remove(`${state.journal}.partial`)
  const known = new Set((await readReceipts(state, disk)).map(({ number }) => number))
  for (const name of await disk.names(join(state.folder, 'backups'))) {
    const number = Number.parseInt(name, 10)
    if (!known.has(number) && (await disk.entry(unfinishedPath(state, number))) === undefined) {
      await removeCopies(state, number, disk)
    }
  }
}

/**
 * Rolls an operation back and returns the paths of files that were left alone. It can be interrupted at any
 * point and run again.
 */
export async function rollBack(
  state: AdoptionState,
  receipt: Receipt,
  disk: Disk,
): Promise<readonly string[]> {
  const { number, changes, roots } = receipt
  for (const file of [state.journal, receiptPath(state, number)]) await disk.remove(`${file}.partial`)
  await disk.remove(receiptPath(state, number))
  const left: string[] = []
  for (const change of changes.toReversed()) {
    const draft = draftOf(change.realPath, number)
    await disk.remove(draft)
    if (!(await putFileBack(state, number, change, roots, disk))) left.push(change.path)
    for (const folder of change.madeFolders.toReversed()) await disk.removeFolder(folder)
  }
  await close(state, receipt, left, disk)
  return left
}

/** Restores one file; returns false if the file was left alone. */
async function putFileBack(
  state: AdoptionState,
  number: number,
  change: ReceiptChange,
  roots: readonly string[],
  disk: Disk,
): Promise<boolean> {
  const live = await liveOf(change, roots, disk)
  if (live === 'strange') return false
  if ((live === undefined ? undefined : sha256(live.bytes)) === change.before?.sha256) return true
  const back = takeBack(change, await readBackup(state, number, change, disk), live)
  if (back.state === 'is-back') return true
  if (back.state === 'changed') return false
  await write(change.realPath, number, back.content, disk)
  return true
}

/** Reads the current file. If the path is now a link, a folder or not text, the person has changed it. */
async function liveOf(
  { path, realPath }: ReceiptChange,
  roots: readonly string[],
  disk: Disk,
): Promise<LiveContent | undefined | 'strange'> {
  try {
    const live = await readLive(path, roots, disk)
    return live.realPath === realPath ? live.content : 'strange'
  } catch (error) {
    if (error instanceof Unsafe) return 'strange'
    throw error
  }
}

async function write(
  path: string,
  number: number,
  content: FileContent | undefined,
  disk: Disk,
): Promise<void> {
  if (content === undefined) return disk.remove(path)
  const draft = draftOf(path, number)
  await ensureFolder(dirname(path), disk)
  await disk.create(draft, content.bytes, content.mode)
  await disk.rename(draft, path)
}

/** Finishes a recovery. The journal is removed last, so that recovery can be repeated until then. */
async function close(
  state: AdoptionState,
  { number }: Receipt,
  left: readonly string[],
  disk: Disk,
): Promise<void> {
  if (left.length === 0) {
    await disk.remove(state.journal)
    await removeCopies(state, number, disk)
    return
  }
  const kept = unfinishedPath(state, number)
  await ensureFolder(dirname(kept), disk)
  if ((await disk.entry(state.journal)) !== undefined) await disk.rename(state.journal, kept)
}

export async function removeCopies(state: AdoptionState, number: number, disk: Disk): Promise<void> {
  const folder = backupFolder(state, number)
  for (const name of await disk.names(folder)) await disk.remove(join(folder, name))
  await disk.removeFolder(folder)
}
