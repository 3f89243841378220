import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { resolveModel } from './core/config.js'
import { InputError, messageOf, type SkillOptError } from './core/errors.js'
import type { RunEvent } from './core/event.js'
import { readMessage } from './core/messages.js'
import { metricScore } from './core/metric.js'
import type { Interval } from './core/ports.js'
import { checkSkill } from './core/skill.js'
import type { Message, Outcome, Split } from './core/task.js'
import type { EnvironmentDefinition } from './define.js'
import { measuringDirectory, runsFolder } from './directories.js'
import { type EvaluationNeeds, evaluateOnce, parseRows, scoresByType } from './loops/evaluate.js'
import { isFree, type Setup } from './loops/setup.js'
import { closeModels } from './models/index.js'
import { assembleForEvaluation } from './project/assemble.js'
import { type LoadedProject, type LoadOptions, loadProject } from './project/load.js'
import { projectWarnings } from './project/warnings.js'
import { inSession, type SessionOptions, type SessionResult } from './session.js'

export interface EvaluateOptions extends Partial<LoadOptions> {
  /** An environment from `defineEnvironment`, in place of the one that the config names. */
  readonly environment?: EnvironmentDefinition | undefined
  /** The skill file to score; the project's own if not given. */
  readonly skill?: string | undefined
  readonly split?: Split | 'all' | undefined
  readonly out?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Words about what goes on beside the run, such as telemetry that fails; Node's warnings if not given. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Asked with the number of calls, of the target and of the judge, before the first paid one. */
  readonly confirm?: ((calls: number, judgeCalls: number) => Promise<boolean>) | undefined
  /** What the config's reader has to say besides errors. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
}

export interface SplitScore {
  readonly split: Split
  readonly hard: number
  readonly soft: number
  readonly scored: number
  readonly failed: number
  readonly score: number
  readonly interval: Interval
  readonly types: readonly (Omit<SplitScore, 'split' | 'types'> & { readonly type: string })[]
}

export interface EvaluateResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly simulated: boolean
  readonly splits: readonly SplitScore[]
  readonly error: SkillOptError | undefined
}

/** Scores a skill without training it. Asked again for the same skill, tasks and model, it reads the log. */
export async function evaluate(options: EvaluateOptions): Promise<EvaluateResult> {
  return withSetup(options, async (setup, cwd, sources) => {
    const splits: readonly Split[] =
      options.split === undefined || options.split === 'all' ? ['train', 'val', 'test'] : [options.split]
    const directory =
      options.out === undefined ? measuringDirectory('eval', setup, cwd) : resolve(cwd, options.out)
    const { simulated } = setup
    const calls = splits.reduce((sum, split) => sum + setup.tasks[split].length, 0)
    if (!(await agreed(setup, calls, options.confirm))) {
      return { outcome: 'declined', directory, simulated, splits: [], error: undefined }
    }
    const { score, lanes } = measuring(setup)
    const result = await inSession(setup, sessionOf('eval', setup, directory, sources, options), run =>
      Promise.all(
        splits.map(async split => {
          const place = { stage: 'test', epoch: 0, step: 0 } as const
          const needs = { run, setup, score, lanes }
          const evaluation = await evaluateOnce(needs, setup.skill, split, setup.tasks[split], place)
          return { split, ...scoresByType(parseRows(await run.get(evaluation.rows)), score) }
        }),
      ),
    )
    return { outcome: result.outcome, directory, simulated, splits: result.value ?? [], error: result.error }
  })
}

/** Whether as many attempts may be paid for; where nothing is paid, nobody is asked. */
export async function agreed(
  { environment, models: { target, judge } }: Setup,
  attempts: number,
  confirm: EvaluateOptions['confirm'],
): Promise<boolean> {
  const judgeCalls = environment.scoring?.judgeCalls ?? 0
  const paid = judge === undefined || judgeCalls === 0 ? { target } : { target, judge }
  return confirm === undefined || isFree(paid) || (await confirm(attempts, attempts * judgeCalls))
}

/** How attempts become one number, and how many are made at once. */
export function measuring({ config }: Setup): Pick<EvaluationNeeds, 'score' | 'lanes'> {
  const { metric, mixedWeight } = config.evaluation
  return {
    score: summary => metricScore(summary, metric, mixedWeight),
    lanes: 2 * resolveModel(config.models.target, 'target').concurrency,
  }
}

export interface Trial {
  readonly task: string
  readonly split: Split
  readonly messages: readonly Message[]
  readonly outcome: Outcome
}

/** One attempt at one task, for looking at. Always a fresh one. */
export async function attemptOne(
  options: Omit<EvaluateOptions, 'split' | 'confirm'> & { readonly task: string },
): Promise<SessionResult<Trial>> {
  return withSetup(options, async (setup, cwd, sources) => {
    const found = findTask(setup, options.task)
    const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '')
    const directory =
      options.out === undefined
        ? join(cwd, runsFolder, `${setup.name}-try-${stamp}`)
        : resolve(cwd, options.out)
    return inSession(setup, sessionOf('eval', setup, directory, sources, options), async run => {
      const place = { stage: 'test', epoch: 0, step: 0 } as const
      const { task, split } = found
      const attempt = await run.perform(
        { kind: 'attempt', skill: setup.skill, task, sample: 0, scope: stamp },
        place,
      )
      const messages = await Promise.all(attempt.messages.map(stored => readMessage(stored, run.get)))
      return { task: task.id, split, messages, outcome: attempt.outcome }
    })
  })
}

export async function withSetup<T>(
  options: Omit<EvaluateOptions, 'split' | 'confirm'>,
  work: (setup: Setup, cwd: string, sources: LoadedProject['sources']) => Promise<T>,
): Promise<T> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  const given = options.skill === undefined ? {} : { skill: await readSkill(resolve(cwd, options.skill)) }
  try {
    const setup = await assembleForEvaluation(loaded, { ...given, environment: options.environment })
    options.onWarnings?.(projectWarnings(loaded, setup))
    return await work(setup, cwd, loaded.sources)
  } finally {
    await closeModels()
  }
}

export async function readSkill(path: string): Promise<string> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw new InputError(`The skill ${path} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
  checkSkill(text, path)
  return text
}

export function sessionOf(
  kind: 'eval' | 'gate-check',
  { name }: Setup,
  directory: string,
  sources: LoadedProject['sources'],
  { signal, onEvent, onNotice }: EvaluateOptions,
): SessionOptions {
  const identity = { kind, name, sources, epochs: 0, stepsPerEpoch: 0 }
  return { directory, identity, signal, onEvent, onNotice }
}

function findTask(setup: Setup, id: string) {
  for (const split of ['train', 'val', 'test'] as const) {
    const task = setup.tasks[split].find(candidate => candidate.id === id)
    if (task !== undefined) return { task, split }
  }
  const examples = setup.tasks.train.slice(0, 3).map(task => task.id)
  throw new InputError(`There is no task "${id}" in any split.`, {
    hint: `Task ids look like ${examples.join(', ')}.`,
  })
}
