import { closest, distance } from 'fastest-levenshtein'
import { InputError } from '../../core/errors/errors.js'
import type { TranscriptSource } from '../../core/transcript/transcript.js'
import { agentFiles } from './agent-files.js'

export async function loadSource(id: string): Promise<TranscriptSource> {
  const files = agentFiles('transcripts')
  const file = files.get(id)
  if (file === undefined) throw unknownSource(id, [...files.keys()])
  const module = (await import(/* @vite-ignore */ file.href)) as {
    source?: TranscriptSource
  }
  if (module.source?.id !== id)
    throw new Error(`${file.pathname} does not export a source with the id ${id}.`)
  return module.source
}

export async function listSources(): Promise<readonly TranscriptSource[]> {
  return Promise.all([...agentFiles('transcripts').keys()].map(loadSource))
}

function unknownSource(id: string, ids: readonly string[]): InputError {
  const nearest = closest(id, [...ids])
  const suggestion = distance(id, nearest) <= 3 ? `Did you mean ${nearest}? ` : ''
  return new InputError(`Unknown transcript source: ${id}.`, {
    hint: `${suggestion}Available: ${ids.toSorted().join(', ')}.`,
  })
}
