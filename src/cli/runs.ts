import { readdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { distance } from 'fastest-levenshtein'
import { InputError } from '../core/errors.js'
import { createView, foldEvent, type RunView } from '../core/state.js'
import { eventsFile } from '../store/disk.js'
import { isAlive } from '../store/process-identity.js'
import { type RunReader, readRun } from '../store/read-run.js'

export interface OpenedRun {
  readonly directory: string
  readonly reader: RunReader
  readonly view: RunView
}

/** A run by its directory, or by its name under `runs/`. */
export async function openRun(cwd: string, named: string): Promise<OpenedRun> {
  const candidates = [resolve(cwd, named), resolve(cwd, 'runs', named)]
  for (const directory of candidates) {
    if (await isRunDirectory(directory)) return readWhole(directory, cwd)
  }
  const known = (await runDirectories(join(cwd, 'runs'))).map(directory =>
    relative(join(cwd, 'runs'), directory),
  )
  const near = known.toSorted((a, b) => distance(a, named) - distance(b, named))[0]
  throw new InputError(
    `There is no run "${named}": neither ${candidates.map(path => relative(cwd, path)).join(' nor ')} is a run directory.`,
    {
      hint:
        near === undefined
          ? 'There are no runs in ./runs yet; `skillopt quickstart` makes one.'
          : `The nearest is "${near}"; \`skillopt runs\` lists all.`,
    },
  )
}

export async function readWhole(directory: string, cwd: string): Promise<OpenedRun> {
  const reader = await readRun(directory)
  let view = createView()
  for await (const event of reader.events()) view = foldEvent(view, event)
  const shown = relative(cwd, directory)
  return { directory: shown.startsWith('..') || shown === '' ? directory : shown, reader, view }
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
    if (await isRunDirectory(directory)) found.push(directory)
    else if (depth > 1) found.push(...(await runDirectories(directory, depth - 1)))
  }
  return found
}

async function isRunDirectory(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).includes(eventsFile)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return false
    throw new InputError(`The run directory ${directory} cannot be read (${code}).`, {
      hint: 'Check its permissions.',
      cause: error,
    })
  }
}

/** The log of a killed run cannot say that it was killed; the absence of its process does. */
export async function stateOf(view: RunView): Promise<string> {
  if (view.outcome !== 'running') return view.outcome === 'cap' ? 'cap reached' : view.outcome
  const alive = view.pid !== undefined && (await isAlive(view.pid, undefined))
  return alive ? 'running' : 'killed'
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
