import { chmod, readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from './batches.js'

/** What ran in there may have taken away its own folders' permissions, which must not keep them from being removed. */
export async function removeFolder(folder: string): Promise<void> {
  // Whatever is left of it, for whatever reason, is for the next step to remove or to complain about.
  await removeFiles(folder).catch(() => undefined)
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await open(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Several at once: `rm` takes one after the other, and each is mostly waiting. */
async function removeFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => !entry.isDirectory())
  await inBatches(files, ({ parentPath, name }) => unlink(join(parentPath, name)))
}

async function open(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await open(join(folder, entry.name))
  }
}
