import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import type { ChatReply, ChatRequest, LoopbackServer } from '../../src/testing/index.js'
import {
  type Finished,
  filesOf,
  jsonOf,
  parcelServer,
  resultOf,
  skillopt,
  temporaryFolder,
} from './support.js'

/** A project of the Python package, with its YAML, variables and SearchQA items, trained unchanged. */

const fixture = fileURLToPath(new URL('../fixtures/searchqa', import.meta.url))

const content = (request: ChatRequest, role: string) =>
  request.messages
    .filter(message => message.role === role)
    .map(message => String(message.content))
    .join('\n')

/** Finds the sentence that shares words with the question, and answers as briefly as the skill demands. */
function reader(request: ChatRequest): ChatReply {
  const [, results = '', question = ''] =
    /Search results:\n([\s\S]*)\n\nQuestion: (.*)/.exec(content(request, 'user')) ?? []
  const words = new Set(question.toLowerCase().match(/\w{4,}/g))
  const shared = (sentence: string) =>
    (sentence.toLowerCase().match(/\w{4,}/g) ?? []).filter(word => words.has(word)).length
  const sentence =
    results.split(/\[PAR\]|\[DOC\]/).sort((left, right) => shared(right) - shared(left))[0] ?? ''
  const name =
    /(?:called|named) ((?:the )?[A-Z]\S*(?: (?:the )?[A-Z]\w*)*|\w+)/.exec(sentence)?.[1] ?? 'unknown'
  const answer = /name alone/.test(content(request, 'system'))
    ? name.replace(/\.$/, '')
    : `I think it is ${name}`
  return { content: `Let me see.\n<answer>${answer}</answer>` }
}

const replies: Readonly<Record<string, object>> = {
  analyst_failure: {
    failure_summary: [{ failure_type: 'wordy', count: 2, description: 'more than the name' }],
    patch: {
      reasoning: 'too many words',
      edits: [{ op: 'append', content: '- Answer with the name alone.' }],
    },
  },
  analyst_success: { success_patterns: ['short'], patch: { reasoning: 'nothing to add', edits: [] } },
  merge: {
    reasoning: 'all the same',
    edits: [
      { op: 'append', content: '- Answer with the name alone.', support_count: 4, source_type: 'failure' },
    ],
  },
  rank: { reasoning: 'one is enough', selected_indices: [0] },
  slow_update: { reasoning: 'it held', slow_update_content: 'Keep answers short.' },
  meta_skill: { reasoning: 'it held', meta_skill_content: 'Rules about length help.' },
}

function advisor(request: ChatRequest): ChatReply {
  const format = request.response_format as { json_schema?: { name: string } } | undefined
  return { content: JSON.stringify(replies[format?.json_schema?.name ?? '']) }
}

let cwd: string
let target: LoopbackServer
let optimizer: LoopbackServer
let env: Record<string, string>
let trained: Finished

const theirs = ['--config', 'configs/searchqa/theirs.yaml']
const overrides = ['train.num_epochs=2', 'optimizer.learning_rate=2', 'optimizer.lr_scheduler=constant']

