import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { worldSpec } from '../worlds/spec.js'
import { createWorld } from '../worlds/world.js'
import { type Peer, peers, runPeer } from './peers.js'

const world = createWorld(worldSpec('tiny'), 1)
const folder = await mkdtemp(join(tmpdir(), 'skillopt-peers-test-'))
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** A stand-in trainer in JavaScript with the same job file, server and result file as the Python ones. */
async function standIn(name: string, body: string): Promise<Peer> {
  const script = join(folder, `${name}.mjs`)
  await writeFile(
    script,
    `import { readFileSync, writeFileSync } from 'node:fs'
const job = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const post = async (url, body) => (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json()
const chat = (model, content) =>
  post(job.baseUrl + '/chat/completions', { model, messages: [{ role: 'user', content }] })
${body}
`,
  )
  return { name, package: 'gepa', script, mode: 'quick', optimizer: () => 'Nothing.' }
}

const options = { environment: { python: process.execPath }, seed: 3, latency: { target: 0, optimizer: 0 } }

it('reports what a trainer shipped and what it took', async () => {
  const peer = await standIn(
    'good',
    `await post(job.noteUrl, { skill: job.seedSkill })
await chat('target', job.tasks.train[0].question)
await chat('optimizer', 'What now?')
await post(job.noteUrl, { skill: 'Better.' })
const details = { seed: job.seed, budget: job.budget, concurrency: job.concurrency, splits: Object.keys(job.tasks).length }
writeFileSync(job.result, JSON.stringify({ skill: 'Better.', metricCalls: 1, details }))`,
  )
  const outcome = await runPeer(peer, world, options)
  expect(outcome).toMatchObject({
    finalSkill: 'Better.',
    metricCalls: 1,
    target: { calls: 1 },
    optimizer: { calls: 1 },
    notes: [
      { calls: 0, skill: world.seedSkill },
      { calls: 1, skill: 'Better.' },
    ],
    // Train and validation only: trainers never get the test tasks.
    details: { seed: 3, budget: 2_600, concurrency: 16, splits: 2 },
  })
})

it('reports a crashed trainer as a row', async () => {
  const peer = await standIn(
    'crash',
    "process.stderr.write('Starting\\nRuntimeError: no luck\\n'); process.exit(1)",
  )
  expect(await runPeer(peer, world, options)).toEqual({ failed: 'failed: RuntimeError: no luck' })
})

it('discards the result of a trainer that continued without a reply', async () => {
  const peer = await standIn(
    'careless',
    `await chat('gpt-5', 'Hello')
writeFileSync(job.result, JSON.stringify({ skill: job.seedSkill, metricCalls: 0, details: {} }))`,
  )
  const failed = 'failed: There is no model "gpt-5" here: target, optimizer.'
  expect(await runPeer(peer, world, options)).toEqual({ failed })
})

it('stops a trainer that takes too long', async () => {
  const peer = await standIn('slow', 'setTimeout(() => undefined, 60_000)')
  expect(await runPeer(peer, world, { ...options, seconds: 1 })).toEqual({
    failed: 'failed: not finished after 1 s',
  })
})

it('says which peers are not installed', async () => {
  const [peer] = peers
  if (peer === undefined) throw new Error('There are no peers.')
  const problem = 'skillopt 0.2.0 is not installed: there is no python3'
  expect(await runPeer(peer, world, { ...options, environment: { problem } })).toEqual({
    failed: `failed: ${problem}`,
  })
  expect(await runPeer(peer, world, { ...options, environment: undefined })).toEqual({
    failed: 'failed: skillopt is not installed',
  })
})
