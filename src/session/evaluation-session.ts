import { resolveModel } from '../core/config/config.js'
import type { RunEvent } from '../core/log/event.js'
import { metricScore } from '../core/task/metric.js'
import { closeModels } from '../models/index.js'
import { assembleForEvaluation } from '../project/assemble.js'
import { type LoadedProject, type LoadOptions, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import type { EnvironmentDefinition } from '../tasks/loading/define-environment.js'
import type { EvaluationContext } from '../trainer/loops/evaluation.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'
import type { SessionOptions } from './session.js'
import { readTrained } from './trained-skill.js'

/** Options shared by all commands that measure skills without training them. */

export interface MeasuringOptions extends Partial<LoadOptions> {
  /** An environment from `defineEnvironment`. It overrides the one in the config. */
  readonly environment?: EnvironmentDefinition | undefined
  /** A skill file, a run, or `RUN@VERSION`. Defaults to the project's own skill. */
  readonly skill?: string | undefined
  readonly out?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Receives notices that do not affect the result (telemetry failures). Defaults to Node's warnings. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Asks for confirmation before the first paid call, with the number of target calls and judge calls. */
  readonly confirm?: ((calls: number, judgeCalls: number) => Promise<boolean>) | undefined
  /**
   * Receives one line for each key of a reference YAML, saying how the key was mapped. Not called for our own
   * configs.
   */
  readonly onMapped?: ((lines: readonly string[]) => void) | undefined
  /** Receives warnings from reading the config. */
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
}

/** Asks for consent to pay for this many attempts. Free attempts need none. */
export async function agreed(
  setup: Setup,
  attempts: number,
  confirm: MeasuringOptions['confirm'],
): Promise<boolean> {
  const judgeCalls = setup.environment.scoring?.judgeCalls ?? 0
  return confirm === undefined || costsNothing(setup) || (await confirm(attempts, attempts * judgeCalls))
}

/** True if attempts are known to be free. The judge's price counts only if scoring calls the judge. */
export function costsNothing({ environment, models: { target, judge } }: Setup): boolean {
  const isJudged = judge !== undefined && (environment.scoring?.judgeCalls ?? 0) > 0
  return isFree(isJudged ? { target, judge } : { target })
}

/** Returns the score function and the number of concurrent attempts. */
export function measuring({ config }: Setup): Pick<EvaluationContext, 'score' | 'concurrency'> {
  const { metric, mixedWeight } = config.evaluation
  return {
    score: summary => metricScore(summary, metric, mixedWeight),
    concurrency: 2 * resolveModel(config.models.target, 'target').concurrency,
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
  {
    directory,
    sources,
    signal,
    onEvent,
    onNotice,
  }: Pick<LoadedProject, 'sources'> &
    Pick<MeasuringOptions, 'signal' | 'onEvent' | 'onNotice'> & { readonly directory: string },
): SessionOptions {
  const identity = { kind, name, sources, epochs: 0, stepsPerEpoch: 0 }
  return { directory, identity, signal, onEvent, onNotice }
}
