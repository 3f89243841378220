import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CapReachedError, type SkillOptError } from '../../core/errors/errors.js'
import { sensitiveAdditions, sensitiveText } from '../../core/redaction/sensitive.js'
import { closeModels } from '../../models/index.js'
import { hasRun } from '../../store/run-directories.js'
import { makePrivateFolder } from '../../system/private-file.js'
import { type Forecast, forecast } from '../../trainer/forecast/forecast.js'
import { adopt, preview, type Receipt, recover, type Settled } from '../adopt/index.js'
import { readNightTasks } from '../book/review.js'
import {
  type IntendedMining,
  type SleepHarvestOptions,
  type SleepHarvestResult,
  sleepHarvest,
} from '../harvest/harvest-tasks.js'
import type { NightOutcome, NightPlan, TargetOutcome } from '../model/night-record.js'
import { lockNights } from '../nights/night-lock.js'
import { listNights, type Night, nightsFolder, pinPlan } from '../nights/nights.js'
import { adoptionPlace } from '../proposal/adoption-place.js'
import { snapshotProject } from '../replay/file-copy.js'
import { openProject, type SleepProject, type Surroundings } from '../settings/places.js'
import { loadSettings, type SleepSettings } from '../settings/settings.js'
import { concludeNight, endEarly, miningDirectory, openNight, type Trained } from './begin-and-end.js'
import { checkNight, refuseSimulated } from './check.js'
import { type NightTasks, planNight } from './plan.js'
import { keptProject, setupForTarget, withNightModels, worksOnFiles } from './target-setup.js'
import {
  dreamTonight,
  forecastTonightsDreams,
  type NightPart,
  type NightWork,
  type TaughtTarget,
  trainTarget,
} from './train-target.js'

export interface SleepRunOptions extends Omit<SleepHarvestOptions, 'output' | 'force' | 'confirm'> {
  /** File with reviewed tasks to use instead of reading sessions. */
  readonly tasksFile?: string | undefined
  /** Begin a new night even if the last one was interrupted. */
  readonly fresh?: boolean | undefined
  /** Allows simulated models. Only for synthetic sessions: such a model knows nothing of real work. */
  readonly allowSimulated?: boolean | undefined
  /**
   * Asks for confirmation before the first paid call of the mining run, and again before that of the
   * training.
   */
  readonly confirm?: ((intended: IntendedMining | IntendedNight) => Promise<boolean>) | undefined
  readonly onPart?: ((part: NightPart) => void) | undefined
}

/** The night that a person is asked to confirm. */
export interface IntendedNight {
  readonly plan: NightPlan
  /** The forecast of each part of the night. */
  readonly parts: readonly { readonly name: string; readonly forecast: Forecast }[]
}

export interface SleepRunResult {
  readonly outcome: NightOutcome['outcome'] | 'paused' | 'cap' | 'interrupted' | 'declined' | 'dry-run'
  /** Explains the outcome to the user in a sentence. */
  readonly reason: string
  readonly error: SkillOptError | undefined
  readonly project: string
  /** Sleep's state folder for the project. */
  readonly folder: string
  readonly night: Night | undefined
  readonly targets: readonly TargetOutcome[]
  /** Result of the harvest, if sessions were read. */
  readonly harvest: SleepHarvestResult | undefined
  /** In a dry run: the plan and its forecast. */
  readonly intended: IntendedNight | undefined
  /** Receipt of the automatic adoption, if the settings allow automatic adoption. */
  readonly adopted: Receipt | undefined
}

/**
 * Runs a night: replays recurring tasks from a person's sessions, trains on them behind the gate, and
 * proposes accepted changes for review. After an interruption at any point, the same call resumes.
 */
export async function sleepRun(options: SleepRunOptions): Promise<SleepRunResult> {
  const surroundings = { env: options.env ?? process.env, cwd: options.cwd ?? process.cwd() }
  const project = await openProject(options.project ?? '.', surroundings)
  const settings = await loadSettings({ ...options, ...surroundings })
  for (const text of settings.loaded.warnings) options.onNotice?.(text)
  if (options.allowSimulated !== true) refuseSimulated(settings)
  const bed: Bed = { project, settings, surroundings, options }
  try {
    if (options.dryRun === true) return await dryRun(bed)
    await makePrivateFolder(nightsFolder(project.folder))
    const lock = await lockNights(project.folder)
    try {
      return await night(bed)
    } finally {
      await lock.release()
    }
  } finally {
    await closeModels()
  }
}

/** What stays the same during a night. */
interface Bed {
  readonly project: SleepProject
  readonly settings: SleepSettings
  readonly surroundings: Surroundings
  readonly options: SleepRunOptions
}

