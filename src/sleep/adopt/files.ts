import { dirname } from 'node:path'
import { codeOf, type Disk, privateFile } from './disk.js'

/** Returns the missing folders down to and including `path`, outermost first. */
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
      // Another process may create the folder at the same moment.
      if (codeOf(error) !== 'EEXIST' || (await disk.entry(folder))?.kind !== 'folder') throw error
    }
  }
}

/** Writes one of our own files atomically: either the new file appears whole, or the old one stays. */
export async function writeOwnFile(path: string, text: string, disk: Disk): Promise<void> {
  const draft = `${path}.partial`
  await disk.remove(draft)
  await disk.create(draft, Buffer.from(text), privateFile)
  await disk.rename(draft, path)
}
