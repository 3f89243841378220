import type { HarvestQuery, Transcript, TranscriptSource } from '../core/transcript.js'
import { Draft } from './draft.js'
import { type FileKind, findSessions, type SessionFile, systemCode } from './files.js'
import { readLine } from './json-lines.js'
import { readLines } from './lines.js'
import type { JsonRecord } from './values.js'

/** What differs between agents that write a session into a file, one record per line. */
export interface Format extends Pick<TranscriptSource, 'id' | 'title' | 'places'> {
  /** By the path below the place, with slashes; undefined for a file that is no session at all. */
  kindOf(path: string): FileKind | undefined
  /** For one session. */
  open(draft: Draft): RecordReader | Promise<RecordReader>
}

export interface RecordReader {
  /** Must not throw, whatever the record holds. The kind of the record where it is not known. */
  read(record: JsonRecord): string | undefined
  /** After the last record. */
  finish?(): void
}

export function createSource(format: Format): TranscriptSource {
  const { id, title } = format
  return {
    id,
    title,
    places: user => format.places(user),
    async *read(query) {
      const places = query.places ?? format.places(query.user)
      for (const file of await findSessions(id, places, path => format.kindOf(path), query)) {
        const transcript = await readSession(format, file, query)
        if (transcript !== undefined) yield transcript
      }
    },
  }
}

async function readSession(
  format: Format,
  { path, changedAt }: SessionFile,
  query: HarvestQuery,
): Promise<Transcript | undefined> {
  const draft = new Draft(format.id, path, query)
  try {
    const reader = await format.open(draft)
    for await (const { lines, tooLong } of readLines(path, query.signal)) {
      if (tooLong > 0) draft.lost('lines that are too long', tooLong)
      readAll(lines, reader, draft)
      if (draft.isLeftOut) break
    }
    reader.finish?.()
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    draft.leaveOut('unreadable', `the file cannot be read (${code})`)
  }
  return draft.finish(changedAt)
}

function readAll(lines: readonly string[], reader: RecordReader, draft: Draft): void {
  for (const line of lines) {
    if (draft.isLeftOut) return
    draft.query.signal.throwIfAborted()
    const { record, isTorn } = readLine(line)
    if (isTorn) draft.lost('lines that are torn or no records')
    if (record === undefined) continue
    const unknownKind = reader.read(record)
    if (unknownKind === undefined) draft.counted()
    else draft.unknown(unknownKind)
  }
}
