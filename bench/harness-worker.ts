import { AsyncLocalStorage } from 'node:async_hooks'
import childProcess from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadAgent } from '../src/agents/registry/harnesses.js'
import type { AgentDefinition } from '../src/agents/shared/harness/definition.js'
import { createAgentHarness } from '../src/agents/shared/harness/harness.js'
import { keepHeapSmall } from '../src/cli/terminal/heap.js'
import { configSchema } from '../src/core/config/config.js'
import type { Harness } from '../src/core/ports/harness.js'
import type { Model } from '../src/core/ports/model.js'
import { createSandbox } from '../src/sandbox/index.js'
import { inSession } from '../src/session/session.js'
import { createGate } from '../src/trainer/gates/strict.js'
import { evaluateOnce } from '../src/trainer/loops/evaluation.js'
import type { Setup } from '../src/trainer/loops/setup.js'
import { loadPrompts } from '../src/trainer/stages/prompts.js'
import { startByHand } from './harness-by-hand.js'
import {
  environmentOf,
  type HarnessJob,
  type MeasuredAttempt,
  type MeasuredJob,
  settingsOf,
  skill,
} from './harness-job.js'

/**
 * Runs attempts with an agent in its own process, so that memory is separate: `harness-worker JOB`, with a
 * `HarnessJob` as JSON. Prints a `MeasuredJob`. Through the harness it is a full session as a user would run
 * it: lock, log and blobs on disk, pool, budget, and every attempt scored.
 */

const job = JSON.parse(process.argv[2] ?? '{}') as HarnessJob
keepHeapSmall()

/** Tracks the process time per attempt, because several attempts run concurrently. */
const clock = new AsyncLocalStorage<{ agentMs: number }>()
const { spawn } = childProcess
childProcess.spawn = ((...given: Parameters<typeof spawn>) => {
  const ofAttempt = clock.getStore()
  const began = performance.now()
  const child = spawn(...given)
  child.once('exit', () => {
    if (ofAttempt !== undefined) ofAttempt.agentMs += performance.now() - began
  })
  return child
}) as typeof spawn
// Updates named imports of the module as well.
syncBuiltinESMExports()

function timed(harness: Harness, onMeasured: (attempt: MeasuredAttempt) => void): Harness {
  return {
    ...harness,
    async run({ call, ...rest }, signal) {
      const mine = { agentMs: 0 }
      const began = performance.now()
      const before = process.cpuUsage()
      const trajectory = await harness.run(
        {
          ...rest,
          call: (request, turn, worker) =>
            call(request, turn, worker && (stop => clock.run(mine, () => worker(stop)))),
        },
        signal,
      )
      const { user, system } = process.cpuUsage(before)
      onMeasured({ wallMs: performance.now() - began, ...mine, cpuMs: (user + system) / 1000 })
      return trajectory
    },
  }
}

/** Never called: the agent uses its own model. */
const model: Model = {
  id: `${job.agent}/${job.model}`,
  parameters: {},
  maxOutputTokens: 4096,
  price: { input: 0, output: 0 },
  generate: () => Promise.reject(new Error('The model of the benchmark was asked.')),
}

async function throughHarness(definition: AgentDefinition, count: number): Promise<MeasuredJob> {
  const attempts: MeasuredAttempt[] = []
  const { endpoint, concurrency } = job
  const named = { model: 'openai-compatible/never-asked', endpoint, concurrency }
  const tasks = Array.from({ length: count }, (_, index) => ({ id: `order-${index}` }))
  const setup: Setup = {
    name: 'harness',
    config: configSchema.parse({
      environment: { use: 'orders' },
      models: { target: named, optimizer: named },
    }),
    skill,
    tasks: { train: [], val: [], test: tasks },
    environment: environmentOf(definition, path => readFile(path, 'utf8')),
    harness: timed(createAgentHarness(definition, settingsOf(job)), attempt => attempts.push(attempt)),
    sandbox: createSandbox('auto'),
    models: { target: model, optimizer: model },
    gate: createGate,
    finalGate: createGate,
    prompts: await loadPrompts(),
    fingerprints: {},
    simulated: true,
  }
  const identity = { kind: 'eval', name: 'harness', sources: {}, epochs: 0, stepsPerEpoch: 0 } as const
  const directory = await mkdtemp(join(tmpdir(), 'skillopt-harness-'))
  try {
    const { value, error } = await inSession(setup, { directory, identity }, async run => {
      const place = { stage: 'test', epoch: 0, step: 0 } as const
      const score = ({ hard }: { hard: number }) => hard
      const needs = { run, setup, score, concurrency }
      const stop = startClock()
      const { hard } = await evaluateOnce(needs, { skill, split: 'test', tasks, place })
      if (hard !== 1) throw new Error(`Some of the ${count} attempts did not do what they were told.`)
      return stop()
    })
    if (value === undefined) throw error ?? new Error('The attempts did not come to their end.')
    return { attempts, ...value }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function byHand(definition: AgentDefinition): Promise<MeasuredJob> {
  const { attempts, concurrency } = job
  const each = Math.ceil(attempts / concurrency)
  const stop = startClock()
  const lanes = Array.from({ length: concurrency }, () => startByHand(definition, job, each))
  const measured = (await Promise.all(lanes)).flat()
  return { attempts: measured, ...stop() }
}

function startClock(): () => Omit<MeasuredJob, 'attempts'> {
  const began = performance.now()
  return () => ({ workMs: performance.now() - began, peak: process.resourceUsage().maxRSS * 1024 })
}

const definition = await loadAgent(job.agent)
if (definition === undefined) throw new Error(`There is no agent "${job.agent}".`)
// Warm up: the first attempts load our code and the agent's files into memory.
if (job.way === 'harness') await throughHarness(definition, 2)
const measured =
  job.way === 'harness' ? await throughHarness(definition, job.attempts) : await byHand(definition)
console.log(JSON.stringify(measured))
