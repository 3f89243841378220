import { readdir, realpath, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { inBatches } from '../../system/batches.js'
import { isOutside } from '../../tasks/loading/files.js'
import { isMissing } from '../../tasks/loading/rows.js'

/**
 * Takes out of a copy what must not be in it: `without`, with what a link of that name leads to, and links that lead out
 * of it or nowhere, through which an agent could read or write where it has no business.
 */
export async function prune(folder: string, without: readonly string[]): Promise<void> {
  await removeStrayLinks(folder)
  for (const path of without) await remove(folder, join(folder, path))
  // To what has just been removed.
  await removeStrayLinks(folder)
}

async function removeStrayLinks(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const links = entries.filter(entry => entry.isSymbolicLink())
  // All are looked at before one is removed, so that none is missed because another was its way.
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

/** Undefined where it leads nowhere, in a circle too. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ELOOP') return undefined
    throw error
  }
}
