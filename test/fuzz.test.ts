import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { listSources } from '../src/agents/registry/transcript-sources.js'
import { WorldFailure } from '../src/core/errors/errors.js'
import { parseEvent } from '../src/core/log/event.js'
import { asAgentSkill, checkAgentSkill } from '../src/core/skill/agent-skill.js'
import { appendixNotes } from '../src/core/skill/appendix.js'
import { documentFrom, seedDocument } from '../src/core/skill/document.js'
import { applyEdits } from '../src/core/skill/edit.js'
import { readFrontmatter } from '../src/core/skill/frontmatter.js'
import { checkSkill, parseSkill, stripMarkers } from '../src/core/skill/skill.js'
import { askForJson, parseJson } from '../src/core/text/json-reply.js'
import { replyOf } from '../src/models/handoff/reply.js'
import { loadProvider } from '../src/models/index.js'
import type { Fetch, ProviderDefinition } from '../src/models/wire/definition.js'
import { failureOf } from '../src/models/wire/failure.js'
import { toReply } from '../src/models/wire/reply.js'
import { loadProject } from '../src/project/load.js'
import { readRegion, writeRegion } from '../src/sleep/model/managed-region.js'
import { parseEventText } from '../src/store/disk.js'
import { readRows } from '../src/tasks/loading/rows.js'
import { analystReply } from '../src/trainer/stages/contracts.js'
import { read, recordings } from './conformance/source-reading.js'
import { type FuzzInput, fuzz, patience, savedCorpus } from './support/fuzzing.js'

/**
 * Parsers of external data: transcripts, model replies, configs, logs, tables, skills. They must read any
 * input or refuse it with a user-facing error, quickly. Inputs that once broke one are saved in
 * `fixtures/fuzz`.
 */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-fuzz-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Some inputs are read and some refused: otherwise only one path through the parser is tested. */
function expectBoth({ read, refused }: { readonly read: number; readonly refused: number }): void {
  expect(read).toBeGreaterThan(10)
  expect(refused).toBeGreaterThan(10)
}

it('reads or skips changed transcripts of every agent', patience, async () => {
  const sources = await listSources()
  const entries = await readdir(recordings, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile() && /\.jsonl?$/.test(entry.name))
  const corpus = await Promise.all(
    files.map(async entry => {
      const path = join(entry.parentPath, entry.name)
      return { name: path.slice(recordings.length + 1), bytes: await readFile(path) }
    }),
  )
  let transcripts = 0
  const home = join(folder, 'home')
  const readHere = async ({ name, bytes }: FuzzInput) => {
    const path = join(home, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
    const place = name.split('/').slice(0, 2).join('/')
    // Only sources that look at this place have anything to read.
    for (const source of sourcesAt.get(place) ?? []) {
      transcripts += (await read({ source }, home)).transcripts.length
    }
    await rm(path)
  }
  /** The sources that find something in a place. */
  const sourcesAt = new Map<string, typeof sources>()
  for (const { name, bytes } of corpus) {
    const place = name.split('/').slice(0, 2).join('/')
    if (sourcesAt.has(place)) continue
    const path = join(home, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
    const finding = []
    for (const source of sources) {
      if ((await read({ source }, home)).transcripts.length > 0) finding.push(source)
    }
    sourcesAt.set(place, finding)
    await rm(path)
  }
  const saved = await savedCorpus('transcripts')
  const found = saved.map(({ name, bytes }) => ({ name: name.replaceAll('@', '/'), bytes }))
  const { refused } = await fuzz({ corpus: [...corpus, ...found], parse: readHere })
  expect(refused).toBe(0)
  expect(transcripts).toBeGreaterThan(50)
})

it('reads JSON out of whatever a model replies, or says what is wrong', patience, async () => {
  const schemas = [
    analystReply('failure', 'patch', { skillAware: true, isRaced: true }),
    analystReply('success', 'patch', { skillAware: false, isRaced: false }),
  ]
  const tools = [{ name: 't', description: 'd', parameters: {} }]
  let mended = 0
  await fuzz({
    corpus: await savedCorpus('replies'),
    async parse({ bytes }) {
      const text = bytes.toString('utf8')
      if (parseJson(text).ok) mended += 1
      for (const schema of schemas) {
        await askForJson({
          messages: [],
          schema: schema as z.ZodType<unknown>,
          repair: problem => problem,
          call: async () => ({ text, stop: 'stop', usage: {} }),
        })
      }
      replyOf(text, 'k'.repeat(16), { messages: [], tools })
    },
    isRefusal: () => false,
  })
  expect(mended).toBeGreaterThan(50)
})

/** A provider, its reply format, and whether it uses a custom endpoint. */
const clients = [
  ['openai-compatible', 'chat', true],
  ['minimax', 'chat', true],
  ['openai', 'chat', true],
  ['openai', 'responses', false],
  ['anthropic', 'messages', true],
  ['google', 'gemini', true],
  ['amazon-bedrock', 'converse', true],
] as const

it.each(clients)(
  'takes changed replies over HTTP for a reply or a failure of the provider: %s, %s',
  patience,
  async (id, dialect, endpointGiven) => {
    const definition = (await loadProvider(id, `${id}/m`)) as ProviderDefinition
    let body: Buffer = Buffer.alloc(0)
    const answer: Fetch = async () =>
      new Response(new Uint8Array(body), { status: 200, headers: { 'content-type': 'application/json' } })
    const client: LanguageModelV3 = await definition.create({
      model: 'm',
      endpoint: 'http://127.0.0.1:9/v1',
      endpointGiven,
      key: 'k',
      keyVariable: 'KEY',
      token: undefined,
      apiVersion: undefined,
      structured: 'text',
      env: { AWS_REGION: 'us-east-1' },
      fetch: answer,
    })
    const context = { model: 'p/m', host: 'host', keyVariable: 'KEY', redact: (text: string) => text }
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }]
    const result = await fuzz({
      corpus: (await savedCorpus('http')).filter(
        ({ name }) => name.startsWith(dialect) || !name.includes('-'),
      ),
      async parse(input) {
        body = input.bytes
        try {
          const reply = toReply(await client.doGenerate({ prompt }), { allowed: false, followsTools: false })
          // An accepted answer is never empty.
          if (reply.stop === 'stop') expect(reply.text.trim()).not.toBe('')
          for (const figure of Object.values(reply.usage)) expect(figure).toBeGreaterThanOrEqual(0)
        } catch (error) {
          if (error instanceof Error && error.name === 'AssertionError') throw error
          throw failureOf(error, context)
        }
      },
      isRefusal: error => error instanceof WorldFailure,
    })
    expectBoth(result)
  },
)

