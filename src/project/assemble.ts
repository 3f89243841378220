import { relative, resolve } from 'node:path'
import { createHarness } from '../agents/chat/chat.js'
import { skillForAgent } from '../agents/shared/harness/skill-folder.js'
import { type Config, resolveModel } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Environment } from '../core/ports/environment.js'
import type { Harness } from '../core/ports/harness.js'
import type { Model } from '../core/ports/model.js'
import { checkSkill } from '../core/skill/skill.js'
import type { SkillFrame } from '../core/skill/skill-frame.js'
import { allLimits, noHiddenText, tokenLimit } from '../core/skill/skill-limit.js'
import { seededShuffle } from '../core/statistics/random.js'
import type { Split, Task } from '../core/task/task.js'
import { listed } from '../core/text/format.js'
import { canonicalJson, contentHash, taskHash } from '../core/text/hash.js'
import { loadTokenCounter } from '../core/text/tokens.js'
import { checkLimits } from '../run/budget.js'
import { createSandbox } from '../sandbox/index.js'
import { readText } from '../system/documents.js'
import type { Setup } from '../trainer/loops/setup.js'
import type { CarriedMemory } from '../trainer/stages/memory.js'
import { loadPrompts, type Prompts } from '../trainer/stages/prompts.js'
import { agentsThatOffer, openAgent, withAgentDefaults } from './agents.js'
import { cacheFolder } from './cache.js'
import { checkFiles } from './file-check.js'
import type { LoadedProject } from './load.js'
import {
  checkProvider,
  checkStageEfforts,
  type MakeModel,
  openModel,
  providerFingerprints,
} from './models.js'
import {
  checkRider,
  codeFingerprints,
  type EnvironmentModule,
  loadEnvironment,
  loadFinalGate,
  loadGate,
} from './parts.js'
import { ownPrompts } from './prompt-folder.js'
import { checkScoring } from './scoring.js'
import { telemetryOf } from './telemetry.js'

export interface AssembleOptions {
  /** Overrides the skill in the config, for example with a version from another run or a file to evaluate. */
  readonly skill?: string
  /** Overrides the environment in the config. For programs that call this package. */
  readonly environment?: (EnvironmentModule & { readonly id: string }) | undefined
  /** The document that contains the trained skill as a part. */
  readonly frame?: SkillFrame | undefined
  /** What the optimizer remembers from earlier runs. */
  readonly carried?: CarriedMemory | undefined
  /** Creates the models. Tests and programs that call this package can supply their own. */
  readonly createModel?: MakeModel
}

/** Builds and checks everything that training needs, so that errors surface before any money is spent. */
export async function assemble(loaded: LoadedProject, options: AssembleOptions = {}): Promise<Setup> {
  const parts = await commonParts(loaded, options)
  const { config } = loaded
  checkTrainSize(loaded, parts.tasks.train)
  requireTasks(parts.tasks, config.evaluation.test.length === 0 ? ['train', 'val'] : ['train', 'val', 'test'])
  checkRider(config, parts.tasks.val)
  const optimizer = await neededModel('optimizer', loaded, options)
  await checkStageEfforts(loaded, options.createModel)
  const models = { ...parts.models, optimizer }
  checkLimits(config.limits, models)
  const fingerprints = { ...parts.fingerprints, ...(await providerFingerprints(['optimizer'], loaded)) }
  return { ...parts, models, fingerprints, simulated: parts.simulated || isSimulated(optimizer) }
}

/** Like `assemble`, for work without an optimizer. No optimizer key is required, and splits may be empty. */
export async function assembleForEvaluation(
  loaded: LoadedProject,
  options: AssembleOptions = {},
): Promise<Setup> {
  const parts = await commonParts(loaded, options)
  checkLimits(loaded.config.limits, parts.models)
  return { ...parts, models: { ...parts.models, optimizer: absentModel('optimizer', loaded.config) } }
}

/** Like `assemble`, for work that calls only the judge. */
export async function assembleForJudging(
  loaded: LoadedProject,
  options: AssembleOptions = {},
): Promise<Setup> {
  const parts = await commonParts(loaded, options, absentModel('target', loaded.config))
  const { judge } = parts.models
  checkLimits(loaded.config.limits, judge === undefined ? {} : { judge })
  const optimizer = absentModel('optimizer', loaded.config)
  return { ...parts, models: { ...parts.models, optimizer } }
}

type CommonParts = Omit<Setup, 'models'> & { readonly models: Omit<Setup['models'], 'optimizer'> }

