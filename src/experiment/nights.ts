import { readFile } from 'node:fs/promises'
import type { RunEvent } from '../core/log/event.js'
import { adopt } from '../sleep/adopt/index.js'
import { type SleepRunResult, sleepRun } from '../sleep/night/night.js'
import { adoptionState } from '../sleep/proposal/adoption-place.js'
import { openProject } from '../sleep/settings/places.js'
import type { ExperimentPlace } from './place.js'

/** The document to train, and the input of its nights. */
export interface Subject {
  /** The file to train; it need not exist yet. */
  readonly document: string
  /** Dotted settings, in addition to those of every experiment. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Reviewed tasks, used instead of sessions. */
  readonly tasksFile?: string | undefined
  /** Called on the day before each night, counted from 1. */
  readonly beforeNight?: ((night: number) => Promise<void>) | undefined
}

export interface NightsOptions {
  readonly nights: number
  readonly seed: number
  /** Without the gate, every proposal is accepted. */
  readonly gate: boolean
  /** The target model; defaults to the usual simulated one. */
  readonly target?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNight?: ((night: number) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
}

export interface Slept {
  /** The document before the first night and after the last one; empty if it did not exist. */
  readonly before: string
  readonly after: string
  readonly nights: readonly {
    readonly number: number
    readonly result: SleepRunResult
    /** The document after the night. */
    readonly document: string
  }[]
}

export const usualTarget = 'simulated/target'

/** Acts as a user who agrees to everything: by itself, a night adopts nothing that has not passed a gate. */
async function adoptProposed(place: ExperimentPlace, { outcome, night }: SleepRunResult): Promise<void> {
  const [proposal, roots] = [night?.proposal, night?.plan?.roots]
  if (outcome !== 'proposed' || proposal === undefined || roots === undefined) return
  const surroundings = { env: place.env, cwd: place.root }
  const project = await openProject(place.project, surroundings)
  await adopt(proposal, { ...adoptionState(project, surroundings), roots })
}

/** Runs nights in sequence through the product's own code; their proposals are adopted, gated or not. */
export async function sleepNights(
  place: ExperimentPlace,
  subject: Subject,
  options: NightsOptions,
): Promise<Slept> {
  const { signal, onNight, onEvent } = options
  const before = await textAt(subject.document)
  const nights: Slept['nights'][number][] = []
  for (let number = 1; number <= options.nights; number++) {
    onNight?.(number)
    await subject.beforeNight?.(number)
    const result = await sleepRun({
      project: place.project,
      env: place.env,
      cwd: place.root,
      tasksFile: subject.tasksFile,
      allowSimulated: true,
      flags: settingsOf(subject, options, number),
      signal,
      onEvent,
      onNotice: () => undefined,
    })
    if (result.error !== undefined) throw result.error
    await adoptProposed(place, result)
    nights.push({ number, result, document: await textAt(subject.document) })
  }
  return { before, after: nights.at(-1)?.document ?? before, nights }
}

function settingsOf(
  { settings }: Subject,
  { seed, gate, target = usualTarget }: NightsOptions,
  night: number,
): Record<string, unknown> {
  return {
    'models.target': target,
    'models.optimizer': 'simulated/optimizer',
    'models.judge': 'simulated/judge',
    // A night that found nothing is repeated with another seed.
    'train.seed': seed + night - 1,
    // Nobody is present to review invented tasks.
    ...(gate ? {} : { 'evaluation.gate': 'always' }),
    ...settings,
  }
}

async function textAt(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
