import { readFile } from 'node:fs/promises'
import type { RunEvent } from '../core/log/event.js'
import { adopt } from '../sleep/adopt/index.js'
import { type SleepRunResult, sleepRun } from '../sleep/night/night.js'
import { adoptionState } from '../sleep/proposal/adoption-place.js'
import { openProject } from '../sleep/settings/places.js'
import type { ExperimentPlace } from './place.js'

/** What an experiment trains: a document, and the input of its nights. */
export interface Subject {
  /** Path of the document. The file need not exist yet. */
  readonly document: string
  /** Settings by dotted path, in addition to those of every experiment. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Reviewed tasks that are used instead of sessions. */
  readonly tasksFile?: string | undefined
  /** Called before each night. Nights are counted from 1. */
  readonly beforeNight?: ((night: number) => Promise<void>) | undefined
}

export interface NightsOptions {
  readonly nights: number
  readonly seed: number
  /** If false, every proposal is accepted without a gate. */
  readonly gate: boolean
  /** The target model. Defaults to the usual simulated one. */
  readonly target?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNight?: ((night: number) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
}

export interface Slept {
  /**
   * The document before the first night; empty if it did not exist. `after` is the document after the last
   * night.
   */
  readonly before: string
  readonly after: string
  readonly nights: readonly {
    readonly number: number
    readonly result: SleepRunResult
    /** The document after this night. */
    readonly document: string
  }[]
}

export const usualTarget = 'simulated/target'

/**
 * Adopts a night's proposal, like a user who agrees to everything. A night itself never adopts changes that
 * have not passed a gate.
 */
async function adoptProposed(place: ExperimentPlace, { outcome, night }: SleepRunResult): Promise<void> {
  const [proposal, roots] = [night?.proposal, night?.plan?.roots]
  if (outcome !== 'proposed' || proposal === undefined || roots === undefined) return
  const surroundings = { env: place.env, cwd: place.root }
  const project = await openProject(place.project, surroundings)
  await adopt(proposal, { ...adoptionState(project, surroundings), roots })
}

/**
 * Runs nights one after the other through the product's own code. Their proposals are adopted, with or
 * without a gate.
 */
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
    // Another seed for each night, so that a night that found nothing is not simply repeated.
    'train.seed': seed + night - 1,
    // Without a gate everything is accepted, because nobody is there to review a proposal.
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