async function commonParts(
  given: LoadedProject,
  options: AssembleOptions,
  absentTarget?: Model,
): Promise<CommonParts> {
  const named = options.environment === undefined ? given : naming(given, options.environment.id)
  const loaded = await withAgentDefaults(named)
  const { config, name } = loaded
  const skill = options.skill ?? (await readSkill(loaded))
  const gate = await loadGate(loaded)
  const finalGate = await loadFinalGate()
  const environment = await loadEnvironment(loaded, options.environment)
  const prompts = await loadPrompts({
    own: await ownPrompts(loaded),
    environment: environment.prompts,
    effort: config.optimizer.effort,
  })
  const sandbox = createSandbox(config.sandbox)
  await checkScoring(environment, config, sandbox)
  const agent = absentTarget === undefined ? await openAgent('target', loaded) : undefined
  const harness = agent?.harness ?? createHarness()
  if (absentTarget === undefined && agent === undefined)
    await checkProvider('target', loaded, options.createModel)
  await checkCapabilities(environment, harness, loaded.config)
  if (harness.id !== 'chat') skillForAgent(options.frame?.fill(skill) ?? skill)
  const tasks = await loadTasks(environment, config)
  const target = absentTarget ?? (await neededModel('target', loaded, options))
  checkFiles(environment, tasks, target)
  const judge = await openModel('judge', loaded, options.createModel)
  const fingerprints = {
    skill: contentHash(skill),
    train: tasksHash(tasks.train),
    val: tasksHash(tasks.val),
    test: tasksHash(tasks.test),
    prompts: promptsHash(prompts),
    ...environment.fingerprints,
    ...aroundFingerprints(options),
    ...(await codeFingerprints(loaded)),
    ...(await providerFingerprints(['target', 'judge'], loaded)),
  }
  return {
    name,
    config,
    skill,
    tasks,
    environment,
    harness,
    sandbox,
    models: { target, ...(judge === undefined ? {} : { judge }) },
    gate,
    finalGate,
    prompts,
    ...(await skillLimit(config, options.frame)),
    frame: options.frame,
    carried: options.carried,
    fingerprints,
    simulated:
      (absentTarget === undefined && isSimulated(target)) || (judge !== undefined && isSimulated(judge)),
    cache: cacheFolder(loaded, environment, options.environment !== undefined),
    readers: await telemetryOf(loaded),
  }
}

async function skillLimit(
  { optimizer }: Config,
  frame: SkillFrame | undefined,
): Promise<Pick<Setup, 'limit'>> {
  const { tokenLimit: tokens } = optimizer
  const limits = [
    noHiddenText,
    ...(frame === undefined ? [] : [frame.limit]),
    ...(tokens === undefined ? [] : [tokenLimit(tokens, await loadTokenCounter())]),
  ]
  return { limit: allLimits(limits) }
}

/**
 * Returns fingerprints of inputs other than the skill that affect rollouts or proposals. A run cannot resume
 * if one of them has changed.
 */
function aroundFingerprints({ frame, carried }: AssembleOptions): Record<string, string> {
  return {
    ...(frame === undefined ? {} : { frame: contentHash(frame.fill('')) }),
    ...(carried === undefined ? {} : { carried: contentHash(canonicalJson(carried)) }),
  }
}

/** Hashes the prompts except `mine`, which no training uses. */
function promptsHash({ mine: _, ...others }: Prompts): string {
  return contentHash(canonicalJson(others))
}

/** Hashes tasks one by one, because joining 100,000 tasks into one string would need too much memory. */
function tasksHash(tasks: readonly Task[]): string {
  return contentHash(tasks.map(taskHash).join('\n'))
}

/**
 * Sets the environment's name in the config, so that the log has it even if a program supplied the
 * environment.
 */
function naming(loaded: LoadedProject, use: string): LoadedProject {
  const { config } = loaded
  return { ...loaded, config: { ...config, environment: { ...config.environment, use } } }
}

async function readSkill({ config, baseDir, sources }: LoadedProject): Promise<string> {
  const file = resolve(baseDir, config.skill)
  const shown = relative(baseDir, file).startsWith('..') ? file : relative(baseDir, file)
  const origin = sources.skill
  const text = await readText(file, `The skill ${shown}`).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error
    const where = origin === undefined || origin === 'default' ? '' : ` (${origin})`
    throw new InputError(error.message, {
      hint: `Set \`skill\` to the Markdown file to train${where}.`,
      cause: error,
    })
  })
  checkSkill(text, shown)
  return text
}

