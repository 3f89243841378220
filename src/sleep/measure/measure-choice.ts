import { join } from 'node:path'
import { lastingSettings } from '../../core/config/difference.js'
import { CapReachedError, InputError, type SkillOptError } from '../../core/errors/errors.js'
import type { RunEvent } from '../../core/log/event.js'
import type { Interval } from '../../core/statistics/intervals.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { closeModels } from '../../models/index.js'
import { nothingSpent } from '../../run/spending.js'
import { costsNothing } from '../../session/evaluation-session.js'
import { inSession } from '../../session/session.js'
import { capsLeft, overall, spentIn, sumOfSpent } from '../../session/shared-caps.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { type PreviewedChange, sha256 } from '../adopt/index.js'
import type { NightPlan, PlannedTarget } from '../model/night-record.js'
import { setupForTarget } from '../night/target-setup.js'
import { type Night, targetSlug } from '../nights/nights.js'
import type { SleepSettings } from '../settings/settings.js'
import { type ChoiceVerdict, measureChoice as measureText } from './choice-verdict.js'

export interface MeasureChoiceOptions {
  readonly night: Night
  /** The project's folder, with links resolved. */
  readonly project: string
  /** The changes to write, as returned by `preview`. */
  readonly changes: readonly PreviewedChange[]
  readonly settings: SleepSettings
  /** Asks for confirmation before the first paid call, with the number of target calls and judge calls. */
  readonly confirm?: ((calls: number, judgeCalls: number) => Promise<boolean>) | undefined
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  readonly onNotice?: ((text: string) => void) | undefined
  /** Creates the training setup of a document. Tests replace it. */
  readonly setupFor?: typeof setupForTarget
}

export interface MeasuredTarget {
  readonly name: string
  readonly accepted: boolean
  /** The gate's decision, as a sentence. */
  readonly reason: string
  readonly validation: { readonly before: number; readonly after: number }
  readonly test: { readonly before: Interval; readonly after: Interval; readonly tasks: number } | undefined
  readonly directory: string
}

export interface MeasuredChoice {
  readonly outcome: 'accepted' | 'rejected' | 'paused' | 'cap' | 'interrupted' | 'declined'
  readonly error: SkillOptError | undefined
  readonly simulated: boolean
  /** The targets measured so far. Measuring stops after the first that is not accepted. */
  readonly targets: readonly MeasuredTarget[]
  /** Hash of each accepted text, keyed by target. Empty unless all targets were accepted. */
  readonly measured: ReadonlyMap<string, string>
  /** Folder with the logs. */
  readonly directory: string
}

/**
 * Runs the night's gate on exactly the edits that a person has chosen. It compares each document as it is now
 * with its new text, on the night's tasks. A repeated call with the same choice reads the results from the
 * log.
 */
export async function measureChoice(options: MeasureChoiceOptions): Promise<MeasuredChoice> {
  const { night, changes, confirm } = options
  const directory = join(night.folder, 'measures')
  const nothing = { simulated: false, targets: [], measured: new Map<string, string>(), directory }
  try {
    const planned = await planMeasures(options, directory)
    const calls = planned.map(({ setup }) => callsOf(setup))
    const isPaid = planned.some(({ setup }) => !costsNothing(setup))
    const [attempts, judging] = [sum(calls.map(one => one.attempts)), sum(calls.map(one => one.judging))]
    if (isPaid && confirm !== undefined && !(await confirm(attempts, judging)))
      return { ...nothing, outcome: 'declined', error: undefined }
    const simulated = planned.some(({ setup }) => setup.simulated)
    const targets: MeasuredTarget[] = []
    for (const one of planned) {
      const { outcome, error, value } = await measureOne(one, planned, options)
      if (value === undefined) return { ...nothing, simulated, targets, ...stoppedAs(outcome, error) }
      targets.push(measuredTarget(one, value))
      if (!value.accepted) return { ...nothing, simulated, targets, outcome: 'rejected', error: undefined }
    }
    const measured = new Map(changes.map(({ name, after }) => [name, sha256(after)]))
    return { ...nothing, outcome: 'accepted', error: undefined, simulated, targets, measured }
  } finally {
    await closeModels()
  }
}

interface PlannedMeasure {
  readonly change: PreviewedChange
  readonly setup: Setup
  readonly directory: string
}

