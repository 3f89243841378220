import { resolveModel } from '../core/config/config.js'
import type { RunEvent } from '../core/log/event.js'
import { metricScore } from '../core/task/metric.js'
import { closeModels } from '../models/index.js'
import { assembleForEvaluation } from '../project/assemble.js'
import { type LoadedProject, type LoadOptions, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import type { EnvironmentDefinition } from '../tasks/loading/define-environment.js'
import type { EvaluationNeeds } from '../trainer/loops/evaluation.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'
import type { SessionOptions } from './session.js'
import { readTrained } from './trained-skill.js'

/** What all that measures skills without training them has in common. */

export interface MeasuringOptions extends Partial<LoadOptions> {
  /** An environment from `defineEnvironment`, in place of the one that the config names. */
  readonly environment?: EnvironmentDefinition | undefined
  /** A skill file, a run, or `RUN@VERSION`; the project's own skill if not given. */
  readonly skill?: string | undefined
  readonly out?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Words about what goes on beside the run, such as telemetry that fails; Node's warnings if not given. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Asked with the number of calls, of the target and of the judge, before the first paid one. */
  readonly confirm?: ((calls: number, judgeCalls: number) => Promise<boolean>) | undefined
  /** What was made of each key of a reference YAML; nothing for our own configs. */
  readonly onMapped?: ((lines: readonly string[]) => void) | undefined
  /** What the config's reader has to say besides errors. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
}

/** Whether as many attempts may be paid for; where nothing is paid, nobody is asked. */
export async function agreed(
  setup: Setup,
  attempts: number,
  confirm: MeasuringOptions['confirm'],
): Promise<boolean> {
  const judgeCalls = setup.environment.scoring?.judgeCalls ?? 0
  return confirm === undefined || costsNothing(setup) || (await confirm(attempts, attempts * judgeCalls))
}

/** Whether attempts are known to be free: the judge counts only where it is asked. */
export function costsNothing({ environment, models: { target, judge } }: Setup): boolean {
  const isJudged = judge !== undefined && (environment.scoring?.judgeCalls ?? 0) > 0
  return isFree(isJudged ? { target, judge } : { target })
}

/** How attempts become one number, and how many are made at once. */
export function measuring({ config }: Setup): Pick<EvaluationNeeds, 'score' | 'lanes'> {
  const { metric, mixedWeight } = config.evaluation
  return {
    score: summary => metricScore(summary, metric, mixedWeight),
    lanes: 2 * resolveModel(config.models.target, 'target').concurrency,
  }
}

export async function withSetup<T>(
  options: Omit<MeasuringOptions, 'confirm'>,
  work: (setup: Setup, cwd: string, loaded: LoadedProject) => Promise<T>,
): Promise<T> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  const given =
    options.skill === undefined
      ? {}
      : { skill: (await readTrained(options.skill, { project: loaded.name, cwd })).text }
  try {
    const setup = await assembleForEvaluation(loaded, { ...given, environment: options.environment })
    options.onMapped?.(loaded.mapped)
    options.onWarnings?.(projectWarnings(loaded, setup))
    return await work(setup, cwd, loaded)
  } finally {
    await closeModels()
  }
}

export function sessionOf(
  kind: 'eval' | 'gate-check',
  { name }: Setup,
  directory: string,
  { sources }: Pick<LoadedProject, 'sources'>,
  { signal, onEvent, onNotice }: Pick<MeasuringOptions, 'signal' | 'onEvent' | 'onNotice'>,
): SessionOptions {
  const identity = { kind, name, sources, epochs: 0, stepsPerEpoch: 0 }
  return { directory, identity, signal, onEvent, onNotice }
}
