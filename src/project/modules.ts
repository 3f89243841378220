import { access, readdir } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import * as zod from 'zod'
import { InputError, messageOf } from '../core/errors/errors.js'
import { nearest } from '../core/text/nearest.js'

/** Extension of the modules: `.js` when compiled, `.ts` in tests, which run the sources. */
const extension = extname(fileURLToPath(import.meta.url))
const sourceRoot = new URL('../', import.meta.url)

export interface ModuleKind {
  /** Name of the kind in messages, such as "environment" or "gate". */
  readonly what: string
  /** Folder below the source root whose entries are the names of modules. */
  readonly folder: string
  /** Option that selects the module, named in messages. */
  readonly option: string
  /** Name of the factory function that a module of this kind exports. */
  readonly makes: string
  /** Returns the file for a name, relative to the folder and without its extension. */
  file(name: string): string
  /**
   * Modules whose files are outside the folder: maps a name to a path relative to the source root, without
   * its extension.
   */
  readonly elsewhere?: Readonly<Record<string, string>>
}

export const environmentKind: ModuleKind = {
  what: 'environment',
  folder: 'tasks/benchmarks',
  option: 'environment.use',
  makes: 'create',
  file: name => `${name}/index`,
  elsewhere: { tasks: 'tasks/own/index', 'sleep-tasks': 'sleep/replay/index' },
}

export const gateKind: ModuleKind = {
  what: 'gate',
  folder: 'trainer/gates',
  option: 'evaluation.gate',
  makes: 'createGate',
  file: name => name,
}

/**
 * Kind for providers. Unlike other kinds it is always a path, because the model's name selects built-in
 * providers.
 */
export const providerKind = (role: string): ModuleKind => ({
  what: 'provider',
  folder: 'models',
  option: `models.${role}.provider`,
  makes: 'provider',
  file: name => name,
})

/** True if the value is a path rather than a name: it contains a slash or ends like a script. */
export function isPath(use: string): boolean {
  return /[\\/]/.test(use) || /\.[cm]?[jt]s$/.test(use)
}

export async function loadModule(
  kind: ModuleKind,
  use: string,
  baseDir: string,
): Promise<Record<string, unknown>> {
  return isPath(use) ? loadFile(kind, resolve(baseDir, use), use) : loadNamed(kind, use)
}

async function loadNamed(kind: ModuleKind, name: string): Promise<Record<string, unknown>> {
  const files = await filesOf(kind)
  const loaded = files.includes(name) ? await importSource(pathOf(kind, name)) : undefined
  if (typeof loaded?.[kind.makes] === 'function') return loaded
  const names = await namesOf(kind)
  const near = nearest(name, names)
  const question = near === undefined ? '.' : `; did you mean ${near}?`
  throw new InputError(`${kind.option}: unknown ${kind.what} "${name}"${question}`, {
    hint: `Available: ${names.join(', ')}; or the path of your own, such as ./my-${kind.what}.ts.`,
  })
}

/** Lists the names from the folder's contents, so that adding a module only takes a new file. */
export async function namesOf(kind: ModuleKind): Promise<string[]> {
  const checked = (await filesOf(kind)).map(async name => {
    const loaded = await importSource(pathOf(kind, name))
    return typeof loaded[kind.makes] === 'function' ? [name] : []
  })
  return (await Promise.all(checked)).flat()
}

/**
 * Lists the files of a kind. Helper files without a factory may be included; tests, whose names contain a
 * dot, are not.
 */
export async function filesOf(kind: Pick<ModuleKind, 'folder' | 'file' | 'elsewhere'>): Promise<string[]> {
  const folder = new URL(`${kind.folder}/`, sourceRoot)
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.map(entry => (entry.isDirectory() ? entry.name : stem(entry.name)))
  const there = [...new Set(names)]
    .filter(name => !name.includes('.'))
    .sort()
    .map(async name => {
      return (await isFile(new URL(kind.file(name) + extension, folder))) ? [name] : []
    })
  return [...(await Promise.all(there)).flat(), ...Object.keys(kind.elsewhere ?? {})].sort()
}

function pathOf(kind: ModuleKind, name: string): string {
  return kind.elsewhere?.[name] ?? `${kind.folder}/${kind.file(name)}`
}

const stem = (file: string): string => file.replace(/\.[^.]+$/, '')

async function isFile(file: URL): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

export async function importSource(path: string): Promise<Record<string, unknown>> {
  return (await import(/* @vite-ignore */ new URL(path + extension, sourceRoot).href)) as Record<
    string,
    unknown
  >
}

/**
 * Loads a user's JavaScript or TypeScript file. Its imports of `skillopt` and `zod` resolve to this package
 * and its copy of zod. The file therefore needs no installation of its own, and errors thrown in it are
 * instances of our classes.
 */
async function loadFile(kind: ModuleKind, path: string, shownAs: string): Promise<Record<string, unknown>> {
  if (!(await isFile(pathToFileURL(path)))) {
    throw new InputError(`${kind.option}: file not found: ${shownAs}.`)
  }
  const { createJiti } = await import('jiti')
  const jiti = createJiti(import.meta.url, {
    interopDefault: false,
    virtualModules: { skillopt: await importSource('app/index'), zod },
  })
  try {
    return await jiti.import<Record<string, unknown>>(path)
  } catch (error) {
    if (error instanceof InputError) throw error
    // The loader's message may have several lines.
    const reason = messageOf(error).replace(/\s+/g, ' ').trim()
    throw new InputError(`${kind.option}: cannot load ${shownAs}: ${reason}.`, {
      cause: error,
    })
  }
}
