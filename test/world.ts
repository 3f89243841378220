import { readFile } from 'node:fs/promises'
import { createHarness } from '../src/agents/chat/chat.js'
import { type ConfigInput, configSchema } from '../src/core/config/config.js'
import type { RunEvent } from '../src/core/log/event.js'
import type { Environment } from '../src/core/ports/environment.js'
import type { Model, Role } from '../src/core/ports/model.js'
import type { RunStore } from '../src/core/ports/store.js'
import { attemptRate } from '../src/core/task/reward.js'
import type { Task } from '../src/core/task/task.js'
import { Budget } from '../src/run/budget.js'
import { CallPool } from '../src/run/pool.js'
import { createRun } from '../src/run/run.js'
import { type Character, usualCharacter } from '../src/simulated/character.js'
import { answerSimulated } from '../src/simulated/responder.js'
import { countTokens } from '../src/simulated/wire.js'
import { generateSplits } from '../src/simulated/world/generate.js'
import { createMemoryStore } from '../src/store/memory.js'
import { createGate as createFinalGate } from '../src/trainer/gates/better.js'
import { createGate } from '../src/trainer/gates/strict.js'
import type { Setup } from '../src/trainer/loops/setup.js'
import { attemptTask } from '../src/trainer/stages/attempt.js'
import { loadPrompts } from '../src/trainer/stages/prompts.js'
import { scoreContext } from './score-context.js'

/**
 * The simulated world without HTTP, for tests and benchmarks of the loop: the same responder, called
 * directly.
 */

type WorldTask = Task & { question: string; answer: string }

export function inProcessModel(
  name: 'target' | 'optimizer',
  onCall?: () => void,
  character: Character = usualCharacter,
): Model {
  return {
    id: `simulated/${name}`,
    parameters: {},
    maxOutputTokens: 4096,
    price: { input: 0, output: 0 },
    async generate(request) {
      onCall?.()
      const messages = request.messages.map(({ role, text }) => ({ role, content: text }))
      const seed = request.seed === undefined ? {} : { seed: request.seed }
      const reply = answerSimulated({ model: name, messages, ...seed }, character)
      const text = reply.content ?? ''
      const input = request.messages.reduce((sum, message) => sum + countTokens(message.text), 0)
      return { text, stop: 'stop', usage: { input, output: countTokens(text) } }
    },
  }
}

export function worldEnvironment(tasks: Record<string, readonly WorldTask[]>): Environment<WorldTask> {
  return {
    id: 'world',
    needs: ['chat'],
    tasks: async split => tasks[split] ?? [],
    open: async task => ({
      instructions: 'Answer the question. Put the final answer into <answer></answer>.',
      prompt: task.question,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => undefined,
    }),
    score: async (task, trajectory) => {
      const found = [...trajectory.answer.matchAll(/<answer>([\s\S]*?)<\/answer>/g)].at(-1)?.[1]?.trim()
      const answer = found ?? trajectory.answer.trim().split('\n').at(-1) ?? ''
      const hard = answer === task.answer ? 1 : 0
      return { hard, soft: hard, feedback: `Expected "${task.answer}"; got "${answer}".` }
    },
  }
}

export interface WorldOptions {
  readonly sizes?: { train: number; val: number; test: number }
  readonly worldSeed?: number
  readonly config?: Omit<Partial<ConfigInput>, 'models' | 'environment'>
  readonly models?: Partial<Setup['models']>
}

export async function worldSetup(options: WorldOptions = {}): Promise<Setup> {
  const sizes = options.sizes ?? { train: 40, val: 30, test: 40 }
  const tasks = generateSplits(sizes, options.worldSeed ?? 7) as Record<'train' | 'val' | 'test', WorldTask[]>
  // Every step retries its tasks and none is skipped, so that tests see each mechanism rather than the call
  // savings.
  const plain = { loop: 'steps', reuse: 'resample', focus: 1, patience: 0, stopWhenSolved: false }
  const config = configSchema.parse({
    reflect: { minibatchSize: 5 },
    ...options.config,
    train: { ...plain, ...(options.config?.train ?? { epochs: 2, batchSize: 20 }) },
    evaluation: { gate: 'guarded', ...options.config?.evaluation },
    environment: { use: 'world' },
    models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
  })
  return {
    name: 'world',
    config,
    skill: await readFile(new URL('../examples/quickstart/SKILL.md', import.meta.url), 'utf8'),
    tasks,
    environment: worldEnvironment(tasks) as unknown as Environment,
    harness: createHarness(),
    sandbox: scoreContext.sandbox,
    models: { target: inProcessModel('target'), optimizer: inProcessModel('optimizer'), ...options.models },
    gate: createGate,
    finalGate: createFinalGate,
    prompts: await loadPrompts(),
    fingerprints: {},
    simulated: true,
  }
}

/** A run on a memory store, with access to everything it wrote. */
export function worldRun(setup: Setup, store: RunStore = createMemoryStore()) {
  const events: RunEvent[] = []
  const stop = new AbortController()
  const roles = Object.fromEntries(
    (Object.entries(setup.models) as [Role, Model][]).map(([role, model]) => [
      role,
      { model, concurrency: 8, retries: 3, timeoutMs: 10_000 },
    ]),
  )
  const run = createRun({
    store,
    pool: new CallPool({ roles, budget: new Budget(setup.config.limits) }),
    models: setup.models,
    attemptIdentity: 'world',
    attempt: (effect, context) => attemptTask(setup, effect, context),
    rate: attemptRate(setup.config.evaluation),
    signal: stop.signal,
    onEvent: event => events.push(event),
  })
  return { run, store, events, stop }
}
