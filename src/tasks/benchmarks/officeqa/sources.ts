import { realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, win32 } from 'node:path'
import { InputError, messageOf, PausedError } from '../../../core/errors/errors.js'
import { bytes } from '../../../core/text/format.js'
import { contentHash } from '../../../core/text/hash.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { isMissing } from '../../loading/rows.js'
import { tablesToMarkdown } from './tables.js'

/** A document from which the agent may answer a task. */
export interface Source {
  /** Path relative to the sources folder, with `/` separators. */
  readonly path: string
  readonly lines: number
  /** Hash of the file. If the file changes, the task is a different one. */
  readonly hash: string
}

/** Maximum size in bytes, many times that of the largest bulletin. */
const largestSource = 50_000_000

/**
 * The folder with the documents. It opens only paths from the task data; paths that an agent gives are looked
 * up among its task's sources.
 */
export class Sources {
  readonly #root: string
  readonly #known = new Map<string, Source>()

  private constructor(root: string) {
    this.#root = root
  }

  /** Opens the folder. In the published corpus, the texts are in a subfolder. */
  static async at(folder: string): Promise<Sources> {
    return new Sources(
      (await folderAt(join(folder, 'transformed'))) ?? (await needFolder(folder, 'sourcesDir')),
    )
  }

  /** Finds a document. Calls `refuse` with the problem if there is any. */
  async find(named: string, refuse: (problem: string, hint: string) => never): Promise<Source> {
    const path = slashed(named)
    if (leadsOut(path)) refuse('is not a path inside of the sources', `Paths start at ${this.#root}.`)
    const known = this.#known.get(path)
    if (known !== undefined) return known
    const content = await this.#content(path).catch((error: unknown) =>
      refuse(...(error instanceof Unusable ? error.reason : this.#reason(error))),
    )
    const source = { path, lines: linesOf(content).length, hash: contentHash(content) }
    this.#known.set(path, source)
    return source
  }

  /**
   * The document's lines, with HTML tables converted to Markdown. Throws if the file has changed since the
   * tasks were read.
   */
  async lines({ path, hash }: Source): Promise<readonly string[]> {
    const content = await this.#content(path).catch((error: unknown) => this.#changed(path, error))
    return contentHash(content) === hash ? linesOf(content) : this.#changed(path)
  }

  async #content(path: string): Promise<Buffer> {
    const file = await realpath(join(this.#root, path))
    if (leadsOut(slashed(relative(this.#root, file))))
      throw new Unusable(
        'is a link to a place outside of the sources',
        'Copy the files instead of linking to them, for instance with `cp -rL`.',
      )
    const found = await stat(file)
    if (!found.isFile()) throw new Unusable('is not a file', 'Name a text file of the sources.')
    if (found.size > largestSource)
      throw new Unusable(`has ${bytes(found.size)}`, `The most is ${bytes(largestSource)}.`)
    const content = await readPlainFile(file, { mostBytes: largestSource })
    if (content.includes(0))
      throw new Unusable('is not text', 'Use the parsed text of the documents, not their PDF files.')
    return content
  }

  #reason(error: unknown): [problem: string, hint: string] {
    const problem = isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`
    return [problem, `The sources are looked for in ${this.#root}; \`sourcesDir\` says where they are.`]
  }

  #changed(path: string, error?: unknown): never {
    const problem =
      error === undefined ? 'is not what it was' : `cannot be used any more: ${messageOf(error)}`
    throw new PausedError(`The source ${join(this.#root, path)} ${problem}.`, {
      hint: 'Put it back and run the same command again, or start another run with --new.',
      cause: error,
    })
  }
}

class Unusable extends Error {
  readonly reason: [problem: string, hint: string]
  constructor(problem: string, hint: string) {
    super(problem)
    this.reason = [problem, hint]
  }
}

/** The folder that an option names, with links resolved. Throws if it does not exist. */
export async function needFolder(path: string, option: string): Promise<string> {
  const folder = await folderAt(path)
  if (folder !== undefined) return folder
  throw new InputError(`There is no folder ${path}, which \`${option}\` of the environment names.`, {
    hint: 'Paths are relative to the folder of the configuration file.',
  })
}

export async function folderAt(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(resolve(path)) : undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Whether a path leads out of its folder, by starting at a root or a drive or by `..`. */
export function leadsOut(path: string): boolean {
  return path === '' || win32.isAbsolute(path) || /^[a-z]:/i.test(path) || path.split('/').includes('..')
}

export function slashed(path: string): string {
  return path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/+)+/, '')
}

function linesOf(content: Buffer): readonly string[] {
  const text = tablesToMarkdown(content.toString('utf8').replace(/^\uFEFF/, ''))
  const lines = text.split(/\r\n|\r|\n/)
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}
