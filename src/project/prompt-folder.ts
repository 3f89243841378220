import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../core/config/config.js'
import { InputError, messageOf } from '../core/errors/errors.js'
import { readPlainFile } from '../system/plain-file.js'
import type { PromptFolder } from '../trainer/stages/prompts.js'

/** Maximum size of a prompt file. It is larger than any context window. */
const mostBytes = 16 * 2 ** 20

/** Reads the prompts from the folder in the config; undefined if the config names none. */
export async function ownPrompts({
  config,
  baseDir,
}: {
  readonly config: Pick<Config, 'prompts'>
  readonly baseDir: string
}): Promise<PromptFolder | undefined> {
  return config.prompts === undefined ? undefined : readPromptFolder(resolve(baseDir, config.prompts))
}

/**
 * Reads the Markdown files of a folder. They must be regular files, because the folder may come from anyone.
 */
export async function readPromptFolder(folder: string): Promise<PromptFolder> {
  const refuse = (what: string) => (error: unknown) => {
    throw new InputError(`Can't read ${what}: ${messageOf(error)}.`, { cause: error })
  }
  const files = await readdir(folder).catch(refuse(`the prompts folder ${folder}`))
  const names = files.filter(file => file.endsWith('.md'))
  const texts = new Map<string, string>()
  for (const name of names.toSorted()) {
    const path = join(folder, name)
    const content = await readPlainFile(path, { mostBytes }).catch(refuse(`the prompt ${path}`))
    texts.set(name.slice(0, -'.md'.length), content.toString('utf8'))
  }
  return { folder, texts }
}
