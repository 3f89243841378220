import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, relative, resolve } from 'node:path'
import { InputError, messageOf, PausedError } from '../../core/errors/errors.js'
import { attachment, filePart, fileProblem } from '../../core/task/files.js'
import type { Attachment, Part } from '../../core/task/task.js'
import { bytes } from '../../core/text/format.js'
import { contentHash } from '../../core/text/hash.js'
import { readPlainFile } from '../../system/plain-file.js'
import type { PlacedItem } from './data.js'
import { isMissing } from './rows.js'

/** Maximum size of a file in bytes, which is more than any provider accepts. */
const largestFile = 100_000_000

/**
 * The files of tasks. Each file is read once for its hash and again when it is used, because all images
 * together do not fit in memory.
 */
export class TaskFiles {
  readonly #known = new Map<string, Attachment>()
  readonly #pathOf = new Map<string, string>()

  /** Finds the files of an item. Throws an `InputError` that names the item and the file. */
  async attach(item: PlacedItem, field: string, id: string): Promise<readonly Attachment[]> {
    const attached: Attachment[] = []
    for (const path of pathsIn(item, field)) attached.push(await this.#find(path, item, id))
    return attached
  }

  /** Reads the files. Throws if one has changed since the tasks were read. */
  async read(attachments: readonly Attachment[]): Promise<Part[]> {
    return Promise.all(
      attachments.map(async ({ name, hash, detail }) => {
        const path = this.#pathOf.get(hash) ?? name
        const content = await readPlainFile(path, { mostBytes: largestFile }).catch((error: unknown) =>
          changed(`The file ${path}`, error),
        )
        if (contentHash(content) !== hash) changed(`The file ${path}`)
        const part = filePart(name, content)
        return part.type === 'image' && detail !== undefined ? { ...part, detail } : part
      }),
    )
  }

  async #find(path: string, item: PlacedItem, id: string): Promise<Attachment> {
    const refuse = (problem: string, hint: string): never => {
      throw new InputError(`${item.at} (task ${id}): the file ${path} ${problem}.`, { hint })
    }
    const place = `Paths start in ${item.folder}.`
    if (isAbsolute(path) || isOutside(item.root, resolve(item.folder, path)))
      refuse(`lies outside of ${item.root}`, `${place} Move the files there.`)
    const found = await realpath(resolve(item.folder, path)).catch((error: unknown) =>
      refuse(isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`, place),
    )
    if (isOutside(await realpath(item.root), found))
      refuse(`is a link to a place outside of ${item.root}`, 'Copy the file instead.')
    const known = this.#known.get(found)
    if (known !== undefined) return known
    const stats = await stat(found)
    if (!stats.isFile()) refuse('cannot be read: it is not a regular file', place)
    const { size } = stats
    if (size > largestFile) refuse(`has ${bytes(size)}`, 'No model takes so large a file.')
    const content = await readPlainFile(found, { mostBytes: largestFile }).catch((error: unknown) =>
      refuse(`cannot be read: ${messageOf(error)}`, place),
    )
    const problem = fileProblem(basename(path), content)
    if (problem !== undefined) refuse(problem, 'Replace it, or take it out of the task.')
    const attached = attachment(basename(path), content)
    this.#known.set(found, attached)
    this.#pathOf.set(attached.hash, found)
    return attached
  }
}

export function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way.split(/[\\/]/)[0] === '..' || isAbsolute(way)
}

/** Throws for a changed file, because a task must be the same from its first attempt to its last. */
export function changed(what: string, error?: unknown): never {
  const problem = error === undefined ? 'is not what it was' : `cannot be read any more: ${messageOf(error)}`
  throw new PausedError(`${what} ${problem}.`, {
    hint: 'Put it back and run the same command again, or start another run with --new.',
    cause: error,
  })
}

/** The paths in a field: one path, a list of paths or, as in CSV, paths separated by semicolons. */
function pathsIn(item: PlacedItem, field: string): readonly string[] {
  const value = item.fields[field]
  if (value === undefined || value === null) return []
  if (typeof value === 'string') {
    return value
      .split(';')
      .map(path => path.trim())
      .filter(path => path !== '')
  }
  if (Array.isArray(value) && value.every(path => typeof path === 'string' && path !== '')) return value
  throw new InputError(`${item.at}: the field "${field}" holds no paths of files.`, {
    hint: 'Write a path or a list of paths. If it is there for something else, set `files: false`.',
  })
}
