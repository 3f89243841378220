import { createHarness } from '../../src/agents/chat/chat.js'
import { type ConfigInput, configSchema } from '../../src/core/config/config.js'
import { type PresetName, presets } from '../../src/core/config/presets.js'
import type { RunEvent } from '../../src/core/log/event.js'
import type { Environment } from '../../src/core/ports/environment.js'
import type { GateFactory } from '../../src/core/ports/gate.js'
import type { Model, Role } from '../../src/core/ports/model.js'
import { attemptRate } from '../../src/core/task/reward.js'
import { Budget } from '../../src/run/budget.js'
import { CallPool } from '../../src/run/pool.js'
import { createRun } from '../../src/run/run.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { countTokens } from '../../src/simulated/wire.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { createGate as better } from '../../src/trainer/gates/better.js'
import { createGate as guarded } from '../../src/trainer/gates/guarded.js'
import { createGate as notWorse } from '../../src/trainer/gates/not-worse.js'
import { createGate as strict } from '../../src/trainer/gates/strict.js'
import type { Setup } from '../../src/trainer/loops/setup.js'
import { train } from '../../src/trainer/loops/steps.js'
import { trainByTrials } from '../../src/trainer/loops/trials.js'
import { attemptTask } from '../../src/trainer/stages/attempt.js'
import { loadPrompts } from '../../src/trainer/stages/prompts.js'
import { ownOptimizer } from '../peers/own-optimizer.js'
import type { World, WorldTask } from './world.js'

/**
 * Runs our own trainer in a world without HTTP: the same replies by direct calls, for many seeds in little
 * time.
 */

export interface WorldRun {
  /** The shipped skill. */
  readonly skill: string
  readonly targetCalls: number
  readonly optimizerCalls: number
  /** Prompt and reply tokens of both roles. */
  readonly tokens: number
  readonly events: readonly RunEvent[]
  /** The current skill by number of target calls. */
  readonly versions: readonly { readonly calls: number; readonly skill: string }[]
}

const gates: Record<string, GateFactory> = { strict, guarded, 'not-worse': notWorse }

export type Settings = Omit<Partial<ConfigInput>, 'models' | 'environment'>

export async function runInProcess(
  world: World,
  { preset = 'default', seed, settings = {} }: { preset?: PresetName; seed: number; settings?: Settings },
): Promise<WorldRun> {
  const setup = await worldSetup(world, { preset, seed, settings })
  const counts = { target: 0, optimizer: 0, tokens: 0 }
  const versions: { calls: number; skill: string }[] = []
  const events: RunEvent[] = []
  const store = createMemoryStore()
  const models = countedModels(world, counts)
  const roles = Object.fromEntries(
    Object.entries(models).map(([role, model]) => [
      role,
      { model, concurrency: 16, retries: 0, timeoutMs: 60_000 },
    ]),
  )
  const run = createRun({
    store,
    pool: new CallPool({ roles: roles as never, budget: new Budget(setup.config.limits) }),
    models: models as Record<Role, Model>,
    attemptIdentity: 'world',
    attempt: (effect, context) => attemptTask(setup, effect, context),
    rate: attemptRate(setup.config.evaluation),
    signal: new AbortController().signal,
    onEvent: event => {
      events.push(event)
      if (event.type === 'skill.version') versions.push({ calls: counts.target, skill: event.body.text })
    },
  })
  const loop = setup.config.train.loop === 'trials' ? trainByTrials : train
  const ended = await loop(run, { ...setup, models: models as Setup['models'] })
  const skill = 'best' in ended ? ended.best.document.text : ended.text
  return {
    skill,
    targetCalls: counts.target,
    optimizerCalls: counts.optimizer,
    tokens: counts.tokens,
    events,
    versions: await Promise.all(
      versions.map(async version => ({ ...version, skill: await run.get(version.skill) })),
    ),
  }
}

async function worldSetup(
  world: World,
  { preset, seed, settings }: { preset: PresetName; seed: number; settings: Settings },
): Promise<Setup> {
  const chosen = presets[preset]
  const config = configSchema.parse({
    ...settings,
    train: { ...chosen.train, seed, ...settings.train },
    reflect: { ...chosen.reflect, ...settings.reflect },
    optimizer: { ...chosen.optimizer, ...settings.optimizer },
    trials: { ...chosen.trials, ...settings.trials },
    evaluation: { ...chosen.evaluation, test: [], ...settings.evaluation },
    environment: { use: 'world' },
    models: { target: { model: 'simulated/target', concurrency: 16 }, optimizer: 'simulated/optimizer' },
  })
  const gate = gates[config.evaluation.gate]
  if (gate === undefined) throw new Error(`There is no gate named "${config.evaluation.gate}" here.`)
  return {
    name: world.name,
    config,
    skill: world.seedSkill,
    tasks: world.tasks,
    environment: worldEnvironment(world) as unknown as Environment,
    harness: createHarness(),
    sandbox: createSandbox('none'),
    models: countedModels(world, { target: 0, optimizer: 0, tokens: 0 }) as Setup['models'],
    gate,
    finalGate: better,
    prompts: await loadPrompts(),
    fingerprints: {},
    simulated: true,
  }
}

function countedModels(world: World, counts: { target: number; optimizer: number; tokens: number }) {
  const model = (
    role: 'target' | 'optimizer',
    reply: (messages: readonly { readonly text: string }[], seed: number) => string,
  ): Model => ({
    id: `simulated/${role}`,
    parameters: {},
    maxOutputTokens: 4096,
    price: { input: 0, output: 0 },
    generate: async ({ messages, seed = 0 }) => {
      counts[role] += 1
      const text = reply(messages, seed)
      counts.tokens += countTokens(messages.map(message => message.text).join('')) + countTokens(text)
      return { text, stop: 'stop', usage: { input: 0, output: 0 } }
    },
  })
  return {
    target: model('target', (messages, seed) =>
      world.reply(messages.map(message => message.text).join('\n\n'), seed),
    ),
    optimizer: model('optimizer', ([system, user], sample) =>
      ownOptimizer(world, { system: system?.text ?? '', user: user?.text ?? '', sample }),
    ),
  }
}

export function worldEnvironment(world: World): Environment<WorldTask> {
  return {
    id: 'world',
    needs: ['chat'],
    tasks: async split => world.tasks[split],
    open: async task => ({
      instructions: world.instructions,
      prompt: task.question,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => undefined,
    }),
    score: async (task, trajectory) => {
      const answer = /<answer>([^<]*)<\/answer>/.exec(trajectory.answer)?.[1] ?? ''
      const hard = answer === task.answer ? 1 : 0
      return { hard, soft: hard, feedback: `Expected "${task.answer}"; got "${answer}".` }
    },
  }
}
