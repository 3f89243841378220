import { resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { type CacheSize, emptyCache, measureCache } from '../../../store/attempt-cache.js'
import { defaultCache } from '../../../store/run-directories.js'
import { bytes, plural, shownPath } from '../../output/text.js'
import { agreesToRemove } from '../../terminal/confirm.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'

export interface CacheFlags {
  readonly json?: true | undefined
}

export async function showCache(io: Io, named: string | undefined, flags: CacheFlags): Promise<number> {
  const folder = folderOf(io, named)
  const size = (await measureCache(folder)) ?? emptyUnlessNamed(named)
  if (flags.json) printLine(io, JSON.stringify({ folder, ...size }, null, 2))
  else printLine(io, `${shownPath(folder, io.cwd)} holds ${sizeText(size)}.`)
  return exitCodes.ok
}

export interface ClearFlags {
  readonly yes?: true | undefined
}

export async function clearCache(io: Io, named: string | undefined, flags: ClearFlags): Promise<number> {
  const folder = folderOf(io, named)
  const size = (await measureCache(folder)) ?? emptyUnlessNamed(named)
  if (size.bytes === 0) {
    printLine(io, 'The cache is empty.')
    return exitCodes.ok
  }
  if (
    !(await agreesToRemove(io, flags, {
      question: `Permanently remove ${sizeText(size)}?`,
      what: 'the cached attempts',
    }))
  ) {
    warnLine(io, 'Nothing was removed.')
    return exitCodes.interrupted
  }
  await emptyCache(folder)
  printLine(io, `removed ${sizeText(size)} from ${shownPath(folder, io.cwd)}`)
  return exitCodes.ok
}

const folderOf = (io: Io, named: string | undefined) =>
  named === undefined ? defaultCache(io.cwd) : resolve(io.cwd, named)

/**
 * Size of a missing cache. At the default path it was never used, so it is empty; a missing folder that the
 * user named is an error.
 */
function emptyUnlessNamed(named: string | undefined): CacheSize {
  if (named === undefined) return { attempts: 0, bytes: 0 }
  throw new InputError(`Not a cache folder: ${named}`, {
    hint: 'Pass the folder that `cache` is set to in the config; the default is runs/.cache.',
  })
}

const sizeText = ({ attempts, bytes: size }: CacheSize) => `${plural(attempts, 'attempt')} (${bytes(size)})`
