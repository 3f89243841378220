import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as readStream } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/log/event.js'
import {
  eventsOf,
  type Finished,
  filesOf,
  jsonOf,
  ofType,
  put,
  skillopt,
  temporaryFolder,
} from './support.js'

/**
 * Compares a run's claims about its calls with the observations of a server that shares no code with this
 * product: it is written from OpenAI's description of Chat Completions, and counts independently.
 */

const secret = 'hk-4711-the-key-of-the-honesty-test'

interface Seen {
  readonly model: string
  readonly messages: readonly { role: string; content: string }[]
  readonly reply: string
  readonly usage: { input: number; output: number; cached: number } | undefined
}

const seen: Seen[] = []
let strangers = 0

function answer(model: string, body: Record<string, unknown>, messages: Seen['messages']): string {
  const whole = messages.map(message => message.content).join('\n')
  if (model === 'echo') {
    const word = /Say the word (\w+)/.exec(messages.at(-1)?.content ?? '')?.[1] ?? ''
    return /twice/.test(messages[0]?.content ?? '') ? `${word} ${word}` : word
  }
  const format = body.response_format as { json_schema?: { name?: string } } | undefined
  switch (format?.json_schema?.name) {
    case 'analyst_failure': {
      const rule = { op: 'append', content: '- Say the word twice.' }
      const noise = { op: 'append', content: `- Remember ${whole.length % 7}.` }
      const failure_summary = [{ failure_type: 'said once', count: 1, description: 'they want it twice' }]
      return JSON.stringify({
        failure_summary,
        patch: { reasoning: 'once is not enough', edits: [rule, noise] },
      })
    }
    case 'analyst_success':
      return JSON.stringify({ success_patterns: ['short'], patch: { reasoning: 'fine', edits: [] } })
    case 'merge': {
      const edit = { op: 'append', content: '- Say the word twice.', support_count: 2, from: [0] }
      return `Here it is: ${JSON.stringify({ reasoning: 'same', edits: [edit] })}`
    }
    case 'rank':
      return JSON.stringify({ reasoning: 'first', selected_indices: [0] })
    case 'slow_update':
      return JSON.stringify({ reasoning: 'stable', slow_update_content: 'Go on saying words twice.' })
    case 'meta_skill':
      return JSON.stringify({ reasoning: 'note', meta_skill_content: 'Short rules helped.' })
    default:
      return 'I was not told what to return.'
  }
}

const server = createServer((request, response) => void serve(request, response))

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(await readStream(request)) as Record<string, unknown>
  if (request.url !== '/api/v1/chat/completions' || request.headers.authorization !== `Bearer ${secret}`) {
    strangers += 1
    response.writeHead(404).end()
    return
  }
  const messages = body.messages as Seen['messages']
  const model = String(body.model)
  const reply = answer(model, body, messages)
  const number = seen.length
  // Numbers that counting characters could not produce; every ninth call omits usage, as some servers do.
  const usage =
    number % 9 === 8
      ? undefined
      : { input: 101 + 7 * messages.length + (number % 13), output: 11 + (number % 5), cached: number % 17 }
  seen.push({ model, messages, reply, usage })
  const said = usage && {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
  }
  const head = { id: `c${number}`, created: 1_700_000_000, model }
  if (body.stream !== true) {
    const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: reply } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices: [choice], usage: said }))
    return
  }
  const event = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`)
  const chunk = (delta: object, finish_reason: string | null) =>
    event({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const middle = reply.length >> 1
  chunk({ role: 'assistant', content: reply.slice(0, middle) }, null)
  chunk({ content: reply.slice(middle) }, null)
  chunk({}, 'stop')
  if (said) event({ ...head, object: 'chat.completion.chunk', choices: [], usage: said })
  response.end('data: [DONE]\n\n')
}

const words = (letters: string) => [...letters].map(letter => `${letter}pple${letter}`)
const lines = (split: string, letters: string) =>
  words(letters)
    .map(word => ({ id: `${split}-${word}`, question: `Say the word ${word}.`, answer: `${word} ${word}` }))
    .map(task => `${JSON.stringify(task)}\n`)
    .join('')

let directory: string
let output: Finished
let events: RunEvent[]
let texts: Map<string, string>

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const cwd = await temporaryFolder()
  await put(cwd, 'words/train.jsonl', lines('train', 'abcdefgh'))
  await put(cwd, 'words/val.jsonl', lines('val', 'ijklmn'))
  await put(cwd, 'words/test.jsonl', lines('test', 'opqrst'))
  await put(cwd, 'words/SKILL.md', '# Words\n\nAnswer with the word alone.\n')
  await put(
    cwd,
    'words/skillopt.yaml',
    `environment: { train: train.jsonl, val: val.jsonl, test: test.jsonl, scorer: exact, instructions: "Say it." }
