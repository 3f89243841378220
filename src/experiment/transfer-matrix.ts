import { join } from 'node:path'
import { type TransferScores, transfer } from '../app/transfer.js'
import type { SleepTask } from '../sleep/model/sleep-task.js'
import { writeHeldOut } from './measure.js'
import { type ExperimentPlace, openPlace } from './place.js'

/** Simulated targets that differ in how they read a skill. */
const matrixTargets = ['simulated/target', 'simulated/target-hasty', 'simulated/target-literal'] as const

/** The document that nights with one target produced, and tasks that these nights did not see. */
export interface Learned {
  readonly before: string
  readonly after: string
  readonly heldOut: readonly SleepTask[]
}

export interface MatrixRow {
  readonly trainedWith: string
  /** Scores with each target; empty if nothing was learned. */
  readonly cells: readonly { readonly target: string; readonly scores: TransferScores }[]
}

/** The results for one skill of a set, or for one persona. */
export interface Matrix {
  readonly name: string
  readonly rows: readonly MatrixRow[]
}

interface MatrixOptions {
  readonly samples: number
  /** Folder in which to keep the experiment's files. */
  readonly keep?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Builds a matrix with one row per training target. Each row holds the scores of the resulting skill with
 * every target.
 */
export async function transferMatrix(
  projectName: string,
  learn: (place: ExperimentPlace, target: string) => Promise<Learned>,
  options: MatrixOptions,
): Promise<readonly MatrixRow[]> {
  const { keep } = options
  const rows: MatrixRow[] = []
  for (const trainedWith of matrixTargets) {
    const place = await openPlace(projectName, {
      keep: keep === undefined ? undefined : join(keep, trainedWith.replace('/', '-')),
    })
    try {
      const learned = await learn(place, trainedWith)
      const isNew = learned.after !== learned.before
      rows.push({ trainedWith, cells: isNew ? await tryWith(learned, place, options) : [] })
    } finally {
      await place.close()
    }
  }
  return rows
}

async function tryWith(
  learned: Learned,
  place: ExperimentPlace,
  { samples, signal }: MatrixOptions,
): Promise<MatrixRow['cells']> {
  const [target] = matrixTargets
  const project = await writeHeldOut(place, learned, { tasks: learned.heldOut, target })
  const result = await transfer({
    ...project,
    to: matrixTargets,
    samples,
    split: 'test',
    env: place.env,
    signal,
    onNotice: () => undefined,
  })
  return result.targets.map(({ target: tried, scores, error }) => {
    if (scores === undefined) throw error ?? new Error(`${tried} was not measured.`)
    return { target: tried, scores }
  })
}