/**
 * Plans a measurement for each target, in the night's order, together with the new texts of the previous
 * targets. Problems are reported before anything is spent.
 */
async function planMeasures(options: MeasureChoiceOptions, folder: string): Promise<PlannedMeasure[]> {
  const { night, project, settings, changes, setupFor = setupForTarget } = options
  const plan = planWith(night, changes)
  const learned = new Map<string, string>()
  const planned: PlannedMeasure[] = []
  for (const target of plan.targets) {
    const change = changes.find(({ name }) => name === target.name)
    if (change === undefined) continue
    const made = await setupFor(plan, target, settings, {
      folder: night.folder,
      project,
      learned: new Map(learned),
    })
    const candidate = contentHash(change.region.after)
    const setup = { ...made, fingerprints: { ...made.fingerprints, candidate } }
    const identity = contentHash(canonicalJson([lastingSettings(setup.config), setup.fingerprints]))
    const directory = join(folder, `${targetSlug(target.name)}-${identity.slice(0, 8)}`)
    planned.push({ change, setup, directory })
    learned.set(target.name, change.region.after)
  }
  return planned
}

/** Returns the night's plan with the documents as they are now, because the agent will read these. */
function planWith({ plan, number }: Night, changes: readonly PreviewedChange[]): NightPlan {
  if (plan === undefined) throw notPlanned(number, changes[0]?.name ?? '')
  const unknown = changes.find(({ name }) => !plan.targets.some(target => target.name === name))
  if (unknown !== undefined) throw notPlanned(number, unknown.name)
  const targets = plan.targets.map((target): PlannedTarget => {
    const change = changes.find(({ name }) => name === target.name)
    if (change === undefined) return target
    const { before, after, region } = change
    return { ...target, live: before ?? null, frame: before ?? after, region: region.before }
  })
  return { ...plan, targets }
}

function notPlanned(number: number, name: string): InputError {
  return new InputError(`Night ${number} does not say by which tasks ${name} is to be judged.`, {
    hint: 'Nothing was changed. Adopt it without --measure, or wait for the next night.',
  })
}

/**
 * Counts the attempts and judge calls. Both texts run on all tasks; an undecided gate repeats some tasks
 * once.
 */
function callsOf({ tasks, environment }: Setup): { readonly attempts: number; readonly judging: number } {
  const attempts = 2 * (tasks.val.length + tasks.test.length)
  return { attempts, judging: attempts * (environment.scoring?.judgeCalls ?? 0) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const whole = 'the whole measurement'

async function measureOne(
  { change, setup, directory }: PlannedMeasure,
  planned: readonly PlannedMeasure[],
  { night, settings, signal, onEvent, onNotice }: MeasureChoiceOptions,
) {
  const { limits } = setup.config
  const others = planned.filter(other => other.directory !== directory)
  const elsewhere = await Promise.all(others.map(other => spentIn(other.directory, other.setup.models)))
  try {
    const own = await spentIn(directory, setup.models)
    const left = capsLeft(limits, { own, others: elsewhere.reduce(sumOfSpent, nothingSpent) }, whole)
    const name = `choice from night ${night.number}`
    const { sources } = settings.loaded
    const identity = { kind: 'eval', name, sources, epochs: 0, stepsPerEpoch: 0 } as const
    const capped = { ...setup, config: { ...setup.config, limits: left } }
    const session = { directory, identity, signal, onEvent, onNotice }
    const result = await inSession(capped, session, run => measureText(run, capped, change.region.after))
    return { ...result, error: overall(result.error, limits, whole) }
  } catch (error) {
    if (!(error instanceof CapReachedError)) throw error
    return { outcome: 'cap' as const, error, value: undefined }
  }
}

function stoppedAs(
  outcome: 'finished' | 'paused' | 'cap' | 'interrupted',
  error: SkillOptError | undefined,
): Pick<MeasuredChoice, 'outcome' | 'error'> {
  if (outcome === 'finished') throw new Error('A measurement came to its end without a verdict.')
  return { outcome, error }
}

function measuredTarget(
  { change, directory }: PlannedMeasure,
  { accepted, decided, test }: ChoiceVerdict,
): MeasuredTarget {
  return {
    name: change.name,
    accepted,
    reason: decided.verdict.reason,
    directory,
    validation: { before: decided.current, after: decided.score },
    test: test && {
      before: test.before.interval,
      after: test.after.interval,
      tasks: test.after.scored,
    },
  }
}
