import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** What ran in there may have taken away its own folders' permissions, which must not keep them from being removed. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    await open(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function open(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await open(join(folder, entry.name))
  }
}
