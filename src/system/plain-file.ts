import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

interface PlainFileOptions {
  readonly mostBytes?: number
}

/**
 * Reads a file from an untrusted folder. Only regular files of a plausible size are read: a link to
 * `/dev/zero` or `/proc/self/pagemap` never ends, and a pipe without a writer never begins.
 */
export async function readPlainFile(path: string, options: PlainFileOptions = {}): Promise<Buffer> {
  const file = await openPlainFile(path, { mostBytes: 2 ** 30, ...options })
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Opens a file from an untrusted folder, to read it in parts. The caller closes it. */
export async function openPlainFile(
  path: string,
  { mostBytes = Number.POSITIVE_INFINITY }: PlainFileOptions = {},
): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
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

/** Whether an open file is a regular file with stored content. */
export async function isPlainFile(file: FileHandle): Promise<boolean> {
  const stats = await file.stat()
  return stats.isFile() && (stats.size > 0 || !(await isGenerated(file)))
}

/**
 * Whether a file is generated while it is read, as in `/proc`. Such files claim to be regular and empty, but
 * some are endless or contain the keys of our environment.
 */
async function isGenerated(file: FileHandle): Promise<boolean> {
  try {
    const { bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0)
    // If the size is no longer 0, another process wrote to an ordinary file in the meantime.
    return bytesRead > 0 && (await file.stat()).size === 0
  } catch {
    // An ordinary file of 0 bytes can always be read, so this one is generated.
    return true
  }
}

export function notRegular(): Error {
  return failure('it is not a regular file', 'ENOTSUP')
}

/** An error with the fields of a system error, so that callers treat it like a file that cannot be opened. */
function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code, syscall: 'open' })
}
