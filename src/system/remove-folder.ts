import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from './batches.js'
import { emptyTree, openFolder } from './tree.js'

/** What ran in there may have locked its folders or nested them beyond any path; neither keeps them from being removed. */
export async function removeFolder(folder: string): Promise<void> {
  // Whatever is left of it, for whatever reason, is for the next step to remove or to complain about.
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

/** Several at once: `rm` takes one after the other, and each is mostly waiting. */
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
