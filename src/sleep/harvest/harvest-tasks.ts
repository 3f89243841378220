import { listSources, loadSource } from '../../agents/registry/transcript-sources.js'
import { resolveModel } from '../../core/config/config.js'
import { lastingSettings } from '../../core/config/difference.js'
import type { SleepConfig } from '../../core/config/sleep-config.js'
import type { SkillOptError } from '../../core/errors/errors.js'
import type { RunEvent } from '../../core/log/event.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import type { Skipped } from '../../core/transcript/transcript.js'
import { closeModels } from '../../models/index.js'
import type { LoadOptions } from '../../project/load.js'
import { inSession, type SessionResult } from '../../session/session.js'
import { chooseDirectory } from '../../store/run-directories.js'
import { userHome } from '../../system/home.js'
import { makePrivateFolder } from '../../system/private-file.js'
import { checksProblem } from '../../tasks/scoring/rules.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import { isFree, type Setup } from '../../trainer/loops/setup.js'
import { readBook, updateBook } from '../book/book.js'
import { type BookChange, bookWith, wordsOf } from '../book/harvested-book.js'
import { checkTasksFile, writeTasksFile } from '../book/tasks-file.js'
import { assembleForMining } from '../mining/assemble-mining.js'
import type { Embedder } from '../mining/embedded.js'
import { families } from '../mining/families.js'
import { loadEmbedder } from '../mining/load-embedder.js'
import { clusterWithMemory } from '../mining/memory.js'
import type { MinedTask } from '../mining/mine.js'
import { forecastMining, mineTasks } from '../mining/mine-all.js'
import { type Recurrence, recurrences } from '../mining/recurrence.js'
import { matchTasks } from '../mining/task-matching.js'
import { type PlannedTask, type PlanOptions, planTasks } from '../mining/task-plan.js'
import { keepsItsWords } from '../mining/task-words.js'
import { tooFewOccasions } from '../model/occasions.js'
import type { SleepTask, TaskBook } from '../model/sleep-task.js'
import { openProject, type SleepProject } from '../settings/places.js'
import { loadSettings, type SleepSettings } from '../settings/settings.js'
import { type HarvestProgress, harvest } from './harvest.js'
import type { Harvest, HarvestedSession, HarvestPlan, Redacted } from './plan.js'

export interface SleepHarvestOptions
  extends Partial<Pick<LoadOptions, 'cfgOptions' | 'flags' | 'env' | 'cwd' | 'trust'>> {
  /** Folder in which the person worked with their agents. Defaults to the current folder. */
  readonly project?: string | undefined
  /** Settings file to use instead of the one in Sleep's own folder. */
  readonly config?: string | undefined
  /** File to which the tasks are written for review. */
  readonly output?: string | undefined
  /** Replace the output file if it exists. */
  readonly force?: boolean | undefined
  /** Only read and count: call no model and write nothing. */
  readonly dryRun?: boolean | undefined
  /** Directory of the mining run. Defaults to one in Sleep's folder. */
  readonly mining?: string | undefined
  /** True if a night calls this: it has already shown the warnings about settings. */
  readonly isPartOfNight?: boolean | undefined
  /** If set, only requests made before this time, in milliseconds since 1970. */
  readonly before?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: HarvestProgress) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  readonly onNotice?: ((text: string) => void) | undefined
  /** Allows a simulated optimizer. Only for synthetic transcripts, where it misleads nobody. */
  readonly allowSimulated?: boolean | undefined
  /** Called before the first paid call. */
  readonly confirm?: ((intended: IntendedMining) => Promise<boolean>) | undefined
}

/** The mining run that a person is asked to confirm. */
export interface IntendedMining {
  /** Recurring requests to send to the model, most recurring first. */
  readonly recurring: readonly Recurrence[]
  /** The model that will see the transcript excerpts. */
  readonly model: string
  readonly forecast: Forecast
}

