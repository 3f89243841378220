import { afterEach, expect, it } from 'vitest'
import { countTokens } from '../../src/simulated/wire.js'
import { worldSpec } from '../worlds/spec.js'
import { createWorld } from '../worlds/world.js'
import type { OptimizerRequest } from './optimizer.js'
import { scoresAt } from './scores.js'
import { type PeerServer, startPeerServer } from './server.js'

const world = createWorld(worldSpec('tiny'), 1)
const [trainTask] = world.tasks.train
const [testTask] = world.tasks.test
if (trainTask === undefined || testTask === undefined) throw new Error('The world has no tasks.')

const servers: PeerServer[] = []
afterEach(() => Promise.all(servers.splice(0).map(server => server.close())))

async function start(asked: OptimizerRequest[] = []): Promise<PeerServer> {
  const server = await startPeerServer({
    world,
    latency: { target: 0, optimizer: 0 },
    optimizer: (_, request) => {
      asked.push(request)
      if (request.user === 'nonsense') throw new Error('The optimizer does not know this prompt.')
      return 'advice'
    },
  })
  servers.push(server)
  return server
}

async function post(server: PeerServer, path: string, body: object) {
  const response = await fetch(new URL(path, server.url), { method: 'POST', body: JSON.stringify(body) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const chat = (server: PeerServer, model: string, user: string, more: object = {}) =>
  post(server, '/v1/chat/completions', {
    model,
    messages: [
      { role: 'system', content: world.seedSkill },
      { role: 'user', content: user },
    ],
    ...more,
  })

it('answers as the world does, with usage', async () => {
  const server = await start()
  const more = { stream: false, max_completion_tokens: 100, response_format: { type: 'text' } }
  const { status, body } = await chat(server, 'target', trainTask.question, more)
  const content = world.reply(`${world.seedSkill}\n\n${trainTask.question}`, 0)
  const prompt = countTokens(world.seedSkill) + countTokens(trainTask.question)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    object: 'chat.completion',
    choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: countTokens(content),
      total_tokens: prompt + countTokens(content),
    },
  })
})

it('draws anew when a request is repeated, and the same again for the same seed', async () => {
  const server = await start()
  const contentOf = async (more?: object) => {
    const { body } = await chat(server, 'target', trainTask.question, more)
    return JSON.stringify(body.choices)
  }
  const expected = (sample: number) => world.reply(`${world.seedSkill}\n\n${trainTask.question}`, sample)
  expect(await contentOf()).toContain(expected(0))
  expect(await contentOf()).toContain(expected(1))
  expect(await contentOf({ seed: 7 })).toContain(expected(7))
  expect(await contentOf({ seed: 7 })).toContain(expected(7))
})

it('counts calls by role, and those for test tasks apart', async () => {
  const server = await start()
  await chat(server, 'target', trainTask.question)
  await chat(server, 'target', testTask.question)
  await chat(server, 'optimizer', 'What now?')
  const response = await fetch(new URL('/stats', server.url))
  expect(await response.json()).toMatchObject({
    target: { calls: 1, promptTokens: countTokens(world.seedSkill) + countTokens(trainTask.question) },
    test: { calls: 1 },
    optimizer: { calls: 1, completionTokens: countTokens('advice') },
    problems: [],
  })
})

it('passes instructions and evidence to the optimizer separately', async () => {
  const asked: OptimizerRequest[] = []
  const server = await start(asked)
  await chat(server, 'optimizer', 'What now?')
  await chat(server, 'optimizer', 'What now?')
  expect(asked).toEqual([
    { system: world.seedSkill, user: 'What now?', sample: 0 },
    { system: world.seedSkill, user: 'What now?', sample: 1 },
  ])
})

it('stamps notes with the training calls before them, and scores what would have shipped', async () => {
  const server = await start()
  await post(server, '/note', { skill: world.seedSkill })
  await chat(server, 'target', trainTask.question)
  await chat(server, 'target', testTask.question)
  const [topic] = world.topics
  const better = `${world.seedSkill}- For a ${topic?.word} ticket, take the code from the ${topic?.right} column.\n`
  await post(server, '/note', { skill: better })
  const { notes } = server.stats()
  expect(notes.map(({ calls, skill }) => ({ calls, skill }))).toEqual([
    { calls: 0, skill: world.seedSkill },
    { calls: 1, skill: better },
  ])
  expect(scoresAt(world, notes, [0, 1, 2_000])).toEqual([
    world.trueScore(world.seedSkill),
    world.trueScore(better),
    world.trueScore(better),
  ])
  expect(world.trueScore(better)).toBeGreaterThan(world.trueScore(world.seedSkill))
})

it('records what it could not answer', async () => {
  const server = await start()
  expect(await chat(server, 'optimizer', 'nonsense')).toMatchObject({ status: 400 })
  expect(await chat(server, 'gpt-5', 'Hello')).toMatchObject({ status: 400 })
  expect(await chat(server, 'target', 'Hello', { stream: true })).toMatchObject({ status: 400 })
  expect(await post(server, '/v1/responses', {})).toMatchObject({ status: 404 })
  expect(server.stats()).toMatchObject({
    target: { calls: 0 },
    optimizer: { calls: 0 },
    problems: [
      'The optimizer does not know this prompt.',
      'There is no model "gpt-5" here: target, optimizer.',
      'Streaming is not supported; send "stream": false.',
      'There is no POST /v1/responses here.',
    ],
  })
})
