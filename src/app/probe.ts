import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import type { RunView } from '../core/view/fold.js'
import { closeModels } from '../models/index.js'
import { assemble } from '../project/assemble.js'
import { type LoadOptions, loadProject } from '../project/load.js'
import { inSession, type SessionResult } from '../session/session.js'
import { hasRun, measuringDirectory, viewRun } from '../store/run-directories.js'
import { type Forecast, forecastProbe } from '../trainer/forecast/forecast.js'
import { isFree } from '../trainer/loops/setup.js'
import { probe, probeTasks } from '../trainer/loops/step-probe.js'

export interface ProbeOptions extends Partial<LoadOptions> {
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Receives notices unrelated to the result, such as telemetry failures. Default: Node warnings. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Called with an upper bound on the work. Skipped if nothing costs money or the probe was done before. */
  readonly confirm?: ((forecast: Forecast) => Promise<boolean>) | undefined
}

export interface ProbeResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly view: RunView | undefined
  /** Whether a training reuses these attempts instead of repeating them. */
  readonly isShared: boolean
  readonly error: SkillOptError | undefined
}

/**
 * Makes a few real calls, so that a forecast knows the length of replies before the first training. Caps
 * apply as in a training. A repeated probe reads the log.
 */
export async function probeTraining(options: ProbeOptions): Promise<ProbeResult> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  try {
    const setup = await assemble(loaded)
    if (probeTasks(setup).length === 0) throw new InputError('The train split has no tasks to probe.')
    const directory = measuringDirectory('probe', setup, cwd)
    const isShared = setup.cache !== undefined && setup.config.train.reuse === 'reuse'
    const { confirm, signal, onEvent, onNotice } = options
    const needsConsent = confirm !== undefined && !isFree(setup.models) && !(await isDone(directory))
    if (needsConsent && !(await confirm(await forecastProbe(setup)))) {
      return { outcome: 'declined', directory, view: undefined, isShared, error: undefined }
    }
    const { name } = setup
    const identity = { kind: 'probe', name, sources: loaded.sources, epochs: 0, stepsPerEpoch: 0 } as const
    const { outcome, view, error } = await inSession(
      setup,
      { directory, identity, signal, onEvent, onNotice },
      run => probe(run, setup),
    )
    return { outcome, directory, view, isShared, error }
  } finally {
    await closeModels()
  }
}

async function isDone(directory: string): Promise<boolean> {
  if (!(await hasRun(directory))) return false
  const { stages } = await viewRun(directory)
  return stages.length > 0 && stages.every(({ finished }) => finished)
}
