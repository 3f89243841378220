import { join } from 'node:path'
import { resolveModel } from '../../core/config/config.js'
import { CapReachedError, type SkillOptError } from '../../core/errors/errors.js'
import type { RunEvent } from '../../core/log/event.js'
import type { RunView } from '../../core/view/fold.js'
import type { Limits } from '../../run/budget.js'
import { nothingSpent, type Spent } from '../../run/spending.js'
import { inSession, type SessionResult } from '../../session/session.js'
import { capsLeft, overall, spentIn, sumOfSpent } from '../../session/shared-caps.js'
import { hasRun, viewRun } from '../../store/run-directories.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import { testSkill } from '../../trainer/loops/evaluation.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { planTraining } from '../../trainer/loops/steps/step-plan.js'
import { train as trainLoop } from '../../trainer/loops/steps.js'
import { prepareTraining } from '../../trainer/loops/training.js'
import { dreamTasks, forecastDreams } from '../dreams/dream-tasks.js'
import { assembleForMining } from '../mining/assemble-mining.js'
import { variantGuard } from '../mining/held-out.js'
import { loadEmbedder } from '../mining/load-embedder.js'
import type { NightPlan, PlannedTarget } from '../model/night-record.js'
import { tidyRegion } from '../model/proposal.js'
import type { SleepTask } from '../model/sleep-task.js'
import { earlierNights } from '../nights/earlier-nights.js'
import { type Night, targetSlug } from '../nights/nights.js'
import { learnedVersion, readTraining } from '../proposal/training-log.js'
import type { SleepSettings } from '../settings/settings.js'
import { setupForTarget, withNightModels } from './target-setup.js'

/** Context shared by all documents of a night. */
export interface NightWork {
  readonly night: Night
  readonly plan: NightPlan
  readonly project: string
  readonly settings: SleepSettings
  readonly earlier: readonly Night[]
  readonly dreams: readonly SleepTask[]
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  readonly onNotice?: ((text: string) => void) | undefined
  /** Called before each run of the night. */
  readonly onPart?: ((part: NightPart) => void) | undefined
}

/** One run of a night. */
export interface NightPart {
  /** The target's name, or `dreams` for the run that creates variants. */
  readonly name: string
  readonly directory: string
  readonly resumed: boolean
}

/** The result of training one document, so far. */
export interface TaughtTarget {
  readonly target: PlannedTarget
  readonly directory: string
  readonly view: RunView
  readonly simulated: boolean
  /**
   * The best region that the gate accepted, or the last region if there is no gate. The original one if
   * nothing was accepted.
   */
  readonly region: string
  /** Targets whose new texts were also in the prompt during this training. */
  readonly together: readonly string[]
  /** The cap that ended the training early. Changes accepted before that are kept. */
  readonly capped: CapReachedError | undefined
}

export type TargetResult =
  | TaughtTarget
  | { readonly stopped: 'paused' | 'interrupted'; readonly error: SkillOptError }

export const runDirectory = ({ folder }: Pick<Night, 'folder'>, name: string): string =>
  join(folder, 'runs', targetSlug(name))

export const wholeNight = 'the whole night'

/** Trains one document on the night's tasks, with the normal training loop. */
export async function trainTarget(
  target: PlannedTarget,
  learned: ReadonlyMap<string, string>,
  work: NightWork,
): Promise<TargetResult> {
  const { night, plan, settings, project, earlier, dreams } = work
  const { memory: carried, problems } = await earlierNights(earlier, target)
  for (const problem of problems) work.onNotice?.(problem)
  const setup = await setupForTarget(plan, target, settings, {
    folder: night.folder,
    project,
    learned,
    dreams,
    carried,
  })
  const directory = runDirectory(night, target.name)
  const { limits } = setup.config
  const others = await spentElsewhere(directory, work, setup)
  const left = async () =>
    capsLeft(limits, { own: await spentIn(directory, setup.models), others }, wholeNight)

  work.onPart?.({ name: target.name, directory, resumed: await hasRun(directory) })
  const trained = await session(setup, forTraining(await left(), setup), directory, work, run =>
    trainLoop(run, setup),
  )
  const { outcome, error } = trained
  if (outcome === 'paused' || outcome === 'interrupted') return stoppedBy(outcome, error)
  const capped = overall(error, limits, wholeNight)
  const isCapped = capped instanceof CapReachedError
  const version = learnedVersion(await readTraining(directory))
  const region = version === undefined ? target.region : tidyRegion(version.text)
  if (isCapped && version !== undefined && region !== target.region && setup.tasks.test.length > 0) {
    // The accepted text is tested with the reserved part of the cap, in the same log.
    const tested = await session(setup, await left(), directory, work, async run => {
      const needs = prepareTraining(run, setup)
      await Promise.all([
        testSkill(needs, 'initial', setup.skill),
        testSkill(needs, trained.view.best?.skill === version.skill ? 'best' : 'last', version.text),
      ])
    })
    if (tested.outcome === 'paused' || tested.outcome === 'interrupted')
      return stoppedBy(tested.outcome, tested.error)
  }
  return {
    target,
    directory,
    region,
    simulated: setup.simulated,
    view: await viewRun(directory),
    together:
      setup.harness.id === 'chat' && target.name.startsWith('memory:')
        ? [...learned.keys()].filter(isSharedBy(plan))
        : [],
    capped: isCapped ? capped : undefined,
  }
}

/**
 * True if agents read the target together with others. The skill managed by Sleep and the notes are read
 * together; a person's own skill is read alone.
 */
