import { readdir, realpath, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from '../../system/batches.js'
import { isOutside } from '../../tasks/loading/files.js'
import { isMissing } from '../../tasks/loading/rows.js'

/**
 * Removes from a copy what an agent must not reach: the `without` paths and what they link to, and links that
 * are broken or lead out of the copy.
 */
export async function prune(folder: string, without: readonly string[]): Promise<void> {
  await removeStrayLinks(folder)
  for (const path of without) await remove(folder, join(folder, path))
  // This also removes links to the paths that were just removed.
  await removeStrayLinks(folder)
}

async function removeStrayLinks(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const links = entries.filter(entry => entry.isSymbolicLink())
  // All links are resolved before the first is removed. Otherwise a link whose path goes through another one
  // would be missed.
  const leadsTo = await inBatches(links, async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return { path, target: await targetOf(path) }
  })
  const stray = leadsTo.filter(({ target }) => target === undefined || isOutside(folder, target))
  await inBatches(stray, ({ path }) => unlink(path))
}

async function remove(folder: string, path: string): Promise<void> {
  const target = await targetOf(path)
  if (target === undefined || target === folder || isOutside(folder, target)) return
  await rm(target, { recursive: true, force: true })
  if (path !== target) await rm(path, { recursive: true, force: true })
}

/** Resolves a link; undefined if it is broken or circular. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ELOOP') return undefined
    throw error
  }
}
