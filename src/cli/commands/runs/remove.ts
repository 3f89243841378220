import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { lockRunDirectory } from '../../../store/lock.js'
import { findRun } from '../../../store/run-directories.js'
import { sizeOf } from '../../inputs/open-run.js'
import { bytes, plural, shownPath } from '../../output/text.js'
import { agreesToRemove } from '../../terminal/confirm.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'

export interface RemoveFlags {
  readonly yes?: true | undefined
}

/** Names of all files that a run writes. A folder with other files belongs to the user and is not removed. */
const ownNames =
  /^(events\.jsonl|blobs\.jsonl|(config|history|runtime_state|summary|lock)\.json.*|(best|one_shot)_skill\.md|report\.(md|html)|skills|steps|slow_update|meta_skill)$/

/**
 * Deletes runs permanently, after confirmation. Refuses runs in progress and folders with other files in
 * them.
 */
export async function removeRuns(io: Io, names: readonly string[], flags: RemoveFlags): Promise<number> {
  const directories = [...new Set(await Promise.all(names.map(name => findRun(name, io.cwd))))]
  for (const directory of directories) await refuseForeignFiles(directory, io.cwd)
  const found = await Promise.all(
    directories.map(async directory => ({ directory, size: await sizeOf(directory) })),
  )
  const total = found.reduce((sum, { size }) => sum + size, 0)
  const question = `Permanently remove ${plural(found.length, 'run')} (${bytes(total)})?`
  if (!(await agreesToRemove(io, flags, { question, what: 'runs' }))) {
    warnLine(io, 'Nothing was removed.')
    return exitCodes.interrupted
  }
  for (const { directory, size } of found) {
    // A running process holds the lock, so locking fails. The lock of a dead process is taken over.
    const lock = await lockRunDirectory(directory)
    try {
      await rm(directory, { recursive: true })
    } finally {
      await lock.release()
    }
    printLine(io, `removed ${shownPath(directory, io.cwd)} (${bytes(size)})`)
  }
  return exitCodes.ok
}

async function refuseForeignFiles(directory: string, cwd: string): Promise<void> {
  const foreign = (await readdir(directory)).filter(name => !ownNames.test(name))
  if (foreign.length === 0) return
  throw new InputError(
    `${shownPath(directory, cwd)} contains files that skillopt did not write: ${foreign.slice(0, 3).join(', ')}.`,
    {
      hint: `To remove the run anyway, delete ${join(shownPath(directory, cwd), 'events.jsonl')} and the rest by hand.`,
    },
  )
}
