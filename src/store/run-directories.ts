import { access, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../core/config/config.js'
import { lastingSettings } from '../core/config/difference.js'
import { InputError } from '../core/errors/errors.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { readRun, viewRun } from './read-run.js'

export { viewRun } from './read-run.js'

export const runsFolder = 'runs'

/** Folder for shared evaluations if the config does not name one. */
export const defaultCache = (cwd: string): string => join(cwd, runsFolder, '.cache')

/**
 * The directory for a training: that of the newest run with this name if it is unfinished, otherwise a new
 * one.
 */
export async function chooseDirectory(name: string, fresh: boolean, cwd: string): Promise<string> {
  const newest = Math.max(0, ...(await trainingNumbers(name, cwd)))
  const path = (number: number) => trainingDirectory(name, number, cwd)
  if (newest === 0 || fresh) return path(newest + 1)
  return (await isFinished(path(newest))) ? path(newest + 1) : path(newest)
}

/** The newest finished training with this name. */
export async function newestFinished(name: string, cwd: string): Promise<string | undefined> {
  const numbers = await trainingNumbers(name, cwd)
  for (const number of numbers.sort((a, b) => b - a)) {
    const directory = trainingDirectory(name, number, cwd)
    if (await isFinished(directory)) return directory
  }
  return undefined
}

/** The training below `runs/` whose log changed last. With `finished`, only finished trainings count. */
export async function newestTraining(
  cwd: string,
  { finished = false }: { readonly finished?: boolean } = {},
): Promise<string | undefined> {
  const directories = await runDirectories(join(cwd, runsFolder))
  const changed = await Promise.all(
    directories.map(async path => ({ path, at: (await stat(join(path, 'events.jsonl'))).mtimeMs })),
  )
  changed.sort((one, other) => other.at - one.at || other.path.localeCompare(one.path))
  for (const { path } of changed) {
    const { kind, outcome } = await viewRun(path)
    if (kind === 'train' && (!finished || outcome === 'finished')) return path
  }
  return undefined
}

/** Directories of all runs of a project, newest first. */
export async function runsOf(
  name: string,
  cwd: string,
): Promise<{ readonly trainings: readonly string[]; readonly others: readonly string[] }> {
  const numbers = (await trainingNumbers(name, cwd)).sort((a, b) => b - a)
  const folder = join(cwd, runsFolder)
  const pattern = new RegExp(`^${namePattern(name)}-(try|eval|baseline|gate-check|probe)-\\w+$`)
  const others = (await entries(folder))
    .filter(entry => pattern.test(entry))
    .map(entry => join(folder, entry))
  const begun = await Promise.all(others.map(async path => ({ path, at: (await stat(path)).mtimeMs })))
  return {
    trainings: numbers.map(number => trainingDirectory(name, number, cwd)),
    others: begun.toSorted((one, other) => other.at - one.at).map(({ path }) => path),
  }
}

const namePattern = (name: string): string => name.replaceAll('.', '\\.')

async function trainingNumbers(name: string, cwd: string): Promise<number[]> {
  const pattern = new RegExp(`^${namePattern(name)}-(\\d{3,})$`)
  return (await entries(join(cwd, runsFolder))).flatMap(entry => {
    const match = pattern.exec(entry)
    return match?.[1] === undefined ? [] : [Number(match[1])]
  })
}

function trainingDirectory(name: string, number: number, cwd: string): string {
  return join(cwd, runsFolder, `${name}-${String(number).padStart(3, '0')}`)
}

/** A measurement, identified by its name, its config and the content that it uses. */
interface Measured {
  readonly name: string
  readonly config: Config
  /** Hashes of content that the config only refers to: skill, splits, prompts. */
  readonly fingerprints: Readonly<Record<string, string>>
}

/** The directory of a measurement, named by what is measured, so the same command finds its own log. */
export function measuringDirectory(
  kind: 'eval' | 'baseline' | 'judge-check' | 'gate-check' | 'probe',
  { name, config, fingerprints }: Measured,
  cwd: string,
): string {
  const measured = contentHash(canonicalJson([lastingSettings(config), fingerprints]))
  return join(cwd, runsFolder, `${name}-${kind}-${measured.slice(0, 8)}`)
}

/** Resolves a run given by the user: a directory, or a name below `runs/`. */
export async function findRun(name: string, cwd: string): Promise<string> {
  for (const candidate of [resolve(cwd, name), join(cwd, runsFolder, name)]) {
    if (await hasRun(candidate)) return candidate
  }
  const known = (await entries(join(cwd, runsFolder))).filter(entry => !entry.startsWith('.'))
  throw new InputError(`There is no run "${name}" here.`, {
    hint: known.length === 0 ? 'No runs were found below runs/.' : `The runs here are: ${known.join(', ')}.`,
  })
}

/** The skill that `RUN@VERSION` refers to, for a new run that starts from it. */
export async function readVersion(reference: string, cwd: string): Promise<{ text: string; from: string }> {
  const at = reference.lastIndexOf('@')
  const version = /^v?(\d+)$|^best$/.exec(reference.slice(at + 1))
  if (at < 1 || version === null) {
    throw new InputError(`"${reference}" does not name a version of a run.`, {
      hint: 'Write RUN@VERSION, such as runs/my-skill-001@v3 or my-skill-001@best.',
    })
  }
  const directory = await findRun(reference.slice(0, at), cwd)
  const view = await viewRun(directory)
  const found =
    version[1] === undefined
      ? view.best
      : view.versions.findLast(({ version: number }) => number === Number(version[1]))
  if (found === undefined) {
    throw new InputError(`The run ${reference.slice(0, at)} has no version ${reference.slice(at + 1)}.`, {
      hint: `It has v0 to v${view.versions.at(-1)?.version ?? 0}.`,
    })
  }
  const text = await (await readRun(directory)).get(found.text)
  return { text, from: `${view.run}@v${found.version}` }
}

/** The initial skill of a fork, read from the fork's own log and not from the original run. */
export async function forkedSkill(directory: string): Promise<string | undefined> {
  const reader = await readRun(directory)
  for await (const { type, body } of reader.events()) {
    if (type !== 'run.started') continue
    return body.forkedFrom === undefined ? undefined : reader.get(body.seedSkill)
  }
  return undefined
}

/** Directories that contain a run, at most two levels deep, since runs may be grouped in folders. */
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

export function hasRun(directory: string): Promise<boolean> {
  return exists(join(directory, 'events.jsonl'))
}

async function isFinished(directory: string): Promise<boolean> {
  if (!(await hasRun(directory))) return false
  return (await viewRun(directory)).outcome === 'finished'
}

async function entries(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    const problem = code === 'ENOTDIR' ? 'is a file, not a folder' : `cannot be read (${code})`
    throw new InputError(`${folder} ${problem}.`, {
      hint: 'Runs are kept in a folder called runs: move what is there, or start from another folder.',
      cause: error,
    })
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
