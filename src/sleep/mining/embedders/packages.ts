import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import { readPlainFile } from '../../../system/plain-file.js'

/**
 * Imports packages that are not dependencies of this one, since they contain models of tens of megabytes.
 * They are looked up in the person's folder and its parents, then beside this package.
 */
export async function importPackages(
  embedder: string,
  names: readonly string[],
  baseDir: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  try {
    const places = await Promise.all(names.map(name => placeOf(name, baseDir)))
    return await Promise.all(places.map(importWhole))
  } catch (error) {
    if (!isMissing(error)) {
      throw new InputError(`The embedder "${embedder}" cannot be loaded: ${messageOf(error)}`, {
        hint: `Install its packages anew: npm install ${names.join(' ')}`,
        cause: error,
      })
    }
    throw new InputError(`The embedder "${embedder}" needs a package that is not installed here.`, {
      hint: `Run in ${baseDir}: npm install ${names.join(' ')}`,
      cause: error,
    })
  }
}

/** A CommonJS module is imported as a single default export, which is then the module. */
async function importWhole(place: string): Promise<Readonly<Record<string, unknown>>> {
  const loaded = (await import(/* @vite-ignore */ place)) as Readonly<Record<string, unknown>>
  const { default: whole } = loaded
  const isCommonJs = Object.hasOwn(loaded, 'module.exports') || Object.hasOwn(loaded, '__esModule')
  return isCommonJs && typeof whole === 'object' && whole !== null
    ? { ...(whole as Readonly<Record<string, unknown>>) }
    : loaded
}

/**
 * Returns the file to import. If no folder has the package, returns its bare name, so that Node looks beside
 * this package.
 */
async function placeOf(name: string, baseDir: string): Promise<string> {
  for (let folder = baseDir; ; folder = dirname(folder)) {
    const root = join(folder, 'node_modules', name)
    const manifest = join(root, 'package.json')
    if (await isThere(manifest))
      return pathToFileURL(join(root, entryOf((await readPlainFile(manifest)).toString('utf8')))).href
    if (dirname(folder) === folder) return name
  }
}

interface Manifest {
  readonly main?: string
  readonly exports?: { readonly '.'?: { readonly import?: string } }
}

function entryOf(manifest: string): string {
  const { exports, main } = JSON.parse(manifest) as Manifest
  return exports?.['.']?.import ?? main ?? 'index.js'
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const isMissing = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
