import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config, Effort } from '../../core/config/config.js'
import { InputError } from '../../core/errors/errors.js'

export const promptNames = [
  'analyst-failure',
  'analyst-success',
  'form-edits',
  'form-suggestions',
  'form-rewrite',
  'skill-aware',
  'contrast',
  'alternatives',
  'concern',
  'reward',
  'preferences',
  'merge',
  'merge-suggestions',
  'merge-rewrites',
  'learning-rate',
  'rank',
  'rewrite',
  'consolidate',
  'slow-update',
  'meta-skill',
  'one-shot',
  'mine',
  'dream',
  'repair',
] as const
export type PromptName = (typeof promptNames)[number]

/** An optimizer prompt, and its reasoning effort if set. */
interface Prompt {
  readonly text: string
  readonly effort?: Effort
}

export type Prompts = Readonly<Record<PromptName, Prompt>>

/** A project's own prompts, by name. */
export interface PromptFolder {
  /** Path of the folder, for error messages. */
  readonly folder: string
  readonly texts: ReadonlyMap<string, string>
}

export interface PromptOptions {
  /** The user's prompts; they take precedence over everything else. */
  readonly own?: PromptFolder | undefined
  /** Prompts that the environment provides for its kind of task. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly effort?: Config['optimizer']['effort']
}

const stageOfPrompt: Partial<Record<PromptName, keyof Config['optimizer']['effort']>> = {
  'analyst-failure': 'reflect',
  'analyst-success': 'reflect',
  merge: 'aggregate',
  'merge-suggestions': 'aggregate',
  'merge-rewrites': 'aggregate',
  'learning-rate': 'select',
  rank: 'select',
  rewrite: 'update',
  consolidate: 'update',
  'slow-update': 'slowUpdate',
  'meta-skill': 'metaSkill',
}

const bundled = fileURLToPath(new URL('./prompts/', import.meta.url))

/** The bundled prompts, each overridden by the environment's or the user's prompt of the same name. */
export async function loadPrompts(options: PromptOptions = {}): Promise<Prompts> {
  const { own, environment = {}, effort = {} } = options
  checkNames(Object.keys(environment), 'The environment has a prompt')
  if (own !== undefined) checkNames([...own.texts.keys()], `The prompts folder ${own.folder} has a file`)
  const entries = promptNames.map(async name => {
    const override = own?.texts.get(name) ?? environment[name]
    const text = (override ?? (await readFile(join(bundled, `${name}.md`), 'utf8'))).trim()
    const stage = stageOfPrompt[name]
    const level = stage === undefined ? undefined : effort[stage]
    return [name, level === undefined ? { text } : { text, effort: level }] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<PromptName, Prompt>
}

/** A prompt's text, plus instructions for applying the user's preferences if there are any. */
export function withPreferences(prompts: Prompts, name: PromptName, preferences: string | undefined): string {
  const { text } = prompts[name]
  return preferences === undefined ? text : `${text}\n\n${prompts.preferences.text}`
}

function checkNames(names: readonly string[], where: string): void {
  const unknown = names.filter(name => !(promptNames as readonly string[]).includes(name))
  if (unknown.length === 0) return
  throw new InputError(`${where} with an unknown name: ${unknown.join(', ')}.md.`, {
    hint: `Use one of ${promptNames.map(name => `${name}.md`).join(', ')}.`,
  })
}
