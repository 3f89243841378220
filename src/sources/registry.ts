import { readdirSync } from 'node:fs'
import { closest, distance } from 'fastest-levenshtein'
import { InputError } from '../core/errors.js'
import type { TranscriptSource } from '../core/transcript.js'

/** id -> file name: `.js` when built, `.ts` when run from source. */
function sourceFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('agents/', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined) files.set(id, file)
  }
  return files
}

export async function loadSource(id: string): Promise<TranscriptSource> {
  const files = sourceFiles()
  const file = files.get(id)
  if (file === undefined) throw unknownSource(id, [...files.keys()])
  const module = (await import(/* @vite-ignore */ new URL(`agents/${file}`, import.meta.url).href)) as {
    source?: TranscriptSource
  }
  if (module.source?.id !== id) throw new Error(`${file} does not export a source with the id ${id}.`)
  return module.source
}

export async function listSources(): Promise<readonly TranscriptSource[]> {
  return Promise.all([...sourceFiles().keys()].sort().map(loadSource))
}

function unknownSource(id: string, ids: readonly string[]): InputError {
  const nearest = closest(id, [...ids])
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}? ` : ''
  return new InputError(`There is no agent called ${id} whose transcripts can be read.`, {
    hint: `${suggestion}There are: ${ids.toSorted().join(', ')}.`,
  })
}
