import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { readPlainFile } from '../../system/plain-file.js'

/** Writes files that are derived from the log, each atomically. An unchanged file is not written again. */
export class DerivedFiles {
  readonly #directory: string
  readonly #made = new Set<string>()
  constructor(directory: string) {
    this.#directory = directory
  }

  async text(name: string, text: string): Promise<void> {
    const path = await this.#place(name)
    if ((await readIfThere(path)) === text) return
    // Not synced: only the log must survive a crash of the machine, and these files can be written from it
    // again.
    await writeFileAtomic(path, text, { fsync: false })
  }

  json(name: string, value: unknown): Promise<void> {
    return this.text(name, `${JSON.stringify(value, null, 2)}\n`)
  }

  async lines(name: string): Promise<LineFile> {
    return LineFile.open(await this.#place(name))
  }

  async #place(name: string): Promise<string> {
    const path = join(this.#directory, name)
    const folder = dirname(path)
    if (!this.#made.has(folder)) await mkdir(folder, { recursive: true })
    this.#made.add(folder)
    return path
  }
}

const bufferedCharacters = 65_536

/** A file of lines that may be larger than memory: written to a temporary file and renamed when complete. */
export class LineFile {
  readonly #path: string
  readonly #handle: FileHandle
  #buffer = ''
  private constructor(path: string, handle: FileHandle) {
    this.#path = path
    this.#handle = handle
  }

  static async open(path: string): Promise<LineFile> {
    const draft = `${path}.partial`
    // Removes the file first, because a link with this name would redirect the lines into another file.
    await rm(draft, { force: true })
    return new LineFile(path, await open(draft, 'wx'))
  }

  async add(value: unknown): Promise<void> {
    this.#buffer += `${JSON.stringify(value)}\n`
    if (this.#buffer.length >= bufferedCharacters) await this.#drain()
  }

  async finish(): Promise<void> {
    await this.#drain()
    await this.#handle.close()
    await rename(`${this.#path}.partial`, this.#path)
  }

  async #drain(): Promise<void> {
    const text = this.#buffer
    this.#buffer = ''
    if (text !== '') await this.#handle.writeFile(text)
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readPlainFile(path)).toString('utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
