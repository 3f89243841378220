import { basename, dirname, join } from 'node:path'
import { InputError, messageOf, PausedError } from '../../core/errors/errors.js'
import { type Disk, privateFile } from './disk.js'
import { draftOf } from './drafts.js'
import { ensureFolder, missingFolders } from './files.js'
import {
  type AdoptionState,
  backupFolder,
  nextNumber,
  type Receipt,
  type ReceiptChange,
  receiptPath,
  writeReceipt,
} from './receipts.js'
import { removeCopies, rollBack } from './recover.js'
import type { FileContent } from './take-back.js'
import { type LiveFile, readLive, sha256 } from './target.js'
import { inWords } from './words.js'

/** The new content of one file. `live` is the content when the change was planned. */
export interface Change {
  readonly name: string
  readonly live: LiveFile
  readonly after: FileContent | undefined
  readonly regionAfter: string | undefined
  readonly merged: boolean
  /** Folders to remove together with the file if they are empty, outermost first. */
  readonly emptied?: readonly string[]
}

type About = Pick<Receipt, 'kind' | 'undoes' | 'proposal' | 'at' | 'edits' | 'label' | 'roots'>

/**
 * Carries out all changes or none. It writes backups, the journal and the new texts beside their files, then
 * replaces the files. The operation is final once the receipt is written and the journal removed. A process
 * that finds a journal without a receipt rolls everything back (`recover`).
 */
export async function transact(
  state: AdoptionState,
  about: About,
  changes: readonly Change[],
  disk: Disk,
): Promise<Receipt> {
  const number = await nextNumber(state, disk)
  const receipt: Receipt = {
    format: 'skillopt.sleep.receipt.v1',
    number,
    ...about,
    changes: await Promise.all(changes.map((change, index) => recordOf(change, index, disk))),
  }
  await keepCopies(state, number, changes, disk)
  try {
    await writeReceipt(state.journal, receipt, disk)
    await writeDrafts(receipt, changes, disk)
    for (const change of changes) await replace(receipt, change, disk)
    for (const folder of changes.flatMap(({ emptied = [] }) => emptied.toReversed()))
      await disk.removeFolder(folder)
    await ensureFolder(dirname(receiptPath(state, number)), disk)
    await writeReceipt(receiptPath(state, number), receipt, disk)
    await disk.remove(state.journal)
  } catch (error) {
    if (await settledAs(state, receipt, error, disk)) return receipt
    throw inWords(error, `${changes.map(({ live }) => live.path).join(', ')} could not be written`)
  }
  return receipt
}

async function recordOf(
  { name, live, after, regionAfter, merged }: Change,
  index: number,
  disk: Disk,
): Promise<ReceiptChange> {
  const { path, realPath, content } = live
  return {
    name,
    path,
    realPath,
    merged,
    before:
      content === undefined
        ? null
        : { sha256: sha256(content.bytes), mode: content.mode, backup: `${index}-${basename(realPath)}` },
    after: after === undefined ? null : { sha256: sha256(after.bytes), mode: after.mode },
    regionAfter: regionAfter === undefined ? null : sha256(regionAfter),
    madeFolders: after === undefined ? [] : await missingFolders(dirname(realPath), disk),
  }
}

async function keepCopies(
  state: AdoptionState,
  number: number,
  changes: readonly Change[],
  disk: Disk,
): Promise<void> {
  const folder = backupFolder(state, number)
  try {
    await ensureFolder(folder, disk)
    for (const [index, { live }] of changes.entries()) {
      if (live.content === undefined) continue
      await disk.create(join(folder, `${index}-${basename(live.realPath)}`), live.content.bytes, privateFile)
    }
  } catch (error) {
    await removeCopies(state, number, disk)
    throw inWords(error, `No copies could be kept in ${folder}`)
  }
}

/**
 * Writes the new texts beside their files. A full disk fails here, before any of the person's files is
 * touched.
 */
async function writeDrafts(receipt: Receipt, changes: readonly Change[], disk: Disk): Promise<void> {
  for (const { live, after } of changes) {
    if (after === undefined) continue
    await ensureFolder(dirname(live.realPath), disk)
    const draft = draftOf(live.realPath, receipt.number)
    await checkPlace(dirname(draft), live, disk)
    await disk.create(draft, after.bytes, after.mode)
    await checkPlace(draft, live, disk)
  }
}

async function replace(receipt: Receipt, { live, after }: Change, disk: Disk): Promise<void> {
  const now = await readLive(live.path, receipt.roots, disk)
  const same =
    live.content === undefined
      ? now.content === undefined
      : now.content?.bytes.equals(live.content.bytes) === true && now.content.mode === live.content.mode
  if (!same || now.realPath !== live.realPath || now.link !== live.link) throw changedMeanwhile(live)
  if (after === undefined) return disk.remove(live.realPath)
  await disk.rename(draftOf(live.realPath, receipt.number), live.realPath)
  const written = await readLive(live.path, receipt.roots, disk)
  if (written.realPath !== live.realPath || written.content?.bytes.equals(after.bytes) !== true) {
    throw changedMeanwhile(live)
  }
}

/** Checks a path again, because a parent folder could have been replaced by a link since the first check. */
async function checkPlace(path: string, live: LiveFile, disk: Disk): Promise<void> {
  if ((await disk.realPath(path)) !== path) throw changedMeanwhile(live)
}

function changedMeanwhile({ path }: LiveFile): InputError {
  return new InputError(`${path} was changed by somebody else just now, so nothing was written.`, {
    hint: 'Run the same command again.',
  })
}

/** Settles an operation after an error. Returns true if it is final, false if it was rolled back. */
async function settledAs(
  state: AdoptionState,
  receipt: Receipt,
  error: unknown,
  disk: Disk,
): Promise<boolean> {
  let left: readonly string[]
  try {
    if (await isFinal(state, receipt, disk)) return true
    left = await rollBack(state, receipt, disk)
  } catch (second) {
    throw new PausedError(
      `Writing broke off (${messageOf(error)}), and what was written could not be put back now (${messageOf(second)}).`,
      {
        hint: 'Nothing is lost: run the same command again once the disk answers, and it is put back first.',
        cause: error,
      },
    )
  }
  if (left.length > 0) throw leftAlone(state, left, error)
  return false
}

/**
 * True if the operation is final. The last step can fail after taking effect; then the journal is already
 * gone.
 */
async function isFinal(state: AdoptionState, { number }: Receipt, disk: Disk): Promise<boolean> {
  const [journal, receipt] = [await disk.entry(state.journal), await disk.entry(receiptPath(state, number))]
  return journal === undefined && receipt !== undefined
}

/** Builds the error for files that were not rolled back because the person had edited them. */
export function leftAlone(state: AdoptionState, left: readonly string[], cause?: unknown): InputError {
  return new InputError(
    `An adoption broke off, and ${left.join(', ')} was changed by somebody since, so it was left as it is now.`,
    {
      hint: `All else is as it was before. What it said before is kept in ${join(state.folder, 'backups')}. Look at the file, then run the same command again.`,
      cause,
    },
  )
}
