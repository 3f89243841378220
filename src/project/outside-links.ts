import { readdir, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { canonicalJson, contentHash } from '../core/text/hash.js'

export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way.split(/[\\/]/)[0] !== '..' && !isAbsolute(way))
}

/**
 * Resolves all links in a path, because writes follow them. For a file that does not exist yet, the links
 * above it are resolved.
 */
export async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const above = dirname(path)
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || above === path) return path
    return join(await realPlace(above), basename(path))
  }
}

interface OutsideLinks {
  /** The first of these links, relative to the folder, and the number of others. */
  readonly text: string
  /** Hash over all these links and their destinations. */
  readonly hash: string
}

/**
 * Finds links below a folder that lead out of all roots, because their files would be read as if they were in
 * the folder. Undefined if there are none, or if the path is not a folder.
 */
export async function outsideLinks(
  folder: string,
  roots: readonly string[],
): Promise<OutsideLinks | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifUnreadable)
  const found: [string, string][] = []
  for (const entry of entries) {
    if (!entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const place = await realPlace(path)
    if (!roots.some(root => isWithin(root, place))) found.push([relative(folder, path), place])
  }
  const [first] = found.sort(([left], [right]) => (left < right ? -1 : 1))
  if (first === undefined) return undefined
  const more = found.length === 1 ? '' : ` and ${found.length - 1} more`
  return { text: `${first[0].replaceAll('\\', '/')}${more}`, hash: contentHash(canonicalJson(found)) }
}

/** Ignores a missing or unreadable folder here. Its reader reports it later by name. */
function ifUnreadable(error: unknown): [] {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error
  return []
}
