import { forecastTraining } from '../../../app/forecast.js'
import { ConfigError } from '../../../core/config/config-problems.js'
import { InputError } from '../../../core/errors/errors.js'
import { canonicalJson, contentHash } from '../../../core/text/hash.js'
import { closeModels } from '../../../models/index.js'
import { withAgentDefaults } from '../../../project/agents.js'
import { assemble } from '../../../project/assemble.js'
import { type LoadedProject, loadProject } from '../../../project/load.js'
import { openModel } from '../../../project/models.js'
import type { LaunchChanges, LaunchCheck, LaunchForecast, LaunchProblem } from '../../contract/launch.js'
import type { ServerContext } from '../context.js'
import { environmentOptions } from './options.js'
import type { FoundProject } from './projects.js'
import { optionPath, valuesOf } from './values.js'

/** A training as requested by the form. */
export interface Wanted {
  readonly project: FoundProject
  readonly flags: LaunchChanges
  readonly fork?: Fork | undefined
}

export interface Fork {
  /** `RUN@VERSION`, as the command line takes it. */
  readonly reference: string
  skill(): Promise<string>
}

type World = Pick<ServerContext, 'cwd' | 'env'>

/** Finds the problems that `train` would report, without calling a model, writing or paying for anything. */
export async function checkTraining(wanted: Wanted, world: World): Promise<LaunchCheck> {
  const loaded = await orProblems(() => loadProject(given(wanted, world)))
  if ('problems' in loaded)
    return { problems: loaded.problems, ...(await besides(loaded.problems, wanted, world)) }
  const values = valuesOf(loaded)
  const made = await orProblems(() => assembled(loaded, wanted))
  return { values, problems: [], ...made }
}

/** Loads the config without the invalid values, so that the page still shows all the others. */
async function besides(
  problems: readonly LaunchProblem[],
  wanted: Wanted,
  world: World,
): Promise<Pick<LaunchCheck, 'values' | 'environment'>> {
  const wrong = new Set(problems.map(({ path }) => path))
  const right = Object.entries(wanted.flags).filter(([path]) => !wrong.has(path))
  const flags = Object.fromEntries(right)
  const loaded = await orProblems(() => loadProject(given({ ...wanted, flags }, world)))
  if ('problems' in loaded) return {}
  const environment = await orProblems(async () => ({ environment: await environmentOptions(loaded) }))
  return { values: valuesOf(loaded), ...('problems' in environment ? {} : environment) }
}

const given = ({ project, flags }: Wanted, world: World) => ({ project: project.path, flags, ...world })

async function assembled(loaded: LoadedProject, { fork }: Wanted): Promise<Partial<LaunchCheck>> {
  const environment = await environmentOptions(loaded)
  try {
    const problems = await modelProblems(loaded)
    if (problems.length > 0) return { environment, problems }
    await assemble(loaded, fork === undefined ? {} : { skill: await fork.skill() })
    return { environment }
  } finally {
    await closeModels()
  }
}

/** Finds problems with a model, such as a missing key. The page shows them next to that model. */
async function modelProblems(given: LoadedProject): Promise<readonly LaunchProblem[]> {
  const loaded = await withAgentDefaults(given)
  const problems: LaunchProblem[] = []
  for (const role of ['target', 'optimizer', 'judge'] as const) {
    const opened = await orProblems(async () => ({ model: await openModel(role, loaded) }))
    if ('problems' in opened)
      problems.push(...opened.problems.map(one => ({ path: `models.${role}`, ...one })))
  }
  return problems
}

/** Forecasts the cost of a training. Throws `InputError` in the same cases as `train`. */
export async function forecastOf(wanted: Wanted, world: World): Promise<LaunchForecast> {
  const options = given(wanted, world)
  const reference = wanted.fork?.reference
  const { config } = await loadProject(options)
  const forecast = await forecastTraining({ ...options, fork: reference })
  const { total, prices } = forecast
  const settings = contentHash(canonicalJson([config, reference ?? null, prices]))
  return { id: [settings, total.calls.high, total.tokens.high].join(' '), ...forecast }
}

/**
 * Whether a forecast still matches the one the user agreed to. Settings and prices must be identical. The
 * figures may be up to 10% higher, because they depend on earlier runs, some of which may still be running.
 */
export function isAgreedTo(agreed: string, now: LaunchForecast): boolean {
  const [settings, ...shown] = agreed.split(' ')
  const [settingsNow, ...figures] = now.id.split(' ')
  const isLittleMore = (figure: string, at: number) => Number(figure) <= 1.1 * Number(shown[at])
  return settings === settingsNow && figures.every(isLittleMore)
}

async function orProblems<T extends object>(
  work: () => Promise<T>,
): Promise<T | { readonly problems: readonly LaunchProblem[] }> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { problems: problemsIn(error) }
  }
}

function problemsIn(error: InputError): readonly LaunchProblem[] {
  const { message, hint } = error
  if (!(error instanceof ConfigError)) return [{ message, ...(hint === undefined ? {} : { hint }) }]
  return error.problems.map(({ path, sentence }) => ({
    ...(path === undefined ? {} : { path: optionPath(path.split('.')) }),
    // The user filled in a form, so the message need not mention the command-line flag.
    message: `${sentence.replace(/ \(flag --[^)]*\)/, '')}.`.replace(/([.?])\.$/, '$1'),
  }))
}
