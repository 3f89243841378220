import type { HarvestQuery, Transcript, TranscriptSource } from '../../../core/transcript/transcript.js'
import { Draft } from './draft.js'
import { type FileKind, findSessions, type SessionFile, systemCode } from './files.js'
import { readItems } from './json-items.js'
import { readLine } from './json-lines.js'
import { type Line, readLines, tooLong } from './lines.js'
import type { JsonRecord } from './values.js'

/** What is specific to one agent that writes each session to a file, record by record. */
export interface Format extends Pick<TranscriptSource, 'id' | 'title' | 'places'> {
  /**
   * Classifies a file by its path relative to the source's folder, with slashes; undefined if it is not a
   * session.
   */
  kindOf(path: string): FileKind | undefined
  /**
   * Whether a folder may contain sessions, by its path relative to the source's folder. By default, every
   * folder may.
   */
  enters?(folder: string): boolean
  /**
   * If a file is one JSON document, the name of the list that holds its records. Undefined if the file has
   * one record per line.
   */
  listIn?(file: string): string | undefined
  /** Maximum length of a line in bytes, for agents that write a whole session into one line. */
  readonly longestLine?: number
  /** Creates the reader of one session. */
  open(draft: Draft): RecordReader | Promise<RecordReader>
}

export interface RecordReader {
  /** Must not throw, whatever the record contains. Returns the record's type if it is unknown. */
  read(record: JsonRecord): string | undefined
  /** Called after the last record. */
  finish?(): void
}

export function createSource(format: Format): TranscriptSource {
  return createFileSource(format, (file, query) => readSession(format, file, query))
}

/** Creates a source for agents whose files need a custom reader or more than one reader. */
export function createFileSource(
  format: Pick<Format, 'id' | 'title' | 'places' | 'kindOf' | 'enters'>,
  readFile: (file: SessionFile, query: HarvestQuery) => AsyncIterable<Transcript>,
): TranscriptSource {
  const { id, title } = format
  const find = (query: HarvestQuery) =>
    findSessions(id, query.places ?? format.places(query.user), { naming: format, query })
  return {
    id,
    title,
    places: user => format.places(user),
    async files(query) {
      return (await find(query)).map(({ path, bytes }) => ({ path, bytes }))
    },
    async *read(query) {
      for (const file of await find(query)) yield* readFile(file, query)
    },
  }
}

/** Yields the session in a file, unless the query excludes it. */
export async function* readSession(
  format: Pick<Format, 'id' | 'open' | 'listIn' | 'longestLine'>,
  file: SessionFile,
  query: HarvestQuery,
): AsyncGenerator<Transcript> {
  const transcript = await transcriptIn(format, file, query)
  if (transcript !== undefined) yield transcript
}

async function transcriptIn(
  format: Pick<Format, 'id' | 'open' | 'listIn' | 'longestLine'>,
  { path, changedAt }: SessionFile,
  query: HarvestQuery,
): Promise<Transcript | undefined> {
  const draft = new Draft(format.id, path, query)
  try {
    const reader = await format.open(draft)
    let before = 0
    const list = format.listIn?.(path)
    const parts =
      list === undefined
        ? readLines(path, query.signal, format.longestLine)
        : readItems(path, list, { signal: query.signal })
    for await (const lines of parts) {
      readAll(lines, { before, reader, draft })
      if (draft.isExcluded) break
      before += lines.length
    }
    reader.finish?.()
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    draft.exclude('unreadable', `the file cannot be read (${code})`)
  }
  return draft.finish(changedAt)
}

/** Passes lines to the reader; `before` is the number of lines read earlier. */
function readAll(
  lines: readonly Line[],
  { before, reader, draft }: { before: number; reader: RecordReader; draft: Draft },
): void {
  for (const [index, line] of lines.entries()) {
    if (draft.isExcluded) return
    draft.query.signal.throwIfAborted()
    if (line === tooLong) {
      draft.countLost('lines that are too long')
      continue
    }
    draft.atRecord(before + index + 1)
    const { record, isTorn } = readLine(line)
    if (isTorn) draft.countLost('lines that are torn or no records')
    if (record === undefined) continue
    const unknownKind = reader.read(record)
    if (unknownKind === undefined) draft.countRecord()
    else draft.countUnknown(unknownKind)
  }
}
