import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { InputError } from '../../../core/errors/errors.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { fileHash, type KeptReceipt, type ReceiptFile } from './receipts.js'
import { absentIfMissing, checkInside } from './safe-path.js'

/** Files that someone has edited since: they match neither the installed content nor the previous one. */
export async function editedSince(receipt: KeptReceipt): Promise<string[]> {
  const edited: string[] = []
  for (const { path, after, before } of receipt.files) {
    const file = join(receipt.folder, path)
    await checkInside(receipt.base, file)
    const now = await hashOf(file)
    if (now !== after && now !== before?.hash) edited.push(path)
  }
  return edited
}

/** Restores the files, permissions and folders as they were before the installation. */
export async function putBack(receipt: KeptReceipt): Promise<void> {
  for (const file of receipt.files) await putBackFile(receipt, file)
  for (const folder of receipt.madeFolders.toReversed()) await removeIfEmpty(folder)
}

async function putBackFile(
  { directory, folder, base }: KeptReceipt,
  { path, before }: ReceiptFile,
): Promise<void> {
  const file = join(folder, path)
  await checkInside(base, file)
  if (before === undefined) {
    await rm(file, { force: true })
    return
  }
  const content = await readPlainFile(join(directory, before.backup))
  if (fileHash(content) !== before.hash) {
    throw new InputError(`The backup of ${file} in ${directory} was changed, so it was not restored.`, {
      hint: 'Restore the file by hand, then remove that folder.',
    })
  }
  await mkdir(dirname(file), { recursive: true })
  await writeFileAtomic(file, content, { mode: before.mode })
}

async function hashOf(file: string): Promise<string | undefined> {
  const content = await readPlainFile(file).catch(absentIfMissing)
  return content === undefined ? undefined : fileHash(content)
}

/** Removes a folder that we created, unless other files are in it. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code ?? '')) throw error
  })
}
