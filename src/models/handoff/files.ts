import { constants } from 'node:fs'
import { lstat, open, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { InputError, messageOf, PausedError } from '../../core/errors/errors.js'
import { readPlainFile } from '../../system/plain-file.js'
import type { Parsed } from './reply.js'

/** Maximum size of an answer, which is more than any model replies. */
const maxAnswerBytes = 1 << 20

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Reads a file that someone else wrote; undefined if it does not exist. Links are not followed, and pipes do
 * not block.
 */
export async function readUntrusted(file: string): Promise<Parsed<string> | undefined> {
  // Windows has neither O_NOFOLLOW nor O_NONBLOCK.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>
  const flags = (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK
  try {
    const handle = await open(file, flags)
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) return { problem: 'is not a file' }
      if (stat.size > maxAnswerBytes) return { problem: 'is larger than a mebibyte' }
      return decoded(await handle.readFile())
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'ELOOP') return { problem: 'is a link' }
    return { problem: `cannot be read: ${messageOf(error)}` }
  }
}

function decoded(bytes: Buffer): Parsed<string> {
  try {
    return { value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    // Invalid UTF-8 is the only error that the decoder throws.
    return { problem: 'is not text in UTF-8' }
  }
}

export async function readOptional(file: string): Promise<string | undefined> {
  try {
    return (await readPlainFile(file)).toString('utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw fileError(file, 'read', error)
  }
}

/** Writes a file that only the user can read. An existing link is replaced and not followed. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.partial`
  try {
    await rm(draft, { force: true })
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw fileError(file, 'written', error)
  }
}

export async function removeFile(file: string): Promise<void> {
  try {
    await rm(file, { force: true })
  } catch (error) {
    throw fileError(file, 'removed', error)
  }
}

export async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(codeOf(error) ?? '')) {
      throw fileError(folder, 'removed', error)
    }
  }
}

/** The kind of an entry. A link to a folder is `other`: files in it would be written elsewhere. */
export async function kindOf(path: string): Promise<'folder' | 'other' | undefined> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw fileError(path, 'read', error)
  }
}

export function fileError(path: string, done: 'read' | 'written' | 'removed', cause: unknown): Error {
  const message = `${path} could not be ${done}: ${messageOf(cause)}.`
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? '')
  return isFull
    ? new PausedError(message, { hint: 'Free disk space, then rerun the same command to resume.', cause })
    : new InputError(message, {
        hint: 'Make sure that you can write to the handoff folder, or choose another.',
        cause,
      })
}
