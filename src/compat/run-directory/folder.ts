import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { readPlainFile } from '../../system/plain-file.js'

/** The folder of a run that another program made. A missing file is not an error, but a malformed one is. */
export class RunFolder {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }

  async text(name: string): Promise<string | undefined> {
    try {
      return (await readPlainFile(join(this.path, name))).toString('utf8')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw new InputError(`${join(this.path, name)} cannot be read: ${messageOf(error)}.`, { cause: error })
    }
  }

  async json<T extends z.ZodType>(name: string, schema: T): Promise<z.output<T> | undefined> {
    const text = await this.text(name)
    return text === undefined ? undefined : this.#checked(text, schema, name)
  }

  /** Reads a file with one JSON value per line. */
  async lines<T extends z.ZodType>(name: string, schema: T): Promise<z.output<T>[] | undefined> {
    const lines = (await this.text(name))?.split('\n')
    return lines?.flatMap((line, index) =>
      line.trim() === '' ? [] : [this.#checked(line, schema, `${name}, line ${index + 1}`)],
    )
  }

  /** Sorted names in a folder; empty if the folder does not exist. */
  async names(folder: string): Promise<string[]> {
    try {
      return (await readdir(join(this.path, folder))).sort((a, b) =>
        a.localeCompare(b, 'en', { numeric: true }),
      )
    } catch (error) {
      if (isMissing(error)) return []
      throw new InputError(`${join(this.path, folder)} cannot be read: ${messageOf(error)}.`, {
        cause: error,
      })
    }
  }

  /** Modification time in milliseconds of the first of these files that exists. */
  async writtenAt(...names: readonly string[]): Promise<number | undefined> {
    for (const name of names) {
      try {
        return Math.round((await stat(join(this.path, name))).mtimeMs)
      } catch (error) {
        if (!isMissing(error)) throw error
      }
    }
    return undefined
  }

  #checked<T extends z.ZodType>(text: string, schema: T, place: string): z.output<T> {
    let value: unknown
    try {
      // Python writes NaN for missing numbers, which is not valid JSON.
      value = JSON.parse(text.replace(/(?<=[:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g, 'null'))
    } catch (error) {
      throw new InputError(`${join(this.path, place)} is not valid JSON: ${messageOf(error)}.`, {
        cause: error,
      })
    }
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const [issue] = parsed.error.issues
    const at = issue?.path.join('.') ?? ''
    throw new InputError(
      `${join(this.path, place)} is not in the Python SkillOpt's format: ${at === '' ? '' : `${at}: `}${issue?.message ?? ''}.`,
      { hint: 'Import the folder unchanged.' },
    )
  }
}

function isMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOENT' || code === 'ENOTDIR'
}