async function night(bed: Bed): Promise<SleepRunResult> {
  const { project, settings, surroundings, options } = bed
  const place = await adoptionPlace(project, settings, surroundings)
  const settled = await recover(place)
  if (settled !== undefined) options.onNotice?.(settledText(settled))
  const { current, earlier } = await openNight(project, {
    fresh: options.fresh ?? false,
    check: () => checkNight({ ...bed, roots: place.roots }),
  })
  const result = { ...nothingYet(bed), night: current }

  const planned = current.plan === undefined ? await plan(bed, current, earlier, place.roots) : undefined
  if (planned !== undefined && 'outcome' in planned) return { ...result, ...planned }
  const thePlan = planned?.plan ?? current.plan
  if (thePlan === undefined) throw new Error('A night went on without a plan.')
  const harvest = planned?.harvest

  const { signal, onEvent, onNotice, onPart } = options
  const tonight = {
    night: { ...current, plan: thePlan },
    plan: thePlan,
    project: project.root,
    settings,
  }
  const about = { ...tonight, earlier, signal, onEvent, onNotice, onPart }
  const dreamed = await dreamTonight({ ...about, dreams: [] }, options.allowSimulated ?? false)
  const going = { ...result, night: tonight.night, harvest }
  if ('stopped' in dreamed) return { ...going, ...stopped(dreamed) }
  const trained = await trainAll({ ...about, dreams: dreamed.tasks })
  if ('stopped' in trained) return { ...going, ...stopped(trained) }

  const { isGated, ...ended } = await concludeNight({ ...about, dreams: dreamed.tasks }, trained)
  const whole = { ...going, ...ended }
  const { proposal } = ended.night
  if (ended.outcome !== 'proposed' || !settings.sleep.autoAdopt || proposal === undefined) return whole
  if (!isGated) {
    onNotice?.('Nothing is adopted by itself (sleep.autoAdopt), since not all of it was accepted by a gate.')
    return whole
  }
  const { changes, seen } = await preview(proposal, place)
  const additions = sensitiveText(
    changes.flatMap(({ before = '', after }) => sensitiveAdditions(before, after)),
  )
  if (additions !== undefined) {
    onNotice?.(
      `Nothing is adopted by itself (sleep.autoAdopt), since a person has to look at what it brings in: ${additions}. See it with \`skillopt sleep review\`.`,
    )
    return whole
  }
  return { ...whole, adopted: await adopt(proposal, place, { seen }) }
}

type PlanResult =
  | { readonly plan: NightPlan; readonly harvest: SleepHarvestResult | undefined }
  | (Pick<SleepRunResult, 'outcome' | 'reason' | 'error' | 'harvest'> & { readonly night?: Night })

/** Turns sessions into a plan with pinned inputs. Later outside changes only affect the next night. */
async function plan(
  bed: Bed,
  current: Night,
  earlier: readonly Night[],
  roots: readonly string[],
): Promise<PlanResult> {
  const { project, settings, surroundings, options } = bed
  const given = await gatherTasks(bed, current)
  if ('outcome' in given) return given
  const { harvest } = given
  const planned = await planNight(given.tasks, {
    project,
    settings,
    earlier,
    roots,
    folder: current.folder,
    ...surroundings,
  })
  if ('outcome' in planned) {
    const { outcome, reason } = planned
    const night = await endEarly(current, { ...planned, ...given.tasks })
    return { outcome, reason, error: harvest?.error, harvest, night }
  }
  for (const notice of planned.notices) options.onNotice?.(notice)
  const intended = await intendedNight(planned.plan, bed, current.folder)
  if (!(await agrees(intended, bed))) {
    return { outcome: 'declined', reason: 'Nothing was begun.', error: undefined, harvest }
  }
  await keepProject(planned.plan, bed, current.folder)
  await pinPlan(current.folder, planned.plan)
  return { plan: planned.plan, harvest }
}

/** Keeps a snapshot of a project without git until the night ends. */
async function keepProject(thePlan: NightPlan, { project, settings }: Bed, folder: string): Promise<void> {
  const { config } = withNightModels(settings.loaded, thePlan.models, folder)
  const isKept = Object.keys(thePlan.commits).length > 0
  if (!settings.sleep.copies || isKept || !(await worksOnFiles(config))) return
  await rm(keptProject(folder), { recursive: true, force: true })
  await snapshotProject(project.root, keptProject(folder))
}

type Gathered =
  | { readonly tasks: NightTasks; readonly harvest: SleepHarvestResult | undefined }
  | Extract<PlanResult, { outcome: unknown }>

async function gatherTasks({ project, options, surroundings }: Bed, current: Night): Promise<Gathered> {
  if (options.tasksFile !== undefined) {
    const tasks = await readNightTasks(options.tasksFile, { ...surroundings, project: project.root })
    return { tasks: { tasks, sessions: 0, recurring: 0, mining: undefined }, harvest: undefined }
  }
  const harvest = await sleepHarvest({
    ...harvestOptions(options),
    env: withHandoff(surroundings.env, current.folder),
    cwd: surroundings.cwd,
    before: Date.parse(current.begun.at),
    mining: miningDirectory(current),
  })
  const { outcome, error } = harvest
  if (outcome === 'finished' || outcome === 'cap') {
    const { tasks, sessions, recurring } = harvest
    const counts = { sessions: sessions.length, recurring: recurring.length }
    // Set even if no request was left to mine, because calls of an interrupted attempt count toward this
    // night's caps.
    const asked = miningDirectory(current)
    const mining = (await hasRun(asked)) ? asked : undefined
    const { tooFew } = harvest
    return { tasks: { tasks, ...counts, mining, ...(tooFew === undefined ? {} : { tooFew }) }, harvest }
  }
  if (outcome === 'dry-run') throw new Error('A night does not read for show.')
  return { outcome, reason: error?.message ?? 'Nothing was begun.', error, harvest }
}

