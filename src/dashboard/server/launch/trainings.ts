import { realpath, stat } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from '../../../core/errors/errors.js'
import { eventsFile } from '../../../store/disk.js'
import type {
  LaunchCheck,
  LaunchCheckRequest,
  LaunchForecast,
  LaunchForkForm,
  LaunchOptions,
  LaunchProjects,
  LaunchStarted,
  LaunchStartRequest,
  ResumeRequest,
} from '../../contract/launch.js'
import type { ServerContext } from '../context.js'
import type { LiveRun } from '../runs/types.js'
import { checkTraining, forecastOf, isAgreedTo, type Wanted } from './check.js'
import { launchOptions, refusedChanges } from './options.js'
import { giveBack, reserveDirectory, startTraining } from './process.js'
import { createProjectList, type FoundProject } from './projects.js'
import { recordedRun } from './recorded.js'
import { checkForkable, checkResumable } from './refusals.js'
import { createLine, createOnce } from './serial-queue.js'
import { untilLetGo } from './stop.js'

export interface Trainings {
  projects(): Promise<LaunchProjects>
  options(): Promise<LaunchOptions>
  /**
   * Checks the settings. The check is skipped if the client has disconnected, because the form sends a
   * request after each pause in typing.
   */
  check(request: LaunchCheckRequest, signal?: AbortSignal): Promise<LaunchCheck>
  forecast(request: LaunchCheckRequest, signal?: AbortSignal): Promise<LaunchForecast>
  /** Starts a training and answers after a while. The same request can be repeated to keep waiting. */
  start(request: LaunchStartRequest): Promise<LaunchStarted>
  forkForm(run: string): Promise<LaunchForkForm>
  resume(run: string, request: ResumeRequest): Promise<LaunchStarted>
}

/** A process started for one idempotency key. */
interface Job {
  readonly directory: string
  readonly begun: Promise<boolean>
}

/** Longest wait before an answer, because proxies may cut a connection that stays silent. */
const usualPatienceMs = 20_000

/** Starts and resumes trainings from the dashboard, each as a separate process of the command line. */
export function createTrainings(context: ServerContext, patienceMs = usualPatienceMs): Trainings {
  const { cwd, runs } = context
  const projectList = createProjectList(cwd)
  // Checks run one at a time, because a check closes all open models when it finishes.
  const inLine = createLine()
  const checking = <T>(work: () => Promise<T>, signal?: AbortSignal) =>
    inLine(() => {
      if (signal?.aborted === true) throw new InputError('Whoever asked has gone.')
      return work()
    })
  const once = createOnce<Job>()
  let known: Promise<LaunchOptions> | undefined
  const options = () => {
    known ??= launchOptions()
    return known
  }

  const recorded = (run: LiveRun) => checking(() => recordedRun(run, projectList, context))

  async function wantedBy({ project, changes, fork }: LaunchCheckRequest): Promise<Wanted> {
    const [refused] = refusedChanges(changes, await options())
    if (refused !== undefined) throw new InputError(refused.message)
    const found = await projectList.find(project)
    if (fork === undefined) return { project: found, flags: changes }
    const run = await runs.open(fork.run)
    await checkForkable(run)
    return {
      project: found,
      flags: { ...(await fromTheRunOnly(run, found)), ...changes },
      fork: {
        reference: `${run.directory}@v${fork.version}`,
        skill: () => skillOf(run, fork.version),
      },
    }
  }

  /** The run's settings that differ from the project's and that the form cannot change. */
  async function fromTheRunOnly(run: LiveRun, { id }: FoundProject) {
    const { project, changes } = await recorded(run)
    if (project.id !== id) return {}
    const isOpen = await openPaths(options)
    return Object.fromEntries(Object.entries(changes).filter(([path]) => !isOpen.has(path)))
  }

  async function begin(directory: string, args: readonly string[], hasBegun: () => Promise<boolean>) {
    const command = [...args, '--yes', '--quiet', '--out', directory]
    const { begun } = await startTraining({ args: command, directory, hasBegun }, context)
    return { directory, begun }
  }

  async function start(request: LaunchStartRequest): Promise<Job> {
    const wanted = await wantedBy(request)
    const forecast = await checking(() => forecastOf(wanted, context))
    checkAgreed(request, forecast)
    const directory = await reserveDirectory(forecast.name, cwd)
    const fork = wanted.fork === undefined ? ['--new'] : ['--fork', wanted.fork.reference]
    const args = [wanted.project.path, ...fork, ...settings(wanted.flags)]
    try {
      const { begun } = await begin(directory, args, async () => (await logSize(directory)) > 0)
      return { directory, begun: begun.catch(error => refused(directory, error)) }
    } catch (error) {
      return await refused(directory, error)
    }
  }

  async function resume(run: LiveRun, { limits }: ResumeRequest): Promise<Job> {
    await checkResumable(run)
    const { project, changes } = await recorded(run)
    const caps = Object.entries(limits).flatMap(([name, cap]) =>
      cap === undefined ? [] : [[`limits.${name}`, String(cap)]],
    )
    const flags = { ...changes, ...Object.fromEntries(caps) }
    const { sessions } = await run.view()
    await untilLetGo(run.directory)
    return begin(
      run.directory,
      [project.path, ...settings(flags)],
      async () => (await run.view()).sessions > sessions,
    )
  }

  async function answerFor(key: string, work: () => Promise<Job>): Promise<LaunchStarted> {
    const { directory, begun } = await once.get(key, work)
    const shown = relative(cwd, directory).split(sep).join('/')
    try {
      const hasBegun = await Promise.race([begun, sleep(patienceMs, false, { ref: false })])
      if (!hasBegun) return { directory: shown, begun: false }
    } catch (error) {
      // The user has seen the error, so another request with this key tries again.
      once.forget(key)
      throw error
    }
    const run = await idOf(directory, context)
    return { directory: shown, begun: true, ...(run === undefined ? {} : { run }) }
  }

  return {
    async projects() {
      const { projects, isCut } = await projectList.list()
      return { projects: projects.map(({ path: _path, ...project }) => project), isCut }
    },
    options,
    async check(request, signal) {
      const refused = refusedChanges(request.changes, await options())
      const isRefused = (path: string) => refused.some(problem => problem.path === path)
      const others = Object.entries(request.changes).filter(([path]) => !isRefused(path))
      const wanted = await wantedBy({ ...request, changes: Object.fromEntries(others) })
      const checked = await checking(() => checkTraining(wanted, context), signal)
      return { ...checked, problems: [...refused, ...checked.problems] }
    },
    async forecast(request, signal) {
      const wanted = await wantedBy(request)
      return checking(() => forecastOf(wanted, context), signal)
    },
    start: request => answerFor(request.key, () => start(request)),
    async forkForm(id) {
      const run = await runs.open(id)
      await checkForkable(run)
      const { project, changes } = await recorded(run)
      const isOpen = await openPaths(options)
      const { versions, best, run: name } = await run.view()
      return {
        project: project.id,
        name,
        versions: versions.map(({ version, score }) => ({
          version,
          ...(score === undefined ? {} : { score }),
          best: version === best?.version,
        })),
        changes: Object.fromEntries(Object.entries(changes).filter(([path]) => isOpen.has(path))),
      }
    },
    resume: (id, request) => answerFor(request.key, async () => resume(await runs.open(id), request)),
  }
}

