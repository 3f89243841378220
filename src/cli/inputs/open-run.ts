import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { countTokens } from '../../core/text/tokens.js'
import type { RunView } from '../../core/view/fold.js'
import { type RunReader, readRun } from '../../store/read-run.js'
import { findRun, viewRun } from '../../store/run-directories.js'
import type { SkillTokens } from '../output/run-report.js'
import { shownPath } from '../output/text.js'

export interface OpenedRun {
  readonly directory: string
  readonly reader: RunReader
  readonly view: RunView
}

/** A run by its directory, or by its name under `runs/`. */
export async function openRun(cwd: string, named: string): Promise<OpenedRun> {
  return readWhole(await findRun(named, cwd), cwd)
}

export async function readWhole(directory: string, cwd: string): Promise<OpenedRun> {
  const [reader, view] = await Promise.all([readRun(directory), viewRun(directory)])
  return { directory: shownPath(directory, cwd), reader, view }
}

/** Bytes of all files in a directory and below. */
export async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile())
  const sizes = await Promise.all(
    files.map(async file => (await stat(join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

export async function skillTokens({ reader, view }: OpenedRun): Promise<SkillTokens> {
  const [seed, best] = [await reader.get(view.seedSkill), view.best && (await reader.get(view.best.text))]
  return { seed: await countTokens(seed), ...(best === undefined ? {} : { best: await countTokens(best) }) }
}
