import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { countTokens } from '../../core/text/tokens.js'
import type { RunView } from '../../core/view/fold.js'
import { type RunReader, readRun } from '../../store/read-run.js'
import { findRun, newestTraining, viewRun } from '../../store/run-directories.js'
import type { SkillTokens } from '../output/run-report.js'
import { shownPath } from '../output/text.js'
import { type Io, warnLine } from '../terminal/io.js'

export interface OpenedRun {
  readonly directory: string
  readonly reader: RunReader
  readonly view: RunView
}

/** Opens a run by its directory or its name under `runs/`; defaults to the newest training run. */
export async function openRunOrNewest(io: Io, named: string | undefined): Promise<OpenedRun> {
  return readWhole(await findRunOrNewest(io, named), io.cwd)
}

export function findRunOrNewest(io: Io, named: string | undefined): Promise<string> {
  return named === undefined ? newestRun(io) : findRun(named, io.cwd)
}

/** Finds the newest run and prints its name to stderr, so that stdout contains only the result. */
export async function newestRun(io: Io, options: { readonly finished?: boolean } = {}): Promise<string> {
  const directory = await newestTraining(io.cwd, options)
  const kind = options.finished === true ? 'finished training run' : 'training run'
  if (directory === undefined) {
    throw new InputError(`No ${kind} in runs/.`, {
      hint: 'Pass a run directory, or start a run with `skillopt train` or `skillopt quickstart`.',
    })
  }
  warnLine(io, io.colors.dim(`Newest ${kind}: ${shownPath(directory, io.cwd)}`))
  return directory
}

export async function readWhole(directory: string, cwd: string): Promise<OpenedRun> {
  const [reader, view] = await Promise.all([readRun(directory), viewRun(directory)])
  return { directory: shownPath(directory, cwd), reader, view }
}

/** Total size in bytes of all files in a directory, recursively. */
export async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile())
  const sizes = await Promise.all(
    files.map(async file => (await stat(join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

export async function skillTokens({ reader, view }: OpenedRun): Promise<SkillTokens> {
  const seed = await countTokens(await reader.get(view.seedSkill))
  const best = view.best && (await countTokens(await reader.get(view.best.text)))
  return { seed, best }
}