const isSharedBy =
  ({ targets: [managed] }: NightPlan) =>
  (name: string): boolean =>
    name === managed?.name || name.startsWith('memory:')

function session<T>(
  setup: Setup,
  limits: Limits,
  directory: string,
  { night, settings, signal, onEvent, onNotice }: NightWork,
  work: Parameters<typeof inSession<T>>[2],
): Promise<SessionResult<T>> {
  const { epochs, stepsPerEpoch } = planTraining(setup.config, setup.tasks.train)
  const name = `night ${night.number}`
  const identity = { kind: 'train', name, sources: settings.loaded.sources, epochs, stepsPerEpoch } as const
  const capped = { ...setup, config: { ...setup.config, limits } }
  const otherSettings = 'or give this night up and begin another one with --new.'
  return inSession(capped, { directory, identity, signal, onEvent, onNotice, otherSettings }, work)
}

function stoppedBy(stopped: 'paused' | 'interrupted', error: SkillOptError | undefined): TargetResult {
  if (error === undefined) throw new Error(`A night was ${stopped} without a reason.`)
  return { stopped, error }
}

/**
 * Share of a cap that training may use if a test follows. The rest is reserved for the test, because an
 * untested gain is worth less.
 */
const trainingShare = 0.8

function forTraining(limits: Limits, { tasks }: Setup): Limits {
  if (tasks.test.length === 0) return limits
  const { maxCalls, maxTokens, maxCost, maxTime } = limits
  return {
    ...(maxCalls === undefined ? {} : { maxCalls: Math.max(1, Math.floor(maxCalls * trainingShare)) }),
    ...(maxTokens === undefined ? {} : { maxTokens: Math.max(1, Math.floor(maxTokens * trainingShare)) }),
    ...(maxCost === undefined ? {} : { maxCost: maxCost * trainingShare }),
    ...(maxTime === undefined ? {} : { maxTime: maxTime * trainingShare }),
  }
}

/** Returns the usage of the night's other runs, which is subtracted because caps apply to the whole night. */
export async function spentElsewhere(
  own: string,
  { night, plan }: NightWork,
  { models }: Setup,
): Promise<Spent> {
  const directories = [
    ...(plan.mining === undefined ? [] : [plan.mining]),
    ...['dreams', ...plan.targets.map(({ name }) => name)].map(name => runDirectory(night, name)),
  ].filter(directory => directory !== own)
  const spent = await Promise.all(directories.map(directory => spentIn(directory, models)))
  return spent.reduce(sumOfSpent, nothingSpent)
}

export type Dreamed =
  | { readonly tasks: readonly SleepTask[] }
  | { readonly stopped: 'paused' | 'interrupted'; readonly error: SkillOptError }

interface Dreaming {
  readonly settings: SleepSettings
  readonly folder: string
  readonly allowSimulated: boolean
}

/**
 * Creates variants of tonight's tasks if the settings ask for them. If a cap is reached, the night continues
 * without them.
 */
export async function dreamTonight(work: NightWork, allowSimulated: boolean): Promise<Dreamed> {
  const { night, plan, settings, signal, onEvent, onNotice } = work
  const { sleep, loaded, packages } = settings
  if (sleep.dreams === 0) return { tasks: [] }
  const setup = await setupOfDreams(plan, { settings, folder: night.folder, allowSimulated })
  const directory = runDirectory(night, 'dreams')
  const others = await spentElsewhere(directory, work, setup)
  const limits = await capsOf(directory, setup, others)
  if (limits === undefined) return { tasks: [] }
  const embedder =
    sleep.embedder === undefined
      ? undefined
      : await loadEmbedder(sleep.embedder, { baseDir: loaded.baseDir, packages })
  work.onPart?.({ name: 'dreams', directory, resumed: await hasRun(directory) })
  const name = `night ${night.number} dreams`
  const identity = { kind: 'mine', name, sources: loaded.sources, epochs: 0, stepsPerEpoch: 0 } as const
  const { outcome, value, error } = await inSession(
    { ...setup, config: { ...setup.config, limits } },
    { directory, identity, signal, onEvent, onNotice },
    run =>
      dreamTasks(run, plan.tasks, {
        prompts: setup.prompts,
        variants: sleep.dreams,
        guard: variantGuard(plan.tasks, embedder),
        lanes: 2 * resolveModel(setup.config.models.optimizer, 'optimizer').concurrency,
        writtenBy: setup.models.optimizer.id,
      }),
  )
  if ((outcome === 'paused' || outcome === 'interrupted') && error !== undefined)
    return { stopped: outcome, error }
  return { tasks: value?.tasks ?? [] }
}

/** Returns what is left of the caps; undefined if one is used up. */
async function capsOf(
  directory: string,
  { config, models }: Setup,
  others: Spent,
): Promise<Limits | undefined> {
  try {
    return capsLeft(config.limits, { own: await spentIn(directory, models), others }, wholeNight)
  } catch (error) {
    if (error instanceof CapReachedError) return undefined
    throw error
  }
}

export async function forecastTonightsDreams(
  plan: NightPlan,
  dreaming: Dreaming,
): Promise<Forecast | undefined> {
  const { dreams } = dreaming.settings.sleep
  if (dreams === 0) return undefined
  return forecastDreams(await setupOfDreams(plan, dreaming), plan.tasks, dreams)
}

function setupOfDreams(plan: NightPlan, { settings, folder, allowSimulated }: Dreaming): Promise<Setup> {
  return assembleForMining(withNightModels(settings.loaded, plan.models, folder), { allowSimulated })
}
