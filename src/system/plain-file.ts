import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

interface PlainFileOptions {
  readonly mostBytes?: number
}

/**
 * Reads a file from an untrusted folder. A link to `/dev/zero` never ends and a pipe without a writer never
 * begins, so only regular files of a plausible size are read.
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
    if (!stats.isFile()) throw notRegular()
    if (stats.size > mostBytes) throw failure(`it has more than ${mostBytes} bytes`, 'EFBIG')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

export function notRegular(): Error {
  return failure('it is not a regular file', 'ENOTSUP')
}

/** With the fields of a system error, so that callers handle it like a file that cannot be opened. */
function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code, syscall: 'open' })
}
