import { readFile } from 'node:fs/promises'
import type { RunEvent } from '../core/log/event.js'
import { adopt } from '../sleep/adopt/index.js'
import { type SleepRunResult, sleepRun } from '../sleep/night/night.js'
import { adoptionState } from '../sleep/proposal/adoption-place.js'
import { openProject } from '../sleep/settings/places.js'
import type { ExperimentPlace } from './place.js'

/** A document that learns, and what its nights begin from. */
export interface Subject {
  /** The file that is taught; it need not be there yet. */
  readonly document: string
  /** Dotted settings, besides those that every experiment has. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Reviewed tasks, in place of sessions. */
  readonly tasksFile?: string | undefined
  /** What happens on the day before a night, counted from 1. */
  readonly beforeNight?: ((night: number) => Promise<void>) | undefined
}

export interface NightsOptions {
  readonly nights: number
  readonly seed: number
  /** Without one, whatever is proposed is taken. */
  readonly gate: boolean
  /** The model that does the work; the usual simulated one if not given. */
  readonly target?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onNight?: ((night: number) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
}

export interface Slept {
  /** What the document said before the first night and after the last one; nothing where there was none. */
  readonly before: string
  readonly after: string
  readonly nights: readonly {
    readonly number: number
    readonly result: SleepRunResult
    /** What it said when the night was over. */
    readonly document: string
  }[]
}

export const usualTarget = 'simulated/target'

/** As a person would who agrees to everything: by itself a night adopts nothing that no gate has seen. */
async function adoptProposed(place: ExperimentPlace, { outcome, night }: SleepRunResult): Promise<void> {
  const [proposal, roots] = [night?.proposal, night?.plan?.roots]
  if (outcome !== 'proposed' || proposal === undefined || roots === undefined) return
  const surroundings = { env: place.env, cwd: place.root }
  const project = await openProject(place.project, surroundings)
  await adopt(proposal, { ...adoptionState(project, surroundings), roots })
}

/** Nights one after the other, by the product's own way; what they propose is adopted, gated or not. */
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
      ...{ project: place.project, env: place.env, cwd: place.root, tasksFile: subject.tasksFile },
      ...{ allowSimulated: true, flags: settingsOf(subject, options, number) },
      ...{ signal, onEvent, onNotice: () => undefined },
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
    // A night that found nothing is tried again with other draws.
    'train.seed': seed + night - 1,
    // Nobody is there to review what is made up.
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
