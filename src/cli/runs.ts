import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../core/errors.js'
import type { RunView } from '../core/state.js'
import { countTokens } from '../core/tokens.js'
import { findRun, hasRun, viewRun } from '../directories.js'
import { type RunReader, readRun } from '../store/read-run.js'
import { isAlive } from '../system/process-identity.js'
import type { SkillTokens } from './report.js'
import { shownPath } from './text.js'

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

/** Directories below that hold a run, two levels deep: runs may be grouped in folders. */
export async function runDirectories(folder: string, depth = 2): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new InputError(`The folder ${folder} cannot be read (${error.code}).`, { cause: error })
  })
  const found: string[] = []
  for (const entry of entries.filter(entry => entry.isDirectory())) {
    const directory = join(folder, entry.name)
    if (await hasRun(directory)) found.push(directory)
    else if (depth > 1) found.push(...(await runDirectories(directory, depth - 1)))
  }
  return found
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

/** The log of a killed run cannot say that it was killed; the absence of its process does. */
export async function stateOf(view: RunView): Promise<string> {
  if (view.outcome !== 'running') return view.outcome === 'cap' ? 'cap reached' : view.outcome
  // Evaluations, gate checks and probes have no last event: they are done when all that they announced is.
  const announced = view.kind === 'eval' || view.kind === 'gate-check' || view.kind === 'probe'
  if (announced && view.stages.length > 0 && view.stages.every(({ finished }) => finished)) return 'finished'
  const alive = view.pid !== undefined && (await isAlive(view.pid, undefined))
  return alive ? 'running' : 'killed'
}

export async function skillTokens({ reader, view }: OpenedRun): Promise<SkillTokens> {
  const [seed, best] = [await reader.get(view.seedSkill), view.best && (await reader.get(view.best.text))]
  return { seed: await countTokens(seed), ...(best === undefined ? {} : { best: await countTokens(best) }) }
}

/** The text that `v3`, `seed`, `best` or `last` stands for. */
export async function textOfVersion({ reader, view }: OpenedRun, named: string): Promise<string> {
  if (named === 'seed') return reader.get(view.seedSkill)
  if (named === 'best' && view.best) return reader.get(view.best.text)
  const number = /^v?(\d+)$/.exec(named)?.[1]
  const version =
    named === 'last' ? view.versions.at(-1) : view.versions.find(({ version }) => String(version) === number)
  if (version) return reader.get(version.text)
  const last = view.versions.at(-1)?.version
  throw new InputError(`The run ${view.run} has no version "${named}".`, {
    hint: `It has ${last === undefined ? 'none yet' : `v0 to v${last}`}, and the names seed, best and last.`,
  })
}
