import type { HarvestQuery, Transcript, TranscriptSource } from '../../src/core/transcript/transcript.js'
import { inHome, put, read, told } from '../conformance/source-reading.js'

export const asLines = (...records: readonly unknown[]) =>
  records.map(record => `${JSON.stringify(record)}\n`).join('')

/** Reads these files with a source, by their paths below the source's place. */
export async function readFiles(
  source: TranscriptSource,
  files: Readonly<Record<string, string>>,
  wanted: Partial<HarvestQuery> = {},
  before?: (place: string) => Promise<void>,
): Promise<{
  readonly transcripts: readonly Transcript[]
  readonly said: readonly string[]
  readonly skipped: readonly string[]
}> {
  return inHome(async home => {
    for (const [file, content] of Object.entries(files)) await put(home, file, Buffer.from(content))
    await before?.(home)
    const { transcripts, skipped } = await read({ source }, home, { places: [home], ...wanted })
    return {
      transcripts,
      said: transcripts.flatMap(told),
      skipped: skipped.map(({ reason, count, detail }) => `${reason} ${count} ${detail}`),
    }
  })
}