models:
  target: { model: openai-compatible/echo, endpoint: "${endpoint}", apiKeyEnv: HONEST_KEY }
  optimizer: { model: openai-compatible/thinker, endpoint: "${endpoint}", apiKeyEnv: HONEST_KEY, stream: true }
train: { loop: steps, epochs: 2, batchSize: 4 }
evaluation: { gate: guarded }
reflect: { minibatchSize: 2 }
optimizer: { learningRate: 1, minLearningRate: 1 }
`,
  )
  output = await skillopt(['train', 'words', '--out', 'run', '--yes'], { cwd, env: { HONEST_KEY: secret } })
  directory = join(cwd, 'run')
  events = await eventsOf(directory)
  const blobs = (await filesOf(directory))['blobs.jsonl'] ?? ''
  const entries = blobs.split('\n').filter(line => line !== '')
  texts = new Map(entries.map(line => JSON.parse(line)).map(({ hash, text }) => [hash, text]))
})
afterAll(() => new Promise(resolve => server.close(resolve)))

const byText = (left: string, right: string) => (left < right ? -1 : 1)
const textOfMessage = ({ text, blob }: { text?: string | undefined; blob?: string | undefined }) =>
  text ?? texts.get(blob ?? '') ?? 'a text that is nowhere'

it('trains by config alone on a server that is not ours', async () => {
  expect(output.stderr).toBe('')
  expect(output.code).toBe(0)
  const summary = await jsonOf(directory, 'summary.json')
  expect(summary.outcome).toBe('finished')
  const score = (which: string) => summary.tests.find((test: { which: string }) => test.which === which).score
  expect([score('none'), score('initial'), score('best')]).toEqual([0, 0, 1])
})

it('claims the calls that the server saw, no more and no fewer', () => {
  expect(strangers).toBe(0)
  expect(seen.length).toBeGreaterThan(40)
  expect(ofType(events, 'call.started')).toHaveLength(seen.length)
  expect(ofType(events, 'call.finished')).toHaveLength(seen.length)
  const named = ofType(events, 'call.finished').map(({ body }) => body.model)
  expect(named.sort(byText)).toEqual(seen.map(({ model }) => `openai-compatible/${model}`).sort(byText))
})

it('claims the prompts and replies that the server saw, word for word', () => {
  const claimed = ofType(events, 'call.finished').map(({ body }) => ({
    messages: body.messages.map(message => ({ role: message.role, content: textOfMessage(message) })),
    reply: textOfMessage(body.reply),
  }))
  const served = seen.map(({ messages, reply }) => ({
    messages: messages.map(({ role, content }) => ({ role, content })),
    reply,
  }))
  const sorted = (list: readonly unknown[]) => list.map(one => JSON.stringify(one)).sort(byText)
  expect(sorted(claimed)).toEqual(sorted(served))
})

it('claims the tokens that the server reported, and marks unreported usage', async () => {
  const sum = (of: (usage: NonNullable<Seen['usage']>) => number) =>
    seen.reduce((total, { usage }) => total + (usage === undefined ? 0 : of(usage)), 0)
  const silent = seen.filter(({ usage }) => usage === undefined).length
  expect(silent).toBeGreaterThan(5)
  const told = { input: sum(u => u.input), output: sum(u => u.output), cachedInput: sum(u => u.cached) }

  const usages = ofType(events, 'call.finished').map(({ body }) => body.usage)
  const logged = (of: 'input' | 'output' | 'cachedInput') =>
    usages.reduce((total, usage) => total + (usage[of] ?? 0), 0)
  expect({ input: logged('input'), output: logged('output'), cachedInput: logged('cachedInput') }).toEqual(
    told,
  )
  expect(usages.filter(usage => usage.input === undefined)).toHaveLength(silent)

  const { spending } = await jsonOf(directory, 'summary.json')
  expect(spending.total).toMatchObject({ calls: seen.length, ...told, unknownUsage: silent })
  const shown = (number: number) => `≥ ${number.toLocaleString('en-US')}`
  for (const number of Object.values(told)) expect(output.stdout).toContain(shown(number))
  expect(output.stdout).toMatch(new RegExp(`${silent} calls without usage`))
  expect(output.stdout).toMatch(/cost unknown/)
})

it('keeps the key out of every file and all output', async () => {
  for (const [name, content] of Object.entries(await filesOf(directory)))
    expect(content, name).not.toContain(secret)
  expect(output.stdout + output.stderr).not.toContain(secret)
})
