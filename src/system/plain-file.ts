import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads a file from an untrusted folder. A link to `/dev/zero` never ends and a pipe without a writer never
 * begins, so only regular files of a plausible size are read.
 */
export async function readPlainFile(path: string, { mostBytes = 2 ** 30 } = {}): Promise<Buffer> {
  // Without this flag, opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (stats.isDirectory()) throw failure('it is a folder', 'EISDIR')
    if (!stats.isFile()) throw failure('it is not a regular file', 'ENOTSUP')
    if (stats.size > mostBytes) throw failure(`it has more than ${mostBytes} bytes`, 'EFBIG')
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function failure(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