async function openPaths(options: () => Promise<LaunchOptions>): Promise<ReadonlySet<string>> {
  const all = (await options()).options
  return new Set(all.filter(({ locked }) => locked === undefined).map(({ path }) => path))
}

function checkAgreed({ agreed }: LaunchStartRequest, forecast: LaunchForecast): void {
  if (forecast.free) return
  if (agreed === undefined) {
    throw new InputError('This training calls paid models, and nobody has agreed to that.', {
      hint: 'Look at the forecast, and agree to it.',
    })
  }
  if (isAgreedTo(agreed, forecast)) return
  throw new InputError('The training would take something else by now than what was agreed to.', {
    hint: 'Its settings, prices or earlier runs have changed. Look at the new forecast, and agree to it.',
  })
}

async function refused(directory: string, error: unknown): Promise<never> {
  await giveBack(directory)
  throw error
}

const settings = (flags: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(flags).flatMap(([path, value]) => ['--set', `${path}=${value}`])

async function skillOf(run: LiveRun, version: number): Promise<string> {
  const { versions } = await run.view()
  const found = versions.findLast(one => one.version === version)
  if (found !== undefined) return run.text(found.text)
  throw new InputError(`The run has no version ${version}.`, {
    hint: `It has v0 to v${versions.at(-1)?.version ?? 0}.`,
  })
}

async function logSize(directory: string): Promise<number> {
  try {
    return (await stat(join(directory, eventsFile))).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}

/** The run's id in the library; undefined if the directory lies outside the shown folders. */
async function idOf(directory: string, { runs }: ServerContext): Promise<string | undefined> {
  const place = await placeOf(directory)
  // The first listing may have begun before the run existed, so a second one is needed.
  for (const _look of ['first', 'second']) {
    for (const { id, directory: listed } of await runs.list()) {
      if (basename(listed) !== basename(place)) continue
      if ((await placeOf((await runs.open(id)).directory)) === place) return id
    }
  }
  return undefined
}

/** Resolves symlinks. A path that does not exist yet is returned unchanged. */
async function placeOf(path: string): Promise<string> {
  return realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return path
    throw error
  })
}
