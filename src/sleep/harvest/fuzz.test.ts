import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { mutated } from '../../../test/conformance/source-records.js'
import { loadSource } from '../../agents/registry/transcript-sources.js'
import { createRedactor } from '../../core/redaction/redact.js'
import { PythonRandom } from '../../core/statistics/random.js'
import type { Transcript, TranscriptSource } from '../../core/transcript/transcript.js'
import type { HarvestPlan } from './plan.js'
import { ask, type ReadingTools, readFile as readSource } from './reading.js'

/** Tests the whole path from damaged files to requests, including all text processing. */

const recordings = new URL('../../../test/fixtures/transcripts/home', import.meta.url).pathname
const sources = ['claude-code', 'codex', 'copilot', 'gemini', 'pi', 'qwen-code']
const recordsInAll = 100_000

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
})
afterEach(() => rm(folder, { recursive: true }))

const plan: HarvestPlan = {
  sources,
  scope: { kind: 'all' },
  patterns: [],
  user: { home: recordings, env: {}, platform: 'linux' },
}
const tools: ReadingTools = {
  redactor: createRedactor(),
  isWanted: () => true,
  signal: new AbortController().signal,
}

async function read(source: TranscriptSource, file: string) {
  const transcripts: Transcript[] = []
  const watched: TranscriptSource = {
    ...source,
    async *read(query) {
      for await (const transcript of source.read(query)) {
        transcripts.push(transcript)
        yield transcript
      }
    },
  }
  return { ...(await readSource(watched, plan, file, tools)), transcripts }
}

/** Entries without their times, because a rewritten record keeps its first time. */
const saidIn = (transcripts: readonly Transcript[]) =>
  transcripts.flatMap(({ entries }) =>
    entries.flatMap(entry => (entry.kind === 'tool' ? [] : [`${entry.kind} ${entry.text}`])),
  )

/** True if `whole` contains all of `parts` in this order, with anything in between. */
function holds(whole: readonly string[], parts: readonly string[]): boolean {
  let next = 0
  for (const each of whole) if (each === parts[next]) next += 1
  return next === parts.length
}

it.each(sources)('%s: a sixth of 100,000 fuzzed records costs none of the good ones', async id => {
  const source = await loadSource(id)
  const files = await source.files(ask(plan, id, undefined, tools).query)
  const recorded = files.filter(({ path }) => path.endsWith('.jsonl'))
  const random = new PythonRandom(9)
  const sessions = await Promise.all(
    recorded.map(async ({ path }) => {
      const lines = (await readFile(path, 'utf8')).split('\n').filter(line => line !== '')
      const { transcripts, requests } = await read(source, path)
      return { path, lines, good: saidIn(transcripts), hasRequest: requests.length > 0 }
    }),
  )
  const wanted = sessions.filter(({ good }) => good.length > 0)
  const places = wanted.reduce((sum, { lines }) => sum + lines.length - 1, 0)
  const each = Math.ceil(recordsInAll / sources.length / places)
  for (const { path, lines, good, hasRequest } of wanted) {
    const file = join(folder, basename(path))
    // The damaged lines come before the good one, because a later record replaces an earlier one.
    const fuzzed = lines.flatMap((line, index) =>
      index === 0 ? [line] : [...Array.from({ length: each }, () => mutated(line, random)), line],
    )
    await writeFile(file, fuzzed.join('\n'))
    const { transcripts, requests, skipped } = await read(source, file)
    expect(transcripts).toHaveLength(1)
    expect(holds(saidIn(transcripts), good)).toBe(true)
    expect(requests.length > 0).toBe(hasRequest)
    expect(skipped.every(({ reason }) => reason === 'record')).toBe(true)
  }
})
