import { readFileSync } from 'node:fs'
import type { TranscriptSource } from '../../src/core/transcript/transcript.js'
import { jsonLines } from './source-forms.js'
import type { ExpectedSession, SourceUnderTest } from './source-reading.js'

const expected = JSON.parse(
  readFileSync(new URL('../fixtures/transcripts/expected.json', import.meta.url), 'utf8'),
) as Record<string, readonly ExpectedSession[]>

/** Combines a source with its recordings for the suite. */
export function under(
  source: TranscriptSource,
  place: string,
  sample: string,
  fields: Pick<SourceUnderTest, 'variable' | 'subAgents'> & Partial<SourceUnderTest>,
): SourceUnderTest {
  return {
    source,
    form: jsonLines,
    place,
    sample: `${place}/${sample}`,
    sessions: expected[source.id] ?? [],
    output: { file: `${place}/${sample}`, text: 'hi-from-tool' },
    ...fields,
  }
}