beforeAll(async () => {
  cwd = await temporaryFolder()
  await cp(fixture, cwd, { recursive: true })
  target = await parcelServer({ respond: reader, apiKey: 'key-of-qwen', keepLog: true })
  optimizer = await parcelServer({ respond: advisor, apiKey: 'key-of-the-other', keepLog: true })
  env = {
    QWEN_CHAT_BASE_URL: `${target.url}/v1`,
    QWEN_CHAT_API_KEY: 'key-of-qwen',
    OPENAI_COMPATIBLE_BASE_URL: `${optimizer.url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: 'key-of-the-other',
    OPENAI_COMPATIBLE_MODEL: 'advisor-large',
  }
  trained = await skillopt(
    ['train', ...theirs, '--cfg-options', ...overrides, '--out', 'out/first', '--yes'],
    { cwd, env },
  )
})

it('trains to the end', async () => {
  expect(trained).toMatchObject({ code: 0, stderr: '' })
  const summary = await jsonOf(join(cwd, 'out/first'), 'summary.json')
  expect(summary).toMatchObject({ outcome: 'finished', simulated: false, epochs: 2, stepsPerEpoch: 2 })
  const tests = summary.tests.map(({ which, hard }: { which: string; hard: number }) => [which, hard])
  expect(Object.fromEntries(tests)).toEqual({ initial: 0, best: 1, last: 1 })
  expect((await resultOf(join(cwd, 'out/first'))).best).toContain('- Answer with the name alone.')
})

it('honours their keys: the file overrides its base, the command line overrides the file', async () => {
  expect(await jsonOf(join(cwd, 'out/first'), 'config.json')).toMatchObject({
    environment: { use: 'searchqa' },
    train: { epochs: 2, batchSize: 4, seed: 42 },
    reflect: { minibatchSize: 2, mergeBatchSize: 8 },
    optimizer: { learningRate: 2, minLearningRate: 2, schedule: 'constant', slowUpdate: { accept: 'gated' } },
    evaluation: { metric: 'hard', gate: 'strict' },
    models: { target: { concurrency: 4 }, optimizer: { concurrency: 16 } },
  })
  expect(trained.stdout).toMatch(/train\.num_epochs -> train\.epochs = 2/)
  const { stdout } = await skillopt(['show', 'out/first', '--sources'], { cwd })
  expect(stdout).toMatch(/train\.epochs\s+2\s+flag --cfg-options train\.num_epochs/)
  expect(stdout).toMatch(/train\.batchSize\s+4\s+file theirs\.yaml:\d+/)
  expect(stdout).toMatch(/train\.seed\s+42\s+file \.\.\/_base_\/default\.yaml:\d+/)
})

it('calls each backend as its variables say', () => {
  const bodies = (server: LoopbackServer) => server.log.map(record => record.body)
  expect(target.counters.statuses).toEqual({ 200: target.counters.requests })
  expect(optimizer.counters.statuses).toEqual({ 200: optimizer.counters.requests })
  expect(optimizer.counters.requests).toBeGreaterThan(8)
  for (const body of bodies(target)) {
    expect(body).toMatchObject({
      model: 'Qwen/Qwen3.5-4B',
      temperature: 0.7,
      chat_template_kwargs: { enable_thinking: false },
    })
  }
  for (const body of bodies(optimizer)) expect(body).toMatchObject({ model: 'advisor-large' })
})

it('keeps their keys out of everything', async () => {
  const texts = [trained.stdout, trained.stderr, ...Object.values(await filesOf(join(cwd, 'out')))]
  for (const text of texts) expect(text).not.toMatch(/key-of-/)
})

it('resumes with the same command, and pays nothing once finished', async () => {
  const before = target.counters.requests + optimizer.counters.requests
  const args = ['train', ...theirs, '--cfg-options', ...overrides, '--out', 'out/first', '--yes']
  expect(await skillopt(args, { cwd, env })).toMatchObject({ code: 0, stderr: '' })
  expect(target.counters.requests + optimizer.counters.requests).toBe(before)
})

it('takes the flags of their own command line for the very same settings', async () => {
  const before = target.counters.requests + optimizer.counters.requests
  const flags = ['--num_epochs', '2', '--edit_budget=2', '--lr_scheduler', 'constant', '--workers', '4']
  const args = ['train', ...theirs, ...flags, '--out_root', 'out/first', '--yes']
  const again = await skillopt(args, { cwd, env })
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toContain('optimizer.learning_rate -> optimizer.learningRate = 2')
  expect(target.counters.requests + optimizer.counters.requests).toBe(before)
  const wrong = await skillopt(['train', ...theirs, '--num_epoch', '2'], { cwd, env })
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('did you mean --num_epochs?')
})

it('evaluates with their names of the splits', async () => {
  const args = [
    'eval',
    ...theirs,
    '--skill',
    'out/first/best_skill.md',
    '--split',
    'valid_unseen',
    '--yes',
    '--json',
  ]
  const { code, stdout } = await skillopt(args, { cwd, env })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).splits).toMatchObject([{ split: 'test', hard: 1, scored: 6, failed: 0 }])
})
