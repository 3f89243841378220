import { basename, resolve } from 'node:path'
import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { RunView } from '../core/view/fold.js'
import { type RunVerdict, verdictOf } from '../core/view/run-verdict.js'
import { closeModels } from '../models/index.js'
import { assemble } from '../project/assemble.js'
import { type LoadOptions, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import { inSession } from '../session/session.js'
import { readRun } from '../store/read-run.js'
import { chooseDirectory, forkedSkill, hasRun, readVersion } from '../store/run-directories.js'
import type { EnvironmentDefinition } from '../tasks/loading/define-environment.js'
import type { Forecast } from '../trainer/forecast/forecast.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'
import { planTraining } from '../trainer/loops/steps/step-plan.js'
import { train as trainBySteps } from '../trainer/loops/steps.js'
import { planTrials } from '../trainer/loops/trials/training.js'
import { trainByTrials } from '../trainer/loops/trials.js'
import { testedPairs } from './evaluation-details.js'
import { forecastFor } from './forecast.js'

export interface TrainOptions extends Partial<LoadOptions> {
  /** An environment from `defineEnvironment`, used instead of the one in the config. */
  readonly environment?: EnvironmentDefinition | undefined
  /** The run directory; defaults to `runs/<name>-NNN`. An existing run there is resumed. */
  readonly out?: string | undefined
  /** Starts a new run even if the newest one is unfinished. */
  readonly fresh?: boolean | undefined
  /** `RUN@VERSION`, the skill version of another run to start from. */
  readonly fork?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Receives notices unrelated to the result, such as telemetry failures. Default: Node warnings. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Called before the first paid call of a run; skipped when nothing costs money. */
  readonly confirm?: ((forecast: Forecast) => Promise<boolean>) | undefined
  readonly onReady?: ((info: TrainInfo) => void) | undefined
}

export interface TrainInfo {
  readonly directory: string
  readonly name: string
  readonly resumed: boolean
  readonly mapped: readonly string[]
  readonly warnings: readonly string[]
}

export interface TrainResult {
  readonly outcome: 'finished' | 'paused' | 'cap' | 'interrupted' | 'declined'
  readonly directory: string
  readonly view: RunView | undefined
  readonly error: SkillOptError | undefined
  /** Whether the trained skill is better than the seed on unseen tasks; undefined until training has ended. */
  readonly verdict: RunVerdict | undefined
  /** The best skill so far, if any was evaluated. */
  readonly bestSkill: string | undefined
}

/** Trains a skill, or resumes a training. Invalid input is rejected before anything is written or paid. */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  const fork = options.fork === undefined ? undefined : await readVersion(options.fork, cwd)
  const out = options.out ?? loaded.out
  const directory =
    out === undefined
      ? await chooseDirectory(loaded.name, options.fresh ?? fork !== undefined, cwd)
      : resolve(cwd, out)
  const resumed = await hasRun(directory)
  if (resumed && out !== undefined && (options.fresh === true || fork !== undefined)) {
    throw new InputError(`${directory} already holds a run.`, {
      hint: 'Choose another directory with --out.',
    })
  }
  const skill = fork?.text ?? (resumed ? await forkedSkill(directory) : undefined)
  try {
    const setup = await assemble(loaded, { environment: options.environment, skill })
    const info = {
      directory,
      name: basename(directory),
      resumed,
      mapped: loaded.mapped,
      warnings: projectWarnings(loaded, setup),
    }
    options.onReady?.(info)
    if (!resumed && !(await isAgreed(setup, options, cwd))) {
      return {
        outcome: 'declined',
        directory,
        view: undefined,
        error: undefined,
        verdict: undefined,
        bestSkill: undefined,
      }
    }
    const isByTrials = setup.config.train.loop === 'trials'
    const { epochs, stepsPerEpoch } = (isByTrials ? planTrials : planTraining)(
      setup.config,
      setup.tasks.train,
    )
    const identity = {
      kind: 'train',
      name: info.name,
      sources: loaded.sources,
      epochs,
      stepsPerEpoch,
      forkedFrom: fork?.from,
    } as const
    const { signal, onEvent, onNotice } = options
    const result = await inSession(setup, { directory, identity, signal, onEvent, onNotice }, async run => {
      await (isByTrials ? trainByTrials : trainBySteps)(run, setup)
    })
    const { outcome, view, error } = result
    const reader = await readRun(directory)
    const bestSkill = view.best && (await reader.get(view.best.text))
    const verdict = verdictOf(view, await testedPairs(view, ref => reader.get(ref)))
    return { outcome, directory, view, error, verdict, bestSkill }
  } finally {
    await closeModels()
  }
}

/** Whether the user agrees to pay. A free run needs no agreement, and without `confirm` nobody is asked. */
async function isAgreed(setup: Setup, { confirm }: TrainOptions, cwd: string): Promise<boolean> {
  if (confirm === undefined || isFree(setup.models)) return true
  return confirm(await forecastFor(setup, cwd))
}
