import { resolve } from 'node:path'
import { InputError, type SkillOptError } from '../core/errors/errors.js'
import type { EventBody, RunEvent } from '../core/log/event.js'
import { skillHash } from '../core/skill/skill.js'
import { closeModels } from '../models/index.js'
import { assemble } from '../project/assemble.js'
import { type LoadOptions, loadProject } from '../project/load.js'
import { projectWarnings } from '../project/warnings.js'
import { inSession, type SessionResult } from '../session/session.js'
import { readTrained, type TrainedSkill, trainingWarnings } from '../session/trained-skill.js'
import { readRun } from '../store/read-run.js'
import { hasRun, measuringDirectory, newestFinished, viewRun } from '../store/run-directories.js'
import type { EnvironmentDefinition } from '../tasks/loading/define-environment.js'
import { type Forecast, forecastBaseline } from '../trainer/forecast/forecast.js'
import { compareBaselines, examplesFor } from '../trainer/loops/one-shot-baseline.js'
import { isFree, type Setup } from '../trainer/loops/setup.js'

export interface BaselineOptions extends Partial<LoadOptions> {
  /** An environment from `defineEnvironment`, used instead of the one in the config. */
  readonly environment?: EnvironmentDefinition | undefined
  /** A run, `RUN@VERSION`, or a skill file; defaults to the project's newest finished run. */
  readonly trained?: string | undefined
  readonly out?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Receives notices unrelated to the result, such as telemetry failures. Default: Node warnings. */
  readonly onNotice?: ((text: string) => void) | undefined
  /** Called with a forecast of the remaining work; skipped when nothing remains or nothing costs money. */
  readonly confirm?: ((forecast: Forecast) => Promise<boolean>) | undefined
  readonly onWarnings?: ((warnings: readonly string[]) => void) | undefined
}

export interface BaselineResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined'
  readonly directory: string
  readonly simulated: boolean
  /** Scores of no skill, the one-shot skill, the given skill and the trained skill, as far as they exist. */
  readonly tests: readonly EventBody<'test.finished'>[]
  /** Each skill compared with every earlier one, task by task. */
  readonly pairs: EventBody<'comparison.finished'>['pairs']
  /** The skill that the optimizer wrote in one call; undefined if its reply was unusable. */
  readonly oneShot: string | undefined
  /** Name of the run or file that the trained skill comes from. */
  readonly trained: string | undefined
  readonly error: SkillOptError | undefined
}

/**
 * Measures whether training was worth it: scores no skill, a one-shot skill, the given skill and the trained
 * skill on the same test tasks.
 */
export async function baseline(options: BaselineOptions): Promise<BaselineResult> {
  const cwd = options.cwd ?? process.cwd()
  const loaded = await loadProject({ ...options, env: options.env ?? process.env })
  try {
    const setup = await assemble(loaded, { environment: options.environment })
    if (setup.tasks.test.length === 0) {
      throw new InputError('The test split has no tasks to compare baselines on.', {
        hint: 'Add test tasks that no other split has.',
      })
    }
    const trained = await trainedFor(options.trained, setup, cwd)
    const aboutTrained = trained === undefined ? [] : await trainingWarnings(trained, setup)
    options.onWarnings?.([...projectWarnings(loaded, setup), ...aboutTrained])
    const directory =
      options.out === undefined ? measuringDirectory('baseline', setup, cwd) : resolve(cwd, options.out)
    const about = { directory, simulated: setup.simulated, trained: trained?.from }
    if (!(await isAgreed(setup, { trained, directory }, options.confirm))) {
      return { ...about, outcome: 'declined', tests: [], pairs: [], oneShot: undefined, error: undefined }
    }
    const { name } = setup
    const identity = { kind: 'baseline', name, sources: loaded.sources, epochs: 0, stepsPerEpoch: 0 } as const
    const { signal, onEvent, onNotice } = options
    const result = await inSession(setup, { directory, identity, signal, onEvent, onNotice }, run =>
      compareBaselines(run, setup, trained),
    )
    const { value, outcome, error } = result
    const text = value?.oneShot.text
    const oneShot = text === undefined ? undefined : await (await readRun(directory)).get(text)
    const pairs = value?.comparison.pairs ?? []
    return { ...about, outcome, tests: value?.tests ?? [], pairs, oneShot, error }
  } finally {
    await closeModels()
  }
}

async function trainedFor(
  named: string | undefined,
  setup: Setup,
  cwd: string,
): Promise<TrainedSkill | undefined> {
  const trained = named ?? (await newestFinished(setup.name, cwd))
  return trained === undefined ? undefined : readTrained(trained, { project: setup.name, cwd })
}

/** Asks the user to agree to the work that the log does not contain yet. */
async function isAgreed(
  setup: Setup,
  { trained, directory }: { trained: TrainedSkill | undefined; directory: string },
  confirm: BaselineOptions['confirm'],
): Promise<boolean> {
  if (confirm === undefined || isFree(setup.models)) return true
  const past = (await hasRun(directory)) ? await viewRun(directory) : undefined
  const known = new Set(past?.evaluations.map(({ skill }) => skill))
  const texts = new Set(['', setup.skill, ...(trained === undefined ? [] : [trained.text])])
  const untested = [...texts].filter(text => !known.has(skillHash(text))).length
  const oneShot = past?.oneShot
  const oneShotUntested = oneShot === undefined || (oneShot.skill !== undefined && !known.has(oneShot.skill))
  const work = {
    examples: oneShot === undefined ? examplesFor(setup) : undefined,
    untested: untested + Number(oneShotUntested),
  }
  if (work.examples === undefined && work.untested === 0) return true
  return confirm(await forecastBaseline(setup, work))
}
