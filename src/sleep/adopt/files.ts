import { dirname } from 'node:path'
import { codeOf, type Disk, privateFile } from './disk.js'

/** Folders above and at `path` that are not there yet, outermost first. */
export async function missingFolders(path: string, disk: Disk): Promise<string[]> {
  const missing: string[] = []
  for (let folder = path; (await disk.entry(folder)) === undefined; folder = dirname(folder))
    missing.unshift(folder)
  return missing
}

export async function ensureFolder(path: string, disk: Disk): Promise<void> {
  for (const folder of await missingFolders(path, disk)) {
    try {
      await disk.makeFolder(folder)
    } catch (error) {
      // Another process needed it as well, and was faster.
      if (codeOf(error) !== 'EEXIST' || (await disk.entry(folder))?.kind !== 'folder') throw error
    }
  }
}

/** A file of our own: it appears whole, or the old one stays. */
export async function writeOwnFile(path: string, text: string, disk: Disk): Promise<void> {
  const draft = `${path}.partial`
  await disk.remove(draft)
  await disk.create(draft, Buffer.from(text), privateFile)
  await disk.rename(draft, path)
}
