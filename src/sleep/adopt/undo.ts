import { InputError } from '../../core/errors/errors.js'
import { forceHint } from '../model/wording.js'
import type { Disk } from './disk.js'
import { type AdoptionPlace, withAdoption } from './opening.js'
import {
  type AdoptionState,
  type Receipt,
  type ReceiptChange,
  readBackup,
  readReceipts,
  standing,
} from './receipts.js'
import { type FileContent, mergeBack, takeBack } from './take-back.js'
import { type LiveFile, readLive, regionOf } from './target.js'
import { type Change, transact } from './transaction.js'

export interface UndoOptions {
  /** Undo even if the person changed the region since. Their version is kept beside the receipt. */
  readonly force?: boolean
  /** Number of the adoption to undo. If a later adoption was made since, the undo is refused. */
  readonly receipt?: number
}

/**
 * Undoes the newest adoption that still stands: restores bytes and modes and removes files that it created.
 */
export async function undo(place: AdoptionPlace, options: UndoOptions = {}): Promise<Receipt> {
  return withAdoption(place, async ({ state, disk, at, withFiles }) => {
    const last = standing(await readReceipts(state, disk)).at(-1)
    if (last === undefined) {
      throw new InputError('There is no adoption in this project that could be taken back.')
    }
    if (options.receipt !== undefined && options.receipt !== last.number) {
      throw new InputError(
        `Adoption ${options.receipt} is not the newest that stands, which is ${last.number}.`,
        {
          hint: 'Nothing was changed. They are taken back one after the other, the newest first.',
        },
      )
    }
    return withFiles(
      last.changes.map(({ realPath }) => realPath),
      async () => {
        const changes: Change[] = []
        for (const change of last.changes) {
          const back = await changeBack(state, last, change, options.force === true, disk)
          if (back !== undefined) changes.push(back)
        }
        const about = {
          kind: 'undo' as const,
          undoes: last.number,
          proposal: last.proposal,
          at,
          edits: last.edits,
          label: 'unmeasured' as const,
          roots: last.roots,
        }
        return transact(state, about, changes, disk)
      },
    )
  })
}

/** Computes the change that undoes another; undefined if the file already has its old content. */
async function changeBack(
  state: AdoptionState,
  { number, roots }: Receipt,
  change: ReceiptChange,
  force: boolean,
  disk: Disk,
): Promise<Change | undefined> {
  const live = await readLive(change.path, roots, disk)
  if (live.realPath !== change.realPath) {
    throw new InputError(`${change.path} leads to ${live.realPath} now, and led to ${change.realPath}.`, {
      hint: 'Nothing was changed. Put the link right, or the files by hand.',
    })
  }
  const before = await readBackup(state, number, change, disk)
  const back = takeBack(change, before, live.content)
  if (back.state === 'is-back') return undefined
  if (back.state !== 'changed') return changeTo(change, live, back.content, back.state === 'merge')
  if (!force) throw changedSince(change, live)
  return forced(change, live, before)
}

/**
 * Undoes a change despite the person's edits. The text around the region is kept if the region can be
 * located.
 */
function forced(change: ReceiptChange, live: LiveFile, before: FileContent | undefined): Change {
  const merged = live.content === undefined ? undefined : mergeBack(change.path, before, live.content)
  return merged?.state === 'merge'
    ? changeTo(change, live, merged.content, true)
    : changeTo(change, live, before, false)
}

function changeTo(
  { name, path, madeFolders }: ReceiptChange,
  live: LiveFile,
  after: FileContent | undefined,
  merged: boolean,
): Change {
  const regionAfter = after === undefined ? undefined : regionOf(after.bytes.toString('utf8'), path)
  return { name, live, after, regionAfter, merged, ...(after === undefined ? { emptied: madeFolders } : {}) }
}

function changedSince({ path }: ReceiptChange, { content }: LiveFile): InputError {
  const what = content === undefined ? `${path} was deleted` : `The managed region of ${path} was changed`
  return new InputError(`${what} since it was adopted, so it is not taken back.`, {
    hint: forceHint,
  })
}
