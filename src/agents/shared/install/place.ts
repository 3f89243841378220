import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import { readPlainFile } from '../../../system/plain-file.js'
import type { Agent } from './agent.js'
import { fileHash, type KeptReceipt, type Receipt, type ReceiptFile, type Receipts } from './receipts.js'
import { checkInside, kindOf } from './safe-path.js'
import type { SkillFile } from './supporting-files.js'
import { putBack } from './undo.js'

export interface Target {
  readonly agent: Agent
  readonly name: string
  /** The folder of the skill itself. */
  readonly folder: string
  /** Nothing is written outside this folder, not even through links. */
  readonly base: string
}

interface Change {
  readonly file: SkillFile
  readonly before?: { readonly content: Buffer; readonly mode: number } | undefined
}

/** The planned changes of an installation; nothing has been written yet. */
export interface Placement {
  readonly target: Target
  /** Files to write, because they are missing or have different content. */
  readonly changes: readonly Change[]
  readonly overwritten: readonly string[]
}

export async function planPlacement(target: Target, files: readonly SkillFile[]): Promise<Placement> {
  const changes: Change[] = []
  for (const file of files) {
    const path = join(target.folder, file.path)
    await checkInside(target.base, path)
    if ((await kindOf(path)) === 'absent') {
      changes.push({ file })
      continue
    }
    const content = await readPlainFile(path)
    if (!content.equals(file.content)) {
      changes.push({ file, before: { content, mode: (await stat(path)).mode & 0o777 } })
    }
  }
  const overwritten = changes.filter(({ before }) => before !== undefined).map(({ file }) => file.path)
  return { target, changes, overwritten }
}

/** Writes the planned changes: either all of them or none. */
export async function carryOut(
  { target, changes }: Placement,
  receipts: Receipts,
  at: Date,
): Promise<KeptReceipt> {
  const backups = new Map<string, Buffer>()
  const files = changes.map(({ file, before }, index): ReceiptFile => {
    const { path } = file
    const after = fileHash(file.content)
    if (before === undefined) return { path, after }
    const backup = `before-${index}`
    backups.set(backup, before.content)
    return { path, after, before: { hash: fileHash(before.content), mode: before.mode, backup } }
  })
  const receipt: Receipt = {
    format: 1,
    agent: target.agent.id,
    name: target.name,
    folder: target.folder,
    base: target.base,
    at: at.toISOString(),
    files,
    madeFolders: await missingFolders(changes.map(({ file }) => dirname(join(target.folder, file.path)))),
  }
  const kept = await receipts.add(receipt, backups)
  try {
    for (const { file } of changes) await write(join(target.folder, file.path), file)
  } catch (error) {
    await putBack(kept)
    await receipts.remove(kept)
    throw new InputError(`${target.folder} cannot be written: ${messageOf(error)}.`, {
      hint: 'Change its permissions, or install somewhere else (--project or --user). Nothing was changed.',
      cause: error,
    })
  }
  return kept
}

async function write(path: string, { content, executable }: SkillFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFileAtomic(path, content)
  if (executable) await chmod(path, 0o755)
}

async function missingFolders(folders: readonly string[]): Promise<string[]> {
  const missing = new Set<string>()
  for (const folder of folders) {
    for (let path = folder; (await kindOf(path)) === 'absent'; path = dirname(path)) missing.add(path)
  }
  return [...missing].sort((left, right) => left.length - right.length)
}