it('loads or refuses changed configs', patience, async () => {
  const project = join(folder, 'project')
  await mkdir(project, { recursive: true })
  const result = await fuzz({
    corpus: await savedCorpus('configs'),
    async parse({ name, bytes }) {
      const file = join(project, `skillopt${extname(name)}`)
      await writeFile(file, bytes)
      await loadProject({ config: file, env: {}, cwd: project })
    },
  })
  expectBoth(result)
})

it('reads or refuses changed lines of a log', patience, async () => {
  const result = await fuzz({
    corpus: await savedCorpus('logs'),
    parse({ bytes }) {
      for (const line of bytes.toString('utf8').split('\n')) {
        const event = parseEventText(line, 'events.jsonl')
        if (event !== undefined) parseEvent(event)
      }
    },
    isRefusal: error =>
      error instanceof z.ZodError || (error instanceof Error && error.name === 'InputError'),
  })
  expectBoth(result)
})

it('reads or refuses changed tables', patience, async () => {
  const result = await fuzz({
    corpus: await savedCorpus('tables'),
    async parse({ name, bytes }) {
      const file = join(folder, `table${extname(name)}`)
      await writeFile(file, bytes)
      await readRows(file)
    },
  })
  expectBoth(result)
})

const provenance = { support: 1, from: 'failure', tasks: [] } as const

it('reads or refuses changed skills, and edits what it reads', patience, async () => {
  const result = await fuzz({
    corpus: await savedCorpus('skills'),
    parse({ bytes }) {
      const text = bytes.toString('utf8')
      parseSkill(text)
      stripMarkers(text)
      appendixNotes(text)
      checkAgentSkill(text, 'parcel-desk')
      readFrontmatter(text)
      asAgentSkill(text, { name: 'n', description: 'd' })
      readRegion(text)
      writeRegion(text, '- A rule.')
      const line = text.split('\n').find(candidate => candidate.trim() !== '') ?? 'x'
      applyEdits(seedDocument(text), [
        { ...provenance, id: 'e1', op: 'replace', target: line, content: 'y' },
        { ...provenance, id: 'e2', op: 'append', content: '- z' },
      ])
      documentFrom(text, 'o')
      checkSkill(text, 'SKILL.md')
    },
  })
  expectBoth(result)
})
