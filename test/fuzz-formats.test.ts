import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readClaudeCode } from '../src/agents/claude-code/output.js'
import { readCodex } from '../src/agents/codex/output.js'
import { readCopilot } from '../src/agents/copilot/output.js'
import { readCursor } from '../src/agents/cursor/output.js'
import { readGemini } from '../src/agents/gemini/output.js'
import { readOpencode } from '../src/agents/opencode/output.js'
import { readPi } from '../src/agents/pi/output.js'
import { readQwen } from '../src/agents/qwen-code/output.js'
import { WorldFailure } from '../src/core/errors/errors.js'
import { credibleUsage, isTokenCount } from '../src/core/task/usage.js'
import { loadProvider } from '../src/models/index.js'
import type { Fetch, ProviderDefinition } from '../src/models/wire/definition.js'
import { failureOf } from '../src/models/wire/failure.js'
import { foldStream } from '../src/models/wire/reply.js'
import { withDotEnv } from '../src/project/dot-env.js'
import { loadProject } from '../src/project/load.js'
import { readTasksFile } from '../src/sleep/book/tasks-file.js'
import { readReviewedTasks } from '../src/sleep/replay/read.js'
import { type FuzzInput, fuzz, patience, savedCorpus } from './support/fuzzing.js'

/**
 * Further parsers of external data, tested as in `fuzz.test.ts`: agent output, streamed replies, configs of
 * the Python SkillOpt, reviewed tasks and `.env` files.
 */

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-fuzz-formats-'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url))

async function filesIn(path: string, extension: string): Promise<FuzzInput[]> {
  const names = (await readdir(join(fixtures, path))).filter(name => extname(name) === extension).sort()
  return Promise.all(names.map(async name => ({ name, bytes: await readFile(join(fixtures, path, name)) })))
}

const agents = {
  'claude-code': readClaudeCode,
  codex: readCodex,
  copilot: readCopilot,
  cursor: readCursor,
  gemini: readGemini,
  opencode: readOpencode,
  pi: readPi,
  qwen: readQwen,
}

it.each(Object.entries(agents))('reads whatever an agent prints: %s', patience, async (name, readOutput) => {
  let answers = 0
  await fuzz({
    corpus: await filesIn(`agents/${name}`, '.jsonl'),
    parse({ bytes }) {
      const reading = readOutput({ stdout: bytes.toString('utf8'), stderr: '', exitCode: 0 })
      if (!('failure' in reading)) answers += 1
      // Usage as the caps count it.
      const usage = credibleUsage(reading.usage ?? {}, { input: 1000, output: 1000 }, { isEmpty: false })
      for (const figure of Object.values(usage)) expect(isTokenCount(figure ?? 0)).toBe(true)
    },
    isRefusal: () => false,
  })
  expect(answers).toBeGreaterThan(10)
})

const clients = [
  ['openai-compatible', 'chat', true],
  ['openai', 'responses', false],
  ['anthropic', 'messages', true],
  ['google', 'gemini', true],
] as const

it.each(clients)(
  'takes changed streams for a reply or a failure of the provider: %s, %s',
  patience,
  async (id, dialect, endpointGiven) => {
    const definition = (await loadProvider(id, `${id}/m`)) as ProviderDefinition
    let body: Buffer = Buffer.alloc(0)
    const answer: Fetch = async () =>
      new Response(new Uint8Array(body), { status: 200, headers: { 'content-type': 'text/event-stream' } })
    const client: LanguageModelV3 = await definition.create({
      model: 'm',
      endpoint: 'http://127.0.0.1:9/v1',
      endpointGiven,
      key: 'k',
      keyVariable: 'KEY',
      token: undefined,
      apiVersion: undefined,
      structured: 'text',
      env: {},
      fetch: answer,
    })
    const context = { model: 'p/m', host: 'host', keyVariable: 'KEY', redact: (text: string) => text }
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }]
    const streams = await savedCorpus('streams')
    const { read, refused } = await fuzz({
      corpus: streams.filter(({ name }) => name.startsWith(dialect) || name.startsWith('error')),
      async parse(input) {
        body = input.bytes
        try {
          const { stream } = await client.doStream({ prompt })
          const reply = await foldStream(stream, { allowed: false, followsTools: false })
          if (reply.stop === 'stop') expect(reply.text.trim()).not.toBe('')
          for (const figure of Object.values(reply.usage)) expect(figure).toBeGreaterThanOrEqual(0)
        } catch (error) {
          if (error instanceof Error && error.name === 'AssertionError') throw error
          throw failureOf(error, context)
        }
      },
      isRefusal: error => error instanceof WorldFailure,
    })
    expect(read).toBeGreaterThan(10)
    expect(refused).toBeGreaterThan(10)
  },
)

it('loads or refuses changed configs of the Python SkillOpt', patience, async () => {
  const place = join(folder, 'configs/searchqa')
  await mkdir(place, { recursive: true })
  const { read, refused } = await fuzz({
    corpus: await savedCorpus('reference'),
    async parse({ bytes }) {
      await writeFile(join(place, 'run.yaml'), bytes)
      await loadProject({ config: 'configs/searchqa/run.yaml', env: {}, cwd: folder, trust: true })
    },
  })
  expect(read).toBeGreaterThan(10)
  expect(refused).toBeGreaterThan(10)
})

it('reads or refuses changed files of reviewed tasks', patience, async () => {
  const file = join(folder, 'tasks.yaml')
  const { read, refused } = await fuzz({
    corpus: await filesIn('sleep-tasks', '.yaml'),
    async parse({ bytes }) {
      await writeFile(file, bytes)
      await readTasksFile(file)
      await readReviewedTasks(file, folder)
    },
  })
  expect(read).toBeGreaterThan(10)
  expect(refused).toBeGreaterThan(10)
})

it('takes keys and nothing else from changed .env files', patience, async () => {
  const allowed = /KEY|TOKEN|SECRET|PASSWORD|_ID$/i
  const { read } = await fuzz({
    corpus: await savedCorpus('dot-env'),
    async parse({ bytes }) {
      await writeFile(join(folder, '.env'), bytes)
      const { taken } = await withDotEnv({}, [folder])
      for (const { name } of taken) expect(name).toMatch(allowed)
    },
    isRefusal: () => false,
  })
  expect(read).toBeGreaterThan(10)
})
