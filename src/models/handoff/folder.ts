import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { handoffFormat } from '../../core/transcript/handoff-marks.js'
import * as files from './files.js'
import { instructionsText } from './prompt.js'
import type { Parsed } from './reply.js'

/** A prompt that nobody has answered yet. */
export interface OpenPrompt {
  readonly key: string
  readonly model: string
  readonly text: string
  /** Why the existing answer cannot be used. */
  readonly problem?: string | undefined
  /**
   * Additional data for programs that answer: the reply's schema, and the seed that distinguishes samples of
   * one prompt.
   */
  readonly schema?: Record<string, unknown> | undefined
  readonly seed?: number | undefined
}

const key = z.string().regex(/^[0-9a-f]{32}$/)

const indexSchema = z.strictObject({
  format: z.literal(handoffFormat),
  /** Whether the handoff created the folder. If so, it also removes it. */
  folderMade: z.boolean(),
  pending: z.array(
    z.strictObject({
      key,
      model: z.string(),
      file: z.string(),
      answer: z.string(),
      schema: z.record(z.string(), z.unknown()).optional(),
      seed: z.number().optional(),
    }),
  ),
  /** Keys of earlier prompts that have an answer which has not been used yet and may still be needed. */
  answered: z.array(key),
})
type Index = z.output<typeof indexSchema>

const instructionsName = 'PROMPTS.md'
const indexName = 'pending.json'
const pendingName = (name: string): string => `pending/${name}.md`
const answerName = (name: string): string => `answers/${name}.md`

/**
 * A folder of prompts that wait for answers. All file names are hashes, so no content can affect where a file
 * is written.
 */
export class HandoffFolder {
  /** Keys that have a prompt or an answer on disk; undefined before the folder was read. */
  #listed: Set<string> | undefined

  constructor(readonly path: string) {}

  answerPath(name: string): string {
    return join(this.path, answerName(name))
  }

  /** Throws if an entry at one of the handoff's own paths is a link or was written by others. */
  async check(): Promise<void> {
    if ((await files.kindOf(this.path)) === undefined) return
    for (const name of ['pending', 'answers']) {
      const kind = await files.kindOf(join(this.path, name))
      if (kind === 'other') throw foreignFileError(join(this.path, name), 'is not a folder, or a link to one')
    }
    await this.#index()
    const instructions = await files.readOptional(join(this.path, instructionsName))
    if (instructions !== undefined && !instructions.startsWith('<!-- skillopt-handoff ')) {
      throw foreignFileError(join(this.path, instructionsName), 'was not written by SkillOpt')
    }
  }

  async answer(name: string): Promise<Parsed<string> | undefined> {
    return files.readUntrusted(this.answerPath(name))
  }

  /** Writes these prompts and removes others. Returns the files in `answers/` that match no prompt. */
  async publish(prompts: readonly OpenPrompt[]): Promise<readonly string[]> {
    await this.check()
    const before = await this.#index()
    const folderMade = await this.#createFolders(before)
    const asked = new Set(prompts.map(prompt => prompt.key))
    const earlier = keysOf(before).filter(name => !asked.has(name))
    for (const name of earlier) await files.removeFile(join(this.path, pendingName(name)))
    const answers = await readdir(join(this.path, 'answers'))
    const answered = earlier.filter(name => answers.includes(`${name}.md`))
    // The index is written first, so that after a crash it still lists every file that may exist.
    await this.#write(indexName, indexText({ folderMade, prompts, answered }))
    for (const prompt of prompts) await this.#write(pendingName(prompt.key), prompt.text)
    const unusable = prompts.flatMap(({ key: name, problem }) =>
      problem === undefined ? [] : [{ answer: answerName(name), problem }],
    )
    await this.#write(instructionsName, instructionsText(this.path, prompts.length, unusable))
    this.#listed = new Set([...asked, ...answered])
    const known = new Set([...this.#listed].map(name => `${name}.md`))
    return answers.filter(name => !known.has(name) && !name.startsWith('.')).map(name => `answers/${name}`)
  }

  /**
   * Call when an answer has been stored in the log. After the last answer, all files of the handoff are
   * removed.
   */
  async markUsed(name: string): Promise<void> {
    this.#listed ??= await this.#keysOnDisk()
    await files.removeFile(join(this.path, answerName(name)))
    await files.removeFile(join(this.path, pendingName(name)))
    this.#listed.delete(name)
    if (this.#listed.size === 0) await this.finish()
  }

  /** Removes the handoff's prompts and answers. Other files belong to someone else and stay. */
  async finish(): Promise<void> {
    const index = await this.#index()
    if (index === undefined) return
    for (const name of keysOf(index)) {
      await files.removeFile(join(this.path, answerName(name)))
      await files.removeFile(join(this.path, pendingName(name)))
    }
    await files.removeIfEmpty(join(this.path, 'answers'))
    await files.removeIfEmpty(join(this.path, 'pending'))
    await files.removeFile(join(this.path, instructionsName))
    // The index is removed last, so that an interrupted cleanup can be repeated.
    await files.removeFile(join(this.path, indexName))
    if (index.folderMade) await files.removeIfEmpty(this.path)
  }

  /** Lists the keys by the files that exist, because the index of a killed process may be outdated. */
  async #keysOnDisk(): Promise<Set<string>> {
    const names = keysOf(await this.#index()).map(async name => {
      const paths = [pendingName(name), answerName(name)].map(file => join(this.path, file))
      const kinds = await Promise.all(paths.map(files.kindOf))
      return kinds.some(kind => kind !== undefined) ? [name] : []
    })
    return new Set((await Promise.all(names)).flat())
  }

  async #createFolders(before: Index | undefined): Promise<boolean> {
    try {
      const made = await mkdir(this.path, { recursive: true, mode: 0o700 })
      for (const name of ['pending', 'answers']) {
        await mkdir(join(this.path, name), { recursive: true, mode: 0o700 })
      }
      return before?.folderMade ?? made !== undefined
    } catch (error) {
      throw files.fileError(this.path, 'written', error)
    }
  }

  #write(name: string, text: string): Promise<void> {
    return files.writePrivate(join(this.path, name), text)
  }

  async #index(): Promise<Index | undefined> {
    const file = join(this.path, indexName)
    const text = await files.readOptional(file)
    if (text === undefined) return undefined
    try {
      return indexSchema.parse(JSON.parse(text))
    } catch (error) {
      throw foreignFileError(file, `is damaged, or was not written by SkillOpt (${messageOf(error)})`, error)
    }
  }
}

const keysOf = (index: Index | undefined): readonly string[] =>
  index === undefined ? [] : [...index.pending.map(prompt => prompt.key), ...index.answered]

function indexText(parts: {
  readonly folderMade: boolean
  readonly prompts: readonly OpenPrompt[]
  readonly answered: readonly string[]
}): string {
  const index: Index = {
    format: handoffFormat,
    folderMade: parts.folderMade,
    pending: parts.prompts.map(({ key: name, model, schema, seed }) => ({
      key: name,
      model,
      file: pendingName(name),
      answer: answerName(name),
      schema,
      seed,
    })),
    answered: [...parts.answered],
  }
  return `${JSON.stringify(index, null, 2)}\n`
}

function foreignFileError(path: string, what: string, cause?: unknown): InputError {
  return new InputError(`${path} ${what}.`, {
    hint: 'Choose another handoff folder, or move this one away: prompts are written again, and existing answers are found.',
    cause,
  })
}
