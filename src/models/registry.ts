import { readdirSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { InputError } from '../core/errors/errors.js'
import type { BuiltInProvider } from './wire/definition.js'
import type { OwnProvider } from './wire/own.js'
import { splitModel } from './wire/resolve.js'

/** Files of this folder that are not providers. Every other file is a provider with the file's name as id. */
const others = new Set(['index', 'prices', 'registry'])

/** id -> file name: `.js` when built, `.ts` when run from source. */
function providerFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('.', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined && !others.has(id)) files.set(id, file)
  }
  return files
}

const loaded = new Map<string, BuiltInProvider>()

/** `others` are non-provider prefixes of model names, listed in the hint. */
export async function loadProvider(
  id: string,
  model = `${id}/…`,
  others: readonly string[] = [],
): Promise<BuiltInProvider> {
  const known = loaded.get(id)
  if (known !== undefined) return known
  const files = providerFiles()
  const file = files.get(id)
  if (file === undefined) throw unknownProvider(id, model, [...files.keys()], others)
  const module = (await import(/* @vite-ignore */ new URL(file, import.meta.url).href)) as {
    provider?: BuiltInProvider
  }
  if (module.provider?.id !== id) throw new Error(`${file} does not export a provider with the id ${id}.`)
  loaded.set(id, module.provider)
  return module.provider
}

export async function listProviders(): Promise<readonly BuiltInProvider[]> {
  return Promise.all([...providerFiles().keys()].sort().map(id => loadProvider(id)))
}

const own = new Set<OwnProvider>()

/** A custom provider may not reuse a built-in id, because prices and logs are keyed by it. */
export function keepOwnProvider(provider: OwnProvider, model: string): void {
  const { id } = provider
  if (providerFiles().has(id)) {
    throw new InputError(`There is a provider called ${id} already.`, {
      hint: `Give your own another id, such as my-${id}.`,
    })
  }
  const named = splitModel(model)
  if (named.provider !== id) {
    throw new InputError(`The model is called ${model}, but the id of its provider is ${id}.`, {
      hint: `Write it as ${id}/${named.name}.`,
    })
  }
  own.add(provider)
}

export async function closeProviders(): Promise<void> {
  const closing = [...loaded.values(), ...own]
  own.clear()
  await Promise.all(closing.map(provider => provider.close?.()))
}

function unknownProvider(
  id: string,
  model: string,
  ids: readonly string[],
  others: readonly string[],
): InputError {
  const nearest = closest(id, [...ids, ...others])
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}${model.slice(id.length)}? ` : ''
  return new InputError(`There is no model provider called ${id}.`, {
    hint: `${suggestion}There are: ${ids.toSorted().join(', ')}.${others.length === 0 ? '' : ` Agents: ${others.join(', ')}.`} Any other endpoint: openai-compatible/… with \`endpoint\`; your own: \`provider: ./file.ts\`.`,
  })
}
