import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from './batches.js'
import { emptyTree, openFolder } from './tree.js'

/** Removes a folder even if its content is locked or nested deeper than any path can reach. */
export async function removeFolder(folder: string): Promise<void> {
  // `rm` below removes the rest, or reports why it cannot.
  await removeFiles(folder).catch(() => undefined)
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['EACCES', 'EPERM', 'ENOTEMPTY', 'ENAMETOOLONG'].includes(code)) throw error
    await emptyFolder(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Removes files several at a time, because `rm` takes them one by one and each removal mostly waits. */
async function removeFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => !entry.isDirectory())
  await inBatches(files, ({ parentPath, name }) => unlink(join(parentPath, name)))
}

async function emptyFolder(path: string): Promise<void> {
  const folder = await openFolder(path)
  try {
    await emptyTree(folder)
  } finally {
    await folder.close()
  }
}
