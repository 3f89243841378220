import { resolve } from 'node:path'
import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { CheckedGate } from '../core/statistics/gate-power.js'
import type { LoadedProject } from '../project/load.js'
import { loadGate } from '../project/parts.js'
import {
  agreed,
  type MeasuringOptions,
  measuring,
  sessionOf,
  withSetup,
} from '../session/evaluation-session.js'
import { inSession, type SessionResult } from '../session/session.js'
import { measuringDirectory } from '../store/run-directories.js'
import { createGate as guarded } from '../trainer/gates/guarded.js'
import { createGate as paired } from '../trainer/gates/paired.js'
import { createGate as strict } from '../trainer/gates/strict.js'
import { checkGates, type GateFindings } from '../trainer/loops/gate-accept-rate.js'

export interface GateCheckOptions extends MeasuringOptions {
  /** Attempts per validation task, at least 2; defaults to 4. */
  readonly samples?: number | undefined
  /** Another gain to compute requirements for, as a share of the full score: 0.05 is five points. */
  readonly gain?: number | undefined
  /** Called when all attempts are made. The remaining work takes time but makes no calls. */
  readonly onMeasured?: (() => void) | undefined
}

export interface GateCheckResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly simulated: boolean
  /** Id of the target model. */
  readonly model: string
  /** Name of the configured gate in `findings`. */
  readonly gate: string
  /** Undefined until all attempts are made. */
  readonly findings: GateFindings | undefined
  readonly error: SkillOptError | undefined
}

const usualSamples = 4

/**
 * Evaluates a skill against itself. Measures the noise of its scores, how often each gate would accept an
 * edit that changes nothing, and which gains each gate would detect. A repeated check reads the log; more
 * samples cost only the additional attempts.
 */
export async function gateCheck(options: GateCheckOptions): Promise<GateCheckResult> {
  const { samples = usualSamples, gain, onMeasured } = options
  checkNumbers(samples, gain)
  return withSetup(options, async (setup, cwd, loaded) => {
    const { skill, simulated } = setup
    const tasks = setup.tasks.val
    if (tasks.length === 0) {
      throw new InputError('The val split has no tasks, so there is no gate to measure.', {
        hint: 'Set `environment.val`, or give validation a share in `environment.ratio`.',
      })
    }
    const directory =
      options.out === undefined ? measuringDirectory('gate-check', setup, cwd) : resolve(cwd, options.out)
    const about = { directory, simulated, model: setup.models.target.id, gate: nameOfGate(loaded) }
    if (!(await agreed(setup, samples * tasks.length, options.confirm))) {
      return { ...about, outcome: 'declined', findings: undefined, error: undefined }
    }
    const plan = { skill, tasks, samples, gates: await gatesOf(loaded), gain, onMeasured }
    const { outcome, value, error } = await inSession(
      setup,
      sessionOf('gate-check', setup, { ...options, directory, sources: loaded.sources }),
      run => checkGates({ run, ...measuring(setup) }, plan),
    )
    return { ...about, outcome, findings: value, error }
  })
}

/**
 * The gates to check. `reference` runs every task; `strict` makes the same decision but stops early. The
 * configured gate is added if it differs, without its floors, because an edit's tokens and time cannot be
 * simulated.
 */
async function gatesOf({ config, baseDir }: LoadedProject): Promise<CheckedGate[]> {
  const { evaluation } = config
  const settings = { ...evaluation, earlyStop: true }
  const known: CheckedGate[] = [
    { name: 'reference', create: strict, settings: { ...settings, earlyStop: false } },
    { name: 'strict', create: strict, settings },
    { name: 'guarded', create: guarded, settings },
    { name: 'paired', create: paired, settings },
  ]
  const own = nameOfGate({ config })
  if (known.some(({ name }) => name === own)) return known
  const create = await loadGate({ baseDir, config: { ...config, evaluation: { ...evaluation, floors: {} } } })
  return [...known, { name: own, create, settings: evaluation }]
}

function nameOfGate({ config }: Pick<LoadedProject, 'config'>): string {
  const { gate, noRegression, earlyStop } = config.evaluation
  const name = gate === 'strict' && !earlyStop ? 'reference' : gate
  return noRegression === 'off' ? name : `${name}, no regression`
}

function checkNumbers(samples: number, gain: number | undefined): void {
  if (!Number.isSafeInteger(samples) || samples < 2) {
    throw new InputError(`${samples} attempts per task cannot show noise.`, {
      hint: '--samples expects a whole number ≥ 2, such as 4.',
    })
  }
  if (gain !== undefined && !(gain > 0 && gain <= 1)) {
    throw new InputError(`No edit can gain ${100 * gain} points.`, {
      hint: '--gain expects points above 0 and at most 100, such as 5.',
    })
  }
}
