import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHarness } from '../src/agents/chat/chat.js'
import { keepHeapSmall } from '../src/cli/terminal/heap.js'
import { configSchema, resolveModel } from '../src/core/config/config.js'
import type { Environment } from '../src/core/ports/environment.js'
import type { Model } from '../src/core/ports/model.js'
import type { Task } from '../src/core/task/task.js'
import { closeModels, createModel } from '../src/models/index.js'
import { createSandbox } from '../src/sandbox/index.js'
import { inSession } from '../src/session/session.js'
import { createGate } from '../src/trainer/gates/strict.js'
import { evaluateOnce } from '../src/trainer/loops/evaluation.js'
import type { Setup } from '../src/trainer/loops/setup.js'
import { loadPrompts } from '../src/trainer/stages/prompts.js'

/**
 * Runs one evaluation in its own process, so that peak memory can be compared: `evaluate-worker COUNT
 * [ENDPOINT]`. A full session as a user would run it: lock, log and blobs on disk, pool, budget, view, and
 * the run's files.
 */

const [count = '1000', endpoint] = process.argv.slice(2)
// As the command line does.
keepHeapSmall()

type Sum = Task & { readonly question: string; readonly answer: string }

const sums = (length: number): Sum[] =>
  Array.from({ length }, (_, index) => ({
    id: `task-${index}`,
    type: index % 2 === 0 ? 'even' : 'odd',
    question: `A shelf holds ${index} parcels and ${index % 97} more arrive before noon. How many are there then?`,
    answer: String(index + (index % 97)),
  }))
const tasks = sums(Number(count))

const environment: Environment<Sum> = {
  id: 'sums',
  needs: ['chat'],
  tasks: async () => tasks,
  open: async task => ({
    instructions: 'Answer the question. Put the final answer into <answer></answer>.',
    prompt: task.question,
    skillAt: 'system',
    tools: [],
    turnLimit: 1,
    close: async () => undefined,
  }),
  score: async (task, { answer }) => {
    const hard = answer === `<answer>${task.answer}</answer>` ? 1 : 0
    return { hard, soft: hard, feedback: `Expected ${task.answer}.` }
  },
}

/** About the size of a skill after some training. */
const skill = Array.from(
  { length: 30 },
  (_, index) => `- Rule ${index}: count what is there first, then add what arrives, and check the sum once.`,
).join('\n')

const config = configSchema.parse({
  environment: { use: 'sums' },
  models: { target: modelConfig('target'), optimizer: modelConfig('optimizer') },
})

function modelConfig(name: string) {
  return { model: `openai-compatible/${name}`, endpoint: endpoint ?? 'http://127.0.0.1:1/v1' }
}

/** A model without latency, so that only our own overhead is measured. */
const instant: Model = {
  id: 'instant/target',
  parameters: {},
  maxOutputTokens: 4096,
  price: { input: 0, output: 0 },
  generate: async () => ({ text: '<answer>42</answer>', stop: 'stop', usage: { input: 700, output: 5 } }),
}

const target =
  endpoint === undefined
    ? instant
    : await createModel(resolveModel(config.models.target, 'target'), { env: {} })
const setup: Setup = {
  name: 'overhead',
  config,
  skill,
  tasks: { train: [], val: [], test: tasks },
  environment: environment as unknown as Environment,
  harness: createHarness(),
  sandbox: createSandbox('auto'),
  models: { target, optimizer: instant },
  gate: createGate,
  finalGate: createGate,
  prompts: await loadPrompts(),
  fingerprints: {},
  simulated: true,
}

const identity = { kind: 'eval', name: 'overhead', sources: {}, epochs: 0, stepsPerEpoch: 0 } as const
const concurrency = 2 * resolveModel(config.models.target, 'target').concurrency

async function evaluate(chosen: readonly Sum[]) {
  const directory = await mkdtemp(join(tmpdir(), 'skillopt-overhead-'))
  const began = performance.now()
  try {
    const { value } = await inSession(setup, { directory, identity }, async run => {
      const place = { stage: 'test', epoch: 0, step: 0 } as const
      const start = performance.now()
      const cpu = process.cpuUsage()
      const score = ({ hard }: { hard: number }) => hard
      const { scored } = await evaluateOnce(
        { run, setup, score, concurrency },
        { skill, split: 'test', tasks: chosen, place },
      )
      if (scored !== chosen.length) throw new Error(`Only ${scored} of ${chosen.length} were scored.`)
      const { user, system } = process.cpuUsage(cpu)
      return { workMs: performance.now() - start, cpuMs: (user + system) / 1000 }
    })
    if (value === undefined) throw new Error('The evaluation did not come to its end.')
    return { ...value, sessionMs: performance.now() - began }
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

// The JIT compiler works during the first few thousand attempts; the time of the first 1,000 is reported
// separately.
const cold = await evaluate(sums(1000))
await evaluate(sums(4000))
const warm = await evaluate(tasks)
await closeModels()
console.log(
  JSON.stringify({
    attempts: tasks.length,
    ...warm,
    coldMs: cold.workMs,
    peak: process.resourceUsage().maxRSS * 1024,
  }),
)
