import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listSources } from '../../agents/registry/transcript-sources.js'
import { createRedactor } from '../../core/redaction/redact.js'
import type { Skipped, Transcript } from '../../core/transcript/transcript.js'
import type { HarvestPlan } from './plan.js'
import { ask, type ReadingTools } from './reading.js'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'reading-'))
  await cp(new URL('../../../test/fixtures/transcripts/home', import.meta.url).pathname, home, {
    recursive: true,
  })
})
afterEach(() => rm(home, { recursive: true }))

const tools: ReadingTools = {
  redactor: createRedactor(),
  isWanted: () => true,
  signal: new AbortController().signal,
}
const byContent = (items: readonly unknown[]) => items.map(item => JSON.stringify(item)).sort()

describe('a source', async () => {
  const sources = await listSources()

  it.each(sources)('$id: gives file by file what it gives as a whole', async source => {
    const plan: HarvestPlan = {
      sources: [],
      scope: { kind: 'all' },
      patterns: [],
      user: { home, env: {}, platform: 'linux' },
    }
    const gather = async (places: readonly string[] | undefined) => {
      const { query, skipped } = ask(plan, source.id, places, tools)
      const transcripts: Transcript[] = []
      for await (const transcript of source.read(query)) transcripts.push(transcript)
      return { transcripts, skipped }
    }
    const whole = await gather(undefined)
    const named = ask(plan, source.id, undefined, tools)
    const transcripts: Transcript[] = []
    const skipped: Skipped[] = []
    for (const { path } of await source.files(named.query)) {
      const part = await gather([path])
      transcripts.push(...part.transcripts)
      skipped.push(...part.skipped)
    }
    expect(whole.transcripts.length).toBeGreaterThan(0)
    expect(byContent(transcripts)).toEqual(byContent(whole.transcripts))
    expect(byContent([...named.skipped, ...skipped])).toEqual(byContent(whole.skipped))
  })
})
