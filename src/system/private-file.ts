import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, PausedError, SkillOptError } from '../core/errors/errors.js'
import { reasonOf } from './documents.js'
import { readPlainFile } from './plain-file.js'

/** Modes that give access to the user only, because prompts to agents are private. */
const folderMode = 0o700
const fileMode = 0o600

export async function makePrivateFolder(folder: string): Promise<void> {
  await inWords(folder, () => mkdir(folder, { recursive: true, mode: folderMode }))
}

/** Writes a file atomically and durably. If that fails, the old file stays. */
export async function writePrivateFile(
  path: string,
  text: string | Uint8Array,
  openFile = open,
): Promise<void> {
  const draft = `${path}.${process.pid}.partial`
  await inWords(path, async () => {
    try {
      const handle = await openFile(draft, 'w', fileMode)
      try {
        // `writeFile` repeats short writes: on a nearly full disk, a single write may write only a part
        // without an error.
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  })
}

/**
 * Removes drafts of processes that died while writing. The caller must hold the folder's lock, so that
 * nobody else is writing there.
 */
export async function removeDrafts(folder: string): Promise<void> {
  await inWords(folder, async () => {
    const drafts = (await readdir(folder)).filter(name => /\.\d+\.partial$/.test(name))
    for (const name of drafts) await rm(join(folder, name), { recursive: true, force: true })
  })
}

export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readPlainFile(file)).toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new InputError(`${file} cannot be read: ${reasonOf(error)}.`, {
      hint: 'Check that the file and its folder are yours to read.',
      cause: error,
    })
  }
}

/** Whether a path exists. A dangling link exists; a path that is not accessible is not missing. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new InputError(`${path} cannot be looked at: ${reasonOf(error)}.`, {
      hint: 'Check that the folders above it are yours to read.',
      cause: error,
    })
  }
}

/** Rethrows a system error as a readable message. Readable errors are passed on unchanged. */
export async function inWords<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SkillOptError) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new PausedError(`${path} could not be written: the disk is full.`, {
        hint: 'Free disk space, then rerun the same command to resume. What was there before is untouched.',
        cause: error,
      })
    }
    throw new InputError(`${path} could not be written: ${reasonOf(error)}.`, {
      hint: 'Check that you may write there. What was there before is untouched.',
      cause: error,
    })
  }
}
