import { resolve } from 'node:path'
import { InputError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import { defaultCache } from '../store/run-directories.js'
import type { LoadedProject } from './load.js'

/** Returns the folder of the attempt cache that runs share; undefined if caching is off. */
export function cacheFolder(
  { config, baseDir, cwd }: Pick<LoadedProject, 'config' | 'baseDir' | 'cwd'>,
  { id, fingerprints }: Pick<Environment, 'id' | 'fingerprints'>,
  /**
   * True if a program supplied the environment. Such an environment has no file whose hash could tell
   * versions apart.
   */
  isBrought: boolean,
): string | undefined {
  const { cache } = config
  if (cache === false) return undefined
  if (isBrought && fingerprints === undefined) {
    throw new InputError(
      `\`cache\` is on, but the environment "${id}" is a program whose changes cannot be detected.`,
      {
        hint: 'Give it `fingerprints`, such as {version: "1"}, and change them with its code; or turn `cache` off.',
      },
    )
  }
  return cache === true ? defaultCache(cwd) : resolve(baseDir, cache)
}
