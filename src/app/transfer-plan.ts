import { resolve } from 'node:path'
import { skillForAgent } from '../agents/shared/harness/skill-folder.js'
import type { Config } from '../core/config/config.js'
import { InputError, SkillOptError } from '../core/errors/errors.js'
import { skillHash } from '../core/skill/skill.js'
import { seededShuffle } from '../core/statistics/random.js'
import type { Split, Task } from '../core/task/task.js'
import { contentHash, taskHash } from '../core/text/hash.js'
import { assembleForEvaluation } from '../project/assemble.js'
import { hostWarnings } from '../project/hosts.js'
import { type LoadedProject, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import { checkLimits } from '../run/budget.js'
import type { MeasuringOptions } from '../session/evaluation-session.js'
import {
  newestBest,
  readSkill,
  readTrained,
  type TrainedSkill,
  trainingWarnings,
} from '../session/trained-skill.js'
import { readRun } from '../store/read-run.js'
import { hasRun, measuringDirectory, viewRun } from '../store/run-directories.js'
import type { Setup } from '../trainer/loops/setup.js'
import { checkSamples, measuredBy, type NamedSkill, splitsToScore } from './evaluate.js'
import { aimedAt, checkTargets, nameOf, type TransferTarget } from './transfer-targets.js'

export interface TransferPlanOptions
  extends Pick<
    MeasuringOptions,
    'project' | 'config' | 'flags' | 'cfgOptions' | 'env' | 'cwd' | 'environment' | 'onMapped' | 'onWarnings'
  > {
  /** The trained skill: a file, a run, or `RUN@VERSION`. Defaults to the newest finished run. */
  readonly skill?: string | undefined
  /**
   * Targets to try the skill on: `provider/model` or `agent/model`; programs may also pass a model with
   * options.
   */
  readonly to: readonly TransferTarget[]
  /**
   * The skill to compare with; defaults to the seed of the named run, otherwise to the project's own skill.
   */
  readonly seedSkill?: string | undefined
  /** Defaults to `test`. */
  readonly split?: Split | undefined
  /** Maximum number of tasks from the split, sampled with the seed; defaults to all. */
  readonly limit?: number | undefined
  /** Attempts per task and skill; defaults to 1. */
  readonly samples?: number | undefined
}

/** A target that passed every check that needs no model call. */
interface CheckedTarget {
  readonly target: string
  readonly setup: Setup
  readonly loaded: LoadedProject
}

export interface ReadyTarget extends CheckedTarget {
  readonly directory: string
  /** Number of attempts that the target's log does not contain yet. */
  readonly attemptsLeft: number
}

export interface RefusedTarget {
  readonly target: string
  readonly error: SkillOptError
}

export interface TransferPlan {
  /** The targets in the order in which the user named them. */
  readonly targets: readonly (ReadyTarget | RefusedTarget)[]
  readonly none: NamedSkill
  readonly seed: NamedSkill
  readonly trained: NamedSkill
  readonly split: Split
  readonly samples: number
  /** Number of tasks that each target gets. */
  readonly tasks: number
  /** The project's `evaluation.smallestGain`. */
  readonly smallestGain: number
  /** Caps on all targets together. */
  readonly limits: Config['limits']
}

export const isReady = (target: ReadyTarget | RefusedTarget): target is ReadyTarget => 'setup' in target

export const isRefused = (target: { readonly target: string }): target is RefusedTarget => 'error' in target

/** Reads and checks everything that a transfer needs, for every target, before the first call. */
export async function planTransfer(options: TransferPlanOptions): Promise<TransferPlan> {
  const { split = 'test', samples = 1, limit, cwd = process.cwd() } = options
  checkTargets(options.to)
  checkSamples(samples)
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new InputError(`Invalid number of tasks: ${limit}.`, {
      hint: 'limit must be a whole number ≥ 1.',
    })
  }
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  const checked: (CheckedTarget | RefusedTarget)[] = []
  for (const to of options.to)
    checked.push(await orRefused(nameOf(to), () => checkTarget(to, loaded, options)))
  const [first] = checked.flatMap(one => (isRefused(one) ? [] : one))
  if (first === undefined) throw noneUsable(checked.filter(isRefused))

  splitsToScore(first.setup, { split })
  const skill = await readTrained(options.skill ?? newestBest, { project: loaded.name, cwd })
  const trained = { name: skill.from, text: skill.text }
  const seed = await seedOf(skill, first, options)
  refuseTheSame(trained, seed)
  const none = { name: 'no skill', text: '' }
  const skills = [none, seed, trained]
  const prepare = async (one: CheckedTarget): Promise<ReadyTarget> => {
    if (one.setup.harness.id !== 'chat') for (const { text } of [seed, trained]) skillForAgent(text)
    const setup = measuredBy(withTasks({ ...one.setup, skill: seed.text }, split, limit), skills)
    const directory = measuringDirectory('eval', setup, cwd)
    const attempts = wantedAttempts(skills, setup.tasks[split], samples)
    return { ...one, setup, directory, attemptsLeft: await countMissing(attempts, directory) }
  }
  const targets = await Promise.all(
    checked.map(one => (isRefused(one) ? one : orRefused(one.target, () => prepare(one)))),
  )
  const ready = targets.filter(isReady)
  const refused = targets.filter(isRefused)
  if (ready.length === 0) throw noneUsable(refused)
  options.onMapped?.(loaded.mapped)
  const warnings = ready.flatMap(one => projectWarnings(one.loaded, { ...one.setup, skill: trained.text }))
  for (const one of ready) warnings.push(...(await hostWarnings(one.loaded)))
  warnings.push(...(await trainingWarnings(skill, first.setup)))
  options.onWarnings?.([...new Set(warnings), ...refused.map(refusalWarning)])
  const tasks = Math.min(first.setup.tasks[split].length, limit ?? Number.POSITIVE_INFINITY)
  const { limits, evaluation } = loaded.config
  const about = { split, samples, tasks, limits, smallestGain: evaluation.smallestGain }
  return { targets, none, seed, trained, ...about }
}

