import { readdirSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { InputError } from '../core/errors.js'
import type { ProviderDefinition } from './wire/definition.js'

/** Files of this folder that are not providers. Every other file is one, under its own name. */
const others = new Set(['http', 'index', 'prices', 'registry'])

/** id -> file name: `.js` when built, `.ts` when run from source. */
function providerFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('.', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined && !others.has(id)) files.set(id, file)
  }
  return files
}

const loaded = new Map<string, ProviderDefinition>()

export async function loadProvider(id: string): Promise<ProviderDefinition> {
  const known = loaded.get(id)
  if (known !== undefined) return known
  const files = providerFiles()
  const file = files.get(id)
  if (file === undefined) throw unknownProvider(id, [...files.keys()])
  const module = (await import(/* @vite-ignore */ new URL(file, import.meta.url).href)) as {
    provider?: ProviderDefinition
  }
  if (module.provider?.id !== id) throw new Error(`${file} does not export a provider with the id ${id}.`)
  loaded.set(id, module.provider)
  return module.provider
}

export async function listProviders(): Promise<readonly ProviderDefinition[]> {
  return Promise.all([...providerFiles().keys()].sort().map(loadProvider))
}

export function loadedProviders(): readonly ProviderDefinition[] {
  return [...loaded.values()]
}

function unknownProvider(id: string, ids: string[]): InputError {
  const nearest = closest(id, ids)
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}? ` : ''
  return new InputError(`There is no model provider called ${id}.`, {
    hint: `${suggestion}There are: ${ids.sort().join(', ')}. Any other endpoint: openai-compatible/… with \`endpoint\`.`,
  })
}