export interface SleepHarvestResult {
  readonly outcome: SessionResult<unknown>['outcome'] | 'declined' | 'dry-run'
  readonly error: SkillOptError | undefined
  /** The project's folder, with links resolved. */
  readonly project: string
  /** Folder that holds the project's tasks. */
  readonly folder: string
  /** Scope of the sessions read: those of this project or of all projects. */
  readonly scope: SleepConfig['scope']
  /** Run directory with the log of the model calls, if a model was called. */
  readonly directory: string | undefined
  readonly sessions: readonly HarvestedSession[]
  readonly requests: number
  readonly bytes: number
  readonly skipped: readonly Skipped[]
  readonly redacted: readonly Redacted[]
  /** Recurring requests, most recurring first. */
  readonly recurring: readonly Recurrence[]
  /** Number of distinct kinds of request. */
  readonly clusters: number
  /** Expected model usage; undefined if no model is called. */
  readonly forecast: Forecast | undefined
  /** All tasks in the book after the harvest. */
  readonly tasks: readonly SleepTask[]
  readonly change: BookChange
  /** Set in a night that did not ask a model because there is too little to learn from. Explains why. */
  readonly tooFew?: string
}

/**
 * Turns a person's transcripts into tasks. It counts recurring requests, lets a model (or heuristics, if no
 * model is configured) describe a good answer, and stores the tasks with their evidence.
 */
export async function sleepHarvest(options: SleepHarvestOptions): Promise<SleepHarvestResult> {
  const env = options.env ?? process.env
  const cwd = options.cwd ?? process.cwd()
  const project = await openProject(options.project ?? '.', { env, cwd })
  const settings = await loadSettings({ ...options, env, cwd })
  if (options.isPartOfNight !== true) for (const text of settings.loaded.warnings) options.onNotice?.(text)
  const { output, force = false, dryRun = false } = options
  if (output !== undefined) await checkTasksFile(output, { force })
  // Problems with the stored tasks or the model are reported before reading, which may take an hour.
  const book = await readBook(project.folder, project.root)
  const embedder = await embedderOf(settings)
  try {
    const setup = settings.hasOptimizer
      ? await assembleForMining(settings.loaded, { allowSimulated: options.allowSimulated ?? false })
      : undefined
    const signal = options.signal ?? new AbortController().signal
    const all = await harvest(await planOf(project, settings, env), { signal, ...progressOf(options) })
    const read = askedBefore(all, options.before ?? Number.POSITIVE_INFINITY)
    const { clusters, memory } = await clusterWithMemory(read.requests, book, embedder)
    const found = recurrences(clusters, ruleOf(settings.sleep))
    const recurring = found.filter(({ isRecurring }) => isRecurring)
    const plan = (current: TaskBook) =>
      planTasks(current, matchTasks(current, recurring, memory), planOptions(settings, embedder))
    const planned = await plan(book)
    const pending = planned.filter(one => needsWords(one, setup !== undefined))
    const forecast = setup === undefined ? undefined : await forecastMining(setup, pending.map(clusterOf))
    const about = {
      project: project.root,
      folder: project.folder,
      scope: settings.sleep.scope,
      recurring,
      clusters: found.length,
      forecast,
      ...summary(read),
    }
    const ended = { ...about, tasks: book.tasks, change: nothing, error: undefined, directory: undefined }
    if (dryRun) return { ...ended, outcome: 'dry-run' }
    // A night that cannot learn from these tasks does not pay a model to describe them.
    const tooFew =
      options.isPartOfNight === true && recurring.length > 0 ? tooFewOccasions(planned) : undefined
    if (tooFew !== undefined) return { ...ended, outcome: 'finished', tooFew }
    if (forecast !== undefined && pending.length > 0) {
      const asked = pending.flatMap(({ recurrence }) => recurrence ?? [])
      if (!(await agrees(setup, { recurring: asked, forecast }, options)))
        return { ...ended, outcome: 'declined' }
    }
    const asked = setup === undefined ? undefined : await ask(setup, pending, project, settings, options)
    const outcome = asked?.outcome ?? 'finished'
    // After a cap, the tasks written so far are stored, so that the next harvest does not pay for them again.
    if (asked !== undefined && outcome !== 'finished' && outcome !== 'cap') return { ...ended, ...asked }
    const words = wordsOf(pending, asked?.mined ?? new Map(), setup?.models.optimizer.id)
    let change = nothing
    const changed = await updateBook(project.folder, project.root, async current => {
      const merged = bookWith(current, await plan(current), words, read.sessions, new Date())
      change = merged.change
      return merged.book
    })
    if (output !== undefined) await writeTasksFile(output, changed, { force })
    const directory = asked?.directory
    return { ...about, outcome, error: asked?.error, directory, tasks: changed.tasks, change }
  } finally {
    await closeModels()
  }
}

const nothing: BookChange = { added: [], updated: [], rewritten: [], passedOver: [], failed: [] }