/**
 * Turns a user-facing error into a refused target, so that the others continue. A bug is rethrown and ends
 * the transfer.
 */
async function orRefused<T>(target: string, work: () => Promise<T>): Promise<T | RefusedTarget> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SkillOptError)) throw error
    return { target, error }
  }
}

async function checkTarget(
  to: TransferTarget,
  loaded: LoadedProject,
  { environment }: TransferPlanOptions,
): Promise<CheckedTarget> {
  const aimed = aimedAt(loaded, to)
  const { limits } = aimed.config
  // Caps are checked below, because a price in `models.target` would not apply to this target.
  const uncapped = { ...aimed, config: { ...aimed.config, limits: {} } }
  const setup = await assembleForEvaluation(uncapped, { environment })
  checkPrices(setup, limits)
  return { target: nameOf(to), setup: { ...setup, config: { ...setup.config, limits } }, loaded: aimed }
}

function checkPrices({ models: { target, judge } }: Setup, limits: Config['limits']): void {
  if (limits.maxCost !== undefined && target.price === undefined) {
    throw new InputError(`Cannot cap the cost: the price of ${target.id} is unknown.`, {
      hint: 'Cap tokens with --max-tokens instead.',
    })
  }
  checkLimits(limits, judge === undefined ? { target } : { target, judge })
}

/** If every target fails with the same message, the project is at fault, so that error is reported alone. */
function noneUsable(refused: readonly RefusedTarget[]): SkillOptError {
  const [first] = refused
  const messages = new Set(refused.map(({ error }) => error.message))
  if (first !== undefined && messages.size === 1) return first.error
  return new InputError(
    `No target can be used.\n${refused.map(({ target, error }) => `  ${target}: ${error.message}`).join('\n')}`,
    { hint: [...new Set(refused.flatMap(({ error }) => error.hint ?? []))].join('\n') },
  )
}

const refusalWarning = ({ target, error }: RefusedTarget): string =>
  `${target} is left out: ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`

async function seedOf(
  { run }: TrainedSkill,
  { setup, loaded }: CheckedTarget,
  { seedSkill, cwd = process.cwd() }: TransferPlanOptions,
): Promise<NamedSkill> {
  if (seedSkill !== undefined)
    return { name: seedSkill, text: await readSkill(resolve(cwd, seedSkill), seedSkill) }
  if (run === undefined) return { name: loaded.config.skill, text: setup.skill }
  const { run: name, seedSkill: text } = await viewRun(run)
  return { name: `${name}@v0`, text: await (await readRun(run)).get(text) }
}

function refuseTheSame(trained: NamedSkill, seed: NamedSkill): void {
  if (trained.text !== seed.text) return
  throw new InputError(
    `The skill ${trained.name} and the seed ${seed.name} have the same text, so there is no gain to measure.`,
    { hint: 'Choose a trained skill with --skill, or another seed with --seed-skill.' },
  )
}

/**
 * Limits the tasks of a split. Fewer tasks are a separate experiment with its own log, but attempts of other
 * logs are reused.
 */
function withTasks(setup: Setup, split: Split, limit: number | undefined): Setup {
  const all = setup.tasks[split]
  if (limit === undefined || limit >= all.length) return setup
  const chosen = new Set(seededShuffle(all, setup.config.train.seed).slice(0, limit))
  const tasks = all.filter(task => chosen.has(task))
  return {
    ...setup,
    tasks: { ...setup.tasks, [split]: tasks },
    fingerprints: {
      ...setup.fingerprints,
      [split]: contentHash([setup.fingerprints[split], ...tasks.map(taskHash)].join('\n')),
    },
  }
}

const attemptName = (skill: string, task: string, sample: number) => JSON.stringify([skill, task, sample])

function wantedAttempts(
  skills: readonly NamedSkill[],
  tasks: readonly Task[],
  samples: number,
): ReadonlySet<string> {
  return new Set(
    skills.flatMap(({ text }) => {
      const hash = skillHash(text)
      return tasks.flatMap(({ id }) =>
        Array.from({ length: samples }, (_, sample) => attemptName(hash, id, sample)),
      )
    }),
  )
}

async function countMissing(wanted: ReadonlySet<string>, directory: string): Promise<number> {
  if (!(await hasRun(directory))) return wanted.size
  const missing = new Set(wanted)
  for await (const { type, body } of (await readRun(directory)).events()) {
    if (type === 'attempt.finished') missing.delete(attemptName(body.skill, body.task, body.sample))
  }
  return missing.size
}
