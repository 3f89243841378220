import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError, messageOf } from '../core/errors.js'

export const promptNames = [
  'analyst-failure',
  'analyst-success',
  'merge',
  'learning-rate',
  'rank',
  'slow-update',
  'meta-skill',
  'repair',
] as const
export type PromptName = (typeof promptNames)[number]
export type Prompts = Readonly<Record<PromptName, string>>

const bundled = fileURLToPath(new URL('./prompts/', import.meta.url))

/** The bundled prompts, each replaced by the file of the same name in the user's folder if there is one. */
export async function loadPrompts(folder?: string): Promise<Prompts> {
  const overrides = folder === undefined ? new Set<string>() : await overriddenNames(folder)
  const entries = promptNames.map(async name => {
    const from = folder !== undefined && overrides.has(name) ? folder : bundled
    return [name, (await readFile(join(from, `${name}.md`), 'utf8')).trim()] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<PromptName, string>
}

async function overriddenNames(folder: string): Promise<Set<string>> {
  let files: string[]
  try {
    files = await readdir(folder)
  } catch (error) {
    throw new InputError(`The prompts folder ${folder} cannot be read: ${messageOf(error)}.`, {
      cause: error,
    })
  }
  const names = files.filter(file => file.endsWith('.md')).map(file => file.slice(0, -'.md'.length))
  const unknown = names.filter(name => !(promptNames as readonly string[]).includes(name))
  if (unknown.length > 0) {
    throw new InputError(
      `The prompts folder ${folder} has a file that no stage reads: ${unknown.join(', ')}.md.`,
      {
        hint: `The names are ${promptNames.map(name => `${name}.md`).join(', ')}.`,
      },
    )
  }
  return new Set(names)
}
