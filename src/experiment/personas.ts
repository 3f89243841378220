import { readdirSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { InputError } from '../core/errors/errors.js'
import type { Persona } from './persona.js'

/** Maps each persona's id to its file, which ends in `.js` when built and in `.ts` when run from source. */
function personaFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('personas/', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined) files.set(id, file)
  }
  return files
}

export const personaNames = (): readonly string[] => [...personaFiles().keys()].sort()

export async function loadPersona(id: string): Promise<Persona> {
  const file = personaFiles().get(id)
  if (file === undefined) throw unknownPersona(id)
  const module = (await import(/* @vite-ignore */ new URL(`personas/${file}`, import.meta.url).href)) as {
    persona?: Persona
  }
  if (module.persona === undefined) throw new Error(`${file} does not export a persona.`)
  return module.persona
}

function unknownPersona(id: string): InputError {
  const names = personaNames()
  const nearest = closest(id, [...names])
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}? ` : ''
  return new InputError(`There is no persona called ${id}.`, {
    hint: `${suggestion}There are: ${names.join(', ')}; \`all\` takes each of them.`,
  })
}