async function checkCapabilities(
  environment: Environment,
  harness: Harness,
  { models }: Config,
): Promise<void> {
  const missing = environment.needs.filter(need => !harness.supports.includes(need))
  if (missing.length === 0) return
  const { model } = resolveModel(models.target, 'target')
  const able = await agentsThatOffer(environment.needs)
  const others = able.length === 0 ? 'No agent supports it.' : `Targets that support it: ${able.join(', ')}.`
  throw new InputError(
    `The environment ${environment.id} needs ${missing.join(' and ')}, which the target ${model} does not support.`,
    { hint: `It supports ${harness.supports.join(', ')}. ${others}` },
  )
}

/** Loads and checks the tasks that a config asks for. */
export async function loadTasks(
  environment: Environment,
  config: Config,
): Promise<Record<Split, readonly Task[]>> {
  const all: Record<Split, readonly Task[]> = {
    train: await environment.tasks('train'),
    val: await environment.tasks('val'),
    test: await environment.tasks('test'),
  }
  checkIds(all)
  const { validationSize, testSize } = config.evaluation
  return {
    train: all.train,
    val: subset(all.val, validationSize, config.train.seed),
    test: subset(all.test, testSize, config.train.seed),
  }
}

/** Returns at most `size` tasks (0 means all). The seed chooses them, and they keep their order. */
function subset(tasks: readonly Task[], size: number, seed: number): readonly Task[] {
  if (size === 0 || size >= tasks.length) return tasks
  const chosen = new Set(seededShuffle(tasks, seed).slice(0, size))
  return tasks.filter(task => chosen.has(task))
}

/**
 * Throws for ids that occur twice, within a split or across splits, because they would invalidate every
 * score.
 */
function checkIds(tasks: Readonly<Record<Split, readonly Task[]>>): void {
  const splits = ['train', 'val', 'test'] as const
  const sets = new Map<Split, Set<string>>()
  for (const split of splits) {
    const seen = new Set<string>()
    const twice = new Set<string>()
    for (const { id } of tasks[split]) {
      if (typeof id !== 'string' || id === '') {
        throw new InputError(`A task of the ${split} split has no id.`, {
          hint: 'Give each task an id, as text.',
        })
      }
      if (seen.has(id)) twice.add(id)
      seen.add(id)
    }
    if (twice.size > 0) {
      throw new InputError(`The ${split} split has several tasks with the same id: ${listed([...twice])}.`, {
        hint: 'Give each task its own id.',
      })
    }
    sets.set(split, seen)
  }
  for (const [first, second] of [
    ['train', 'val'],
    ['train', 'test'],
    ['val', 'test'],
  ] as const) {
    const shared = [...(sets.get(first) ?? [])].filter(id => sets.get(second)?.has(id) === true)
    if (shared.length > 0) {
      throw new InputError(`The ${first} and ${second} splits share tasks: ${listed(shared)}.`, {
        hint: 'Keep each task in one split: scores on training tasks prove nothing.',
      })
    }
  }
}

function requireTasks(tasks: Readonly<Record<Split, readonly Task[]>>, needed: readonly Split[]): void {
  const empty = needed.filter(split => tasks[split].length === 0)
  if (empty.length === 0) return
  const whole = empty.length === 1 ? `${empty[0]} split has` : `${empty.join(' and ')} splits have`
  throw new InputError(`The ${whole} no tasks.`, {
    hint: empty.includes('test')
      ? 'Add tasks, or set evaluation.test to [] to skip the test.'
      : 'Training needs train and validation tasks.',
  })
}

function checkTrainSize({ expectedTrainSize }: LoadedProject, train: readonly Task[]): void {
  if (expectedTrainSize === undefined || expectedTrainSize === train.length) return
  throw new InputError(
    `train.train_size is ${expectedTrainSize}, but the train split has ${train.length} tasks.`,
    {
      hint: 'Correct train.train_size, or set it to 0 to use all tasks.',
    },
  )
}

export async function neededModel(
  role: 'target' | 'optimizer',
  loaded: LoadedProject,
  options: Pick<AssembleOptions, 'createModel'>,
): Promise<Model> {
  const model = await openModel(role, loaded, options.createModel)
  if (model === undefined) throw new Error(`The config names no ${role}, but it is required.`)
  return model
}

const isSimulated = (model: Model): boolean => model.id.startsWith('simulated/')

/**
 * Placeholder for a role that the current work does not use. It throws when called, because such a call is a
 * bug.
 */
export function absentModel(role: 'target' | 'optimizer', { models }: Config): Model {
  const { model, maxOutputTokens } = resolveModel(models[role], role)
  return {
    id: model,
    parameters: {},
    maxOutputTokens,
    price: undefined,
    generate: () => Promise.reject(new Error(`The ${role} was called, but this run does not use it.`)),
  }
}
