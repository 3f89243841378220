import { InputError, messageOf } from '../../../core/errors/errors.js'
import { visible } from '../../../core/text/visible.js'
import { nightLog } from '../../../sleep/schedule/index.js'
import { openPlainFile } from '../../../system/plain-file.js'
import { shownPath } from '../../../system/shown-path.js'
import type { SleepLog } from '../../contract/sleep.js'
import type { KnownProject } from './projects.js'

const mostBytes = 64_000

/** The tail of the scheduled nights' output. */
export async function logOf({ folder }: KnownProject, cwd: string): Promise<SleepLog> {
  const file = nightLog(folder)
  const path = shownPath(file, cwd)
  try {
    const handle = await openPlainFile(file)
    try {
      const { size } = await handle.stat()
      const from = Math.max(0, size - mostBytes)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
      const text = buffer.subarray(0, bytesRead).toString('utf8')
      // The first line of a truncated text may be incomplete.
      return { path, text: visible(from === 0 ? text : text.replace(/^[^\n]*\n/, '')), isWhole: from === 0 }
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { path, isWhole: true }
    throw new InputError(`${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
