import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeAgent } from '../../../../test/support/fake-agent.js'
import type { ModelRequest } from '../../../core/ports/model.js'
import type { AgentDefinition, AgentJob } from './definition.js'
import { createAgentModel } from './model.js'
import { defaultLimits } from './process.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-model-'))
  await mkdir(root, { recursive: true })
})
afterEach(async () => {
  expect(await readdir(root)).toEqual([])
  await rm(root, { recursive: true })
})

const never = new AbortController().signal

/** Returns the job that the agent gets and the reply that it gives. */
async function ask(request: ModelRequest, changed: Partial<AgentDefinition> = {}) {
  const jobs: AgentJob[] = []
  const agent = fakeAgent('answers')
  const watched: AgentDefinition = {
    ...agent,
    ...changed,
    prepare: (job, place) => {
      jobs.push(job)
      return agent.prepare(job, place)
    },
  }
  const model = createAgentModel(
    watched,
    {
      program: process.execPath,
      model: 'small',
      effort: 'low',
      endpoint: 'http://127.0.0.1:1',
      key: 'secret-key',
      env: { PATH: process.env.PATH, HOME: root },
      access: 'workspace',
      inherit: false,
      limits: { ...defaultLimits, seconds: 20, tokens: 1000 },
      root,
    },
    {
      id: 'fake/small',
      maxOutputTokens: 10,
      price: undefined,
      agent: { title: 'Fake agent', version: '1', ownTokens: 5, isBounded: true, warnings: [] },
    },
  )
  return { model, jobs, reply: await model.generate(request, never) }
}

it('asks with every tool off, the rules apart from the question', async () => {
  const { jobs, reply, model } = await ask({
    messages: [
      { role: 'system', text: 'You judge.' },
      { role: 'user', text: 'Is it right?' },
    ],
  })
  expect(jobs).toMatchObject([
    {
      kind: 'chat',
      instructions: 'You judge.',
      skill: undefined,
      tools: undefined,
      hasWorkspace: false,
      effort: 'low',
      access: 'workspace',
      prompt: [{ type: 'text', text: 'Is it right?' }],
    },
  ])
  expect(reply).toMatchObject({ text: 'answer to: Is it right?', stop: 'stop' })
  expect(JSON.stringify(model.parameters)).not.toContain('secret-key')
})

it('quotes earlier messages, and asks for JSON in words', async () => {
  const schema = { name: 'verdict', schema: { type: 'object' } }
  const { jobs } = await ask({
    messages: [
      { role: 'user', text: 'Is it right?' },
      { role: 'assistant', text: 'Perhaps.' },
      { role: 'user', text: 'As JSON.' },
    ],
    schema,
    effort: 'high',
  })
  expect(jobs[0]?.effort).toBe('high')
  const text = jobs[0]?.prompt.map(part => (part.type === 'text' ? part.text : '')).join('\n') ?? ''
  expect(text).toBe(
    [
      'What was said before:',
      '<user>\nIs it right?\n</user>',
      '<assistant>\nPerhaps.\n</assistant>',
      'What is asked now:',
      'As JSON.',
      'Reply with one JSON object that fits this JSON schema, and with nothing else:\n\n{"type":"object"}',
    ].join('\n'),
  )
})

it.each([
  ['output-limit', 'length'],
  ['refusal', 'content-filter'],
  ['context-overflow', 'context-overflow'],
] as const)('stops for %s as %s', async (stop, expected) => {
  const read = () => ({ messages: [], usage: {}, skipped: 0, answer: '', stop })
  const { reply } = await ask({ messages: [{ role: 'user', text: 'Well?' }] }, { read })
  expect(reply.stop).toBe(expected)
})

it('hands a failure on', async () => {
  const read = () => ({
    messages: [],
    usage: {},
    skipped: 0,
    failure: { kind: 'quota', message: 'usage limit reached', retryable: false } as const,
  })
  await expect(ask({ messages: [{ role: 'user', text: 'Well?' }] }, { read })).rejects.toMatchObject({
    kind: 'quota',
    message: 'Fake agent: usage limit reached',
  })
})