async function embedderOf({ sleep, loaded, packages }: SleepSettings): Promise<Embedder | undefined> {
  return sleep.embedder === undefined
    ? undefined
    : loadEmbedder(sleep.embedder, { baseDir: loaded.baseDir, packages })
}

const dayMs = 86_400_000

export async function planOf(
  { root }: SleepProject,
  { sleep }: SleepSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HarvestPlan> {
  const sources = sleep.sources ?? (await listSources()).map(({ id }) => id)
  // Paths configured for an unknown agent are an error; otherwise they would be ignored silently.
  await Promise.all(Object.keys(sleep.places ?? {}).map(loadSource))
  return {
    sources,
    ...(sleep.places === undefined ? {} : { places: sleep.places }),
    ...(sleep.days === 0 ? {} : { after: Date.now() - sleep.days * dayMs }),
    scope: sleep.scope === 'all' ? { kind: 'all' } : { kind: 'folders', folders: [root] },
    patterns: sleep.redact,
    user: { home: userHome(env), env, platform: process.platform },
  }
}

/**
 * Drops requests made after the given time. A night's result then does not depend on its duration, and
 * sessions that its own prompts create are ignored.
 */
function askedBefore(found: Harvest, before: number): Harvest {
  const sessions = found.sessions.filter(({ startedAt }) => startedAt === undefined || startedAt < before)
  const known = new Set(sessions.map(({ session }) => session))
  const requests = found.requests.filter(
    ({ session, at }) => known.has(session) && (at === undefined || at < before),
  )
  return { ...found, sessions, requests }
}

function progressOf({ onProgress }: SleepHarvestOptions) {
  return onProgress === undefined ? {} : { onProgress }
}

const ruleOf = ({ occasions, score }: SleepConfig) => ({ occasions, score })

function planOptions({ sleep, loaded }: SleepSettings, embedder: Embedder | undefined): PlanOptions {
  return {
    fractions: { val: sleep.val, test: sleep.test },
    seed: loaded.config.train.seed,
    examples: sleep.examples,
    newTasks: sleep.tasks,
    families: items => families(items, embedder),
  }
}

function needsWords({ known }: PlannedTask, hasModel: boolean): boolean {
  return known === undefined || !keepsItsWords(known, hasModel)
}

function clusterOf({ id, recurrence, evidence }: PlannedTask) {
  const { central, requests } = recurrence ?? { requests: [] }
  const others = requests.filter(request => request !== central)
  return { key: id, requests: central === undefined ? others : [central, ...others], evidence }
}

function summary({ sessions, requests, skipped, redacted, bytes }: Harvest) {
  return { sessions, requests: requests.length, skipped, redacted, bytes }
}

async function agrees(
  setup: Setup | undefined,
  intended: Omit<IntendedMining, 'model'>,
  { confirm }: SleepHarvestOptions,
): Promise<boolean> {
  if (confirm === undefined || setup === undefined || isFree({ optimizer: setup.models.optimizer }))
    return true
  return confirm({ ...intended, model: setup.models.optimizer.id })
}

/**
 * Runs mining like a training, with caps, log and resume. An interrupted harvest resumes its log. After a
 * finished one, new requests get a new log, so that the caps apply per harvest.
 */
async function ask(
  setup: Setup,
  pending: readonly PlannedTask[],
  { folder }: SleepProject,
  { loaded }: SleepSettings,
  options: SleepHarvestOptions,
) {
  const { signal, onEvent, onNotice } = options
  if (pending.length === 0) return undefined
  // The folder is created first with private permissions, because the log holds a person's requests and other
  // code would make the folder readable for everyone.
  await makePrivateFolder(folder)
  const lasting = contentHash(canonicalJson([lastingSettings(setup.config), setup.fingerprints]))
  const name = `mine-${lasting.slice(0, 6)}`
  const directory = options.mining ?? (await chooseDirectory(name, false, folder))
  const identity = { kind: 'mine', name, sources: loaded.sources, epochs: 0, stepsPerEpoch: 0 } as const
  const lanes = 2 * resolveModel(setup.config.models.optimizer, 'optimizer').concurrency
  const mined = new Map<string, MinedTask>()
  const { outcome, error } = await inSession(setup, { directory, identity, signal, onEvent, onNotice }, run =>
    mineTasks(run, pending.map(clusterOf), {
      prompts: setup.prompts,
      checkProblem: check => checksProblem([check]),
      lanes,
      onMined: ({ key }, task) => mined.set(key, task),
    }),
  )
  return { outcome, error, mined, directory }
}
