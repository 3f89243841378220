import { join } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../core/errors/errors.js'
import { type Disk, nodeDisk } from './disk.js'
import { writeOwnFile } from './files.js'
import { sha256 } from './target.js'

/** Receipts: the adoptions and undos of a project, in order. */

const stamp = z.strictObject({ sha256: z.string(), mode: z.int() })

const change = z.strictObject({
  name: z.string(),
  path: z.string(),
  realPath: z.string(),
  /** Null if the file did not exist. Its old bytes are kept under the name `backup`, beside the receipts. */
  before: stamp.extend({ backup: z.string() }).nullable(),
  /** Null if the change removed the file. */
  after: stamp.nullable(),
  /** Hash of the written region text. */
  regionAfter: z.string().nullable(),
  /** True if the person had changed the surrounding text since the proposal. */
  merged: z.boolean(),
  /** Folders created for the file, outermost first. */
  madeFolders: z.array(z.string()),
})
export type ReceiptChange = z.output<typeof change>

const receiptSchema = z.strictObject({
  format: z.literal('skillopt.sleep.receipt.v1'),
  number: z.int().positive(),
  kind: z.enum(['adopt', 'undo']),
  /** Number of the receipt that this `undo` reverts. */
  undoes: z.int().positive().optional(),
  proposal: z.string(),
  at: z.string(),
  /** Ids of the chosen edits; null for all. */
  edits: z.array(z.string()).nullable(),
  /** States if exactly this text was measured. */
  label: z.enum(['measured', 'unmeasured']),
  roots: z.array(z.string()),
  changes: z.array(change),
})
export type Receipt = z.output<typeof receiptSchema>

/** Paths of the adoption state of a project: below Sleep's folder, never inside the project. */
export interface AdoptionState {
  readonly folder: string
  readonly journal: string
}

export function stateIn(projectFolder: string): AdoptionState {
  const folder = join(projectFolder, 'adoption')
  return { folder, journal: join(folder, 'journal.json') }
}

export function receiptPath({ folder }: AdoptionState, number: number): string {
  return join(folder, 'receipts', `${numbered(number)}.json`)
}

export function backupFolder({ folder }: AdoptionState, number: number): string {
  return join(folder, 'backups', numbered(number))
}

/** Path to which a journal is moved if recovery left a file alone that the person had edited. */
export function unfinishedPath({ folder }: AdoptionState, number: number): string {
  return join(folder, 'unfinished', `${numbered(number)}.json`)
}

function numbered(number: number): string {
  return String(number).padStart(6, '0')
}

export async function readReceipts(state: AdoptionState, disk: Disk): Promise<Receipt[]> {
  const folder = join(state.folder, 'receipts')
  const names = (await disk.names(folder)).filter(name => /^\d+\.json$/.test(name)).sort()
  const receipts: Receipt[] = []
  for (const name of names) {
    const receipt = await readReceipt(join(folder, name), disk)
    if (receipt !== undefined) receipts.push(receipt)
  }
  return receipts
}

/** Returns all adoptions and undos of a project, oldest first, and the adoptions that still stand. */
export async function readAdoptions(
  projectFolder: string,
  disk: Disk = nodeDisk,
): Promise<{ readonly all: readonly Receipt[]; readonly standing: readonly Receipt[] }> {
  const all = await readReceipts(stateIn(projectFolder), disk)
  return { all, standing: standing(all) }
}

/** Returns the operation that is in progress or that an interrupted process left unfinished. */
export async function readUnfinished(
  projectFolder: string,
  disk: Disk = nodeDisk,
): Promise<Receipt | undefined> {
  return readReceipt(stateIn(projectFolder).journal, disk)
}

/** Returns the adoptions that were not undone, oldest first. */
export function standing(receipts: readonly Receipt[]): Receipt[] {
  const undone = new Set(receipts.map(({ undoes }) => undoes))
  return receipts.filter(({ kind, number }) => kind === 'adopt' && !undone.has(number))
}

export async function nextNumber(state: AdoptionState, disk: Disk): Promise<number> {
  const folders = ['receipts', 'backups', 'unfinished'].map(name => join(state.folder, name))
  const names = (await Promise.all(folders.map(folder => disk.names(folder)))).flat()
  return Math.max(0, ...names.map(name => Number.parseInt(name, 10)).filter(Number.isFinite)) + 1
}

const mostReceiptBytes = 5_000_000

/**
 * Reads a receipt or a journal; undefined if the file does not exist. The two share one format: a receipt
 * records a finished operation, a journal one in progress.
 */
export async function readReceipt(path: string, disk: Disk): Promise<Receipt | undefined> {
  const bytes = await disk.read(path, mostReceiptBytes)
  if (bytes === undefined) return undefined
  try {
    return receiptSchema.parse(JSON.parse(bytes.toString('utf8')))
  } catch (cause) {
    throw new InputError(
      `${path} is damaged, so what it stands for can neither be finished nor taken back.`,
      {
        hint: 'It was left as it is. What files said before is kept in the folder "backups" beside it; put them right by hand, then remove the damaged file.',
        cause,
      },
    )
  }
}

export async function writeReceipt(path: string, receipt: Receipt, disk: Disk): Promise<void> {
  await writeOwnFile(path, `${JSON.stringify(receiptSchema.parse(receipt), null, 2)}\n`, disk)
}

/** Reads the bytes that a change replaced. */
export async function readBackup(
  state: AdoptionState,
  number: number,
  { path, before }: ReceiptChange,
  disk: Disk,
): Promise<{ readonly bytes: Buffer; readonly mode: number } | undefined> {
  if (before === null) return undefined
  const file = join(backupFolder(state, number), before.backup)
  const bytes = await disk.read(file, mostReceiptBytes)
  if (bytes !== undefined && sha256(bytes) === before.sha256) return { bytes, mode: before.mode }
  throw new InputError(`The copy of ${path} in ${file} is gone or was changed, so it is not put back.`, {
    hint: 'Nothing was changed. Put the file right by hand.',
  })
}