/** Options that the night passes on to the harvest. */
function harvestOptions(options: SleepRunOptions): SleepHarvestOptions {
  const { tasksFile: _file, fresh: _fresh, onPart: _part, confirm, ...harvest } = options
  return { ...harvest, confirm, isPartOfNight: true }
}

/** Points handoff models, whose answers people write, to the night's folder. */
function withHandoff(env: Surroundings['env'], folder: string): Surroundings['env'] {
  return { ...env, SKILLOPT_HANDOFF: join(folder, 'handoff') }
}

async function intendedNight(thePlan: NightPlan, bed: Bed, folder: string): Promise<IntendedNight> {
  const { settings, project, options } = bed
  const parts: { name: string; forecast: Forecast }[] = []
  const allowSimulated = options.allowSimulated ?? false
  const dreams = await forecastTonightsDreams(thePlan, { settings, folder, allowSimulated })
  if (dreams !== undefined) parts.push({ name: 'dreams', forecast: dreams })
  for (const target of thePlan.targets) {
    const setup = await setupForTarget(thePlan, target, settings, { folder, project: project.root })
    parts.push({ name: target.name, forecast: await forecast(setup) })
  }
  return { plan: thePlan, parts }
}

/** Asks for confirmation, unless nothing costs money. */
async function agrees(intended: IntendedNight, { options }: Bed): Promise<boolean> {
  if (options.confirm === undefined) return true
  const isPaid = intended.parts.some(
    ({ forecast: { total } }) => total.cost === undefined || total.cost.high > 0,
  )
  return !isPaid || options.confirm(intended)
}

type Stopped = { readonly stopped: 'paused' | 'interrupted'; readonly error: SkillOptError }

/** Trains one document after the other. Each is trained together with the regions learned before it. */
async function trainAll(work: NightWork): Promise<Trained | Stopped> {
  const runs: TaughtTarget[] = []
  const learned = new Map<string, string>()
  for (const target of work.plan.targets) {
    try {
      const run = await trainTarget(target, learned, work)
      if ('stopped' in run) return run
      runs.push(run)
      if (run.region !== target.region) learned.set(target.name, run.region)
      if (run.capped !== undefined) return { runs, capped: run.capped }
    } catch (error) {
      // The cap was used up before this target started.
      if (error instanceof CapReachedError) return { runs, capped: error }
      throw error
    }
  }
  return { runs, capped: undefined }
}

function stopped({ stopped: outcome, error }: Stopped): Pick<SleepRunResult, 'outcome' | 'reason' | 'error'> {
  return { outcome, reason: error.message, error }
}

async function dryRun(bed: Bed): Promise<SleepRunResult> {
  const { project, settings, surroundings, options } = bed
  const about = nothingYet(bed)
  const nights = await listNights(project.folder)
  const open = nights.at(-1)
  if (open?.plan !== undefined && open.outcome === undefined && options.fresh !== true) {
    const intended = await intendedNight(open.plan, bed, open.folder)
    const reason = `Night ${open.number} was stopped, and would go on.`
    return { ...about, outcome: 'dry-run', reason, night: open, intended }
  }
  const folder = join(nightsFolder(project.folder), 'next')
  const env = withHandoff(surroundings.env, folder)
  const harvest =
    options.tasksFile === undefined
      ? await sleepHarvest({ ...harvestOptions(options), ...surroundings, env, dryRun: true })
      : undefined
  const tasks =
    options.tasksFile === undefined
      ? (harvest?.tasks ?? [])
      : await readNightTasks(options.tasksFile, { ...surroundings, project: project.root })
  const { roots } = await adoptionPlace(project, settings, surroundings)
  const found = harvest?.recurring.length ?? 0
  const given = { tasks, sessions: harvest?.sessions.length ?? 0, recurring: found, mining: undefined }
  const planned = await planNight(given, {
    project,
    settings,
    earlier: nights,
    roots,
    folder,
    ...surroundings,
  })
  if ('outcome' in planned) {
    const isNew = tasks.length === 0 && found > 0
    const reason = isNew
      ? 'A night would first make tasks of what recurs, and then say what it takes.'
      : planned.reason
    return { ...about, outcome: 'dry-run', reason, harvest }
  }
  const intended = await intendedNight(planned.plan, bed, folder)
  const reason = 'This is what a night would do with the tasks that are known so far.'
  return { ...about, outcome: 'dry-run', reason, harvest, intended }
}

function settledText({ stands }: Settled): string {
  const became = stands ? 'its files are in place' : 'all files are again as they were'
  return `An adoption had been broken off: ${became}.`
}

function nothingYet({ project }: Bed) {
  return {
    project: project.root,
    folder: project.folder,
    night: undefined,
    targets: [],
    error: undefined,
    harvest: undefined,
    intended: undefined,
    adopted: undefined,
  }
}
