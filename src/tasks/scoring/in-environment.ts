import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import type { Environment } from '../../core/ports/environment.js'
import type { Task } from '../../core/task/task.js'
import { contentHash } from '../../core/text/hash.js'
import { readPlainFile } from '../../system/plain-file.js'
import type { BoundScorer, Fields } from './scorer.js'

/** The parts of an environment that come from its scorer, for tasks that keep their data in `fields`. */
export async function scoringParts<T extends Task & { readonly fields: Fields }>(
  scorer: BoundScorer,
): Promise<Pick<Environment<T>, 'scoring' | 'judges' | 'fingerprints' | 'checkSandbox' | 'score'>> {
  const { files, judges, needs } = scorer
  return {
    scoring: needs,
    ...(files.length === 0 ? {} : { fingerprints: { scorer: await hashFiles(files) } }),
    judges: judges.map(judge => ({
      ...judge,
      score: ({ fields }, trajectory, context) => judge.score(fields, trajectory, context),
    })),
    checkSandbox: scorer.checkSandbox,
    score: ({ fields }, trajectory, context) => scorer.score(fields, trajectory, context),
  }
}

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hashes: string[] = []
  for (const path of paths) {
    try {
      for (const [name, text] of await contents(path, '')) hashes.push(name, contentHash(text))
    } catch (error) {
      throw new InputError(`The scorer names the file ${path}, which cannot be read: ${messageOf(error)}.`, {
        hint: 'Correct `files` of the scorer; paths begin at the folder of the config.',
        cause: error,
      })
    }
  }
  return contentHash(hashes.join('\n'))
}

/** Names are relative to the given file or folder, so that moving a project changes nothing. */
async function contents(path: string, within: string): Promise<[name: string, text: string][]> {
  if (!(await stat(path)).isDirectory()) return [[within, (await readPlainFile(path)).toString('latin1')]]
  const names = (await readdir(path)).sort()
  return (await Promise.all(names.map(name => contents(join(path, name), `${within}/${name}`)))).flat()
}
