import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '../core/errors/errors.js'

/**
 * Loads an optional peer dependency, or says how to install it. `load` contains the import itself, so that
 * the compiler knows its type. Packages are never loaded from the project's folder, since that folder would
 * then decide which code runs.
 */
export async function optionalPackage<Module>(
  names: string | readonly string[],
  use: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, [names].flat())) throw error
    throw new InputError(installMessage([names].flat(), use), { cause: error })
  }
}

export function installMessage(names: readonly string[], use: string, place?: InstallPlace): string {
  const listed = names.join(' ')
  return `Install ${names.length === 1 ? listed : names.join(', ')} to use ${use}: ${installCommand(listed, place)}`
}

interface InstallPlace {
  /** Path of a file in this package. */
  readonly file: string
  readonly cwd: string
}

const here = (): InstallPlace => ({ file: fileURLToPath(import.meta.url), cwd: process.cwd() })

/** The command that installs a package so that this one finds it: in the folder, globally or for npx. */
export function installCommand(names: string, { file, cwd }: InstallPlace = here()): string {
  const modules = file.lastIndexOf(`${sep}node_modules${sep}skillopt${sep}`)
  if (modules < 0) return `npm install ${names}`
  const root = file.slice(0, modules)
  if (root.includes(`${sep}_npx${sep}`))
    return `npx -p skillopt ${names.replaceAll(/\S+/g, '-p $&')} skillopt …`
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (folder === root) return `npm install ${names}`
    if (dirname(folder) === folder) return `npm install -g ${names}`
  }
}

/** Whether the package itself is missing, and not just one of its own dependencies. */
function isMissing(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (
    (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') &&
    names.some(name => error.message.includes(`'${name}'`))
  )
}
