import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

interface PlainFileOptions {
  readonly mostBytes?: number
}

/**
 * Reads a file from an untrusted folder. A link to `/dev/zero` or `/proc/self/pagemap` never ends and a pipe
 * without a writer never begins, so only regular files of a plausible size are read.
 */
export async function readPlainFile(path: string, options: PlainFileOptions = {}): Promise<Buffer> {
  const file = await openPlainFile(path, { mostBytes: 2 ** 30, ...options })
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Opens such a file for reading in parts. The caller closes it. */
export async function openPlainFile(
  path: string,
  { mostBytes = Number.POSITIVE_INFINITY }: PlainFileOptions = {},
): Promise<FileHandle> {
  // Without this flag, opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw failure('it is a folder', 'EISDIR')
    if (stats.size > mostBytes) throw failure(`it has more than ${mostBytes} bytes`, 'EFBIG')
    if (!(await isPlainFile(file))) throw notRegular()
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Whether an open file is a regular one with content of its own. */
export async function isPlainFile(file: FileHandle): Promise<boolean> {
  const stats = await file.stat()
  return stats.isFile() && (stats.size > 0 || !(await isGenerated(file)))
}

/**
 * Files of `/proc` and similar file systems are generated while they are read: they claim to be regular and
 * empty, and some are endless or hold the keys of our environment.
 */
async function isGenerated(file: FileHandle): Promise<boolean> {
  try {
    const { bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    // Another process may have written to an ordinary file in the meantime.
    return bytesRead > 0 && (await file.stat()).size === 0
  } catch {
    // An ordinary file of 0 bytes can always be read.
    return true
  }
}

export function notRegular(): Error {
  return failure('it is not a regular file', 'ENOTSUP')
}

/** With the fields of a system error, so that callers handle it like a file that cannot be opened. */
function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code, syscall: 'open' })
}
