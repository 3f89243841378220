import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from '../app/evaluate.js'
import type { ConfigInput } from '../core/config/config.js'
import type { Interval } from '../core/statistics/intervals.js'
import { type SleepTask, type TaskBook, tasksFormat } from '../sleep/model/sleep-task.js'
import type { ExperimentPlace } from './place.js'

/** Scores from fresh attempts at tasks that no night has learned from. */
export interface Measured {
  readonly tasks: number
  /** Number of attempts for each document. */
  readonly attempts: number
  readonly before: Interval
  readonly after: Interval
  /** The difference between the two documents, paired by task. */
  readonly difference: Interval
}

/** A document's text before and after the nights. */
export interface Documents {
  readonly before: string
  readonly after: string
}

export interface HeldOut {
  readonly tasks: readonly SleepTask[]
  /** Number of attempts per task and document. */
  readonly samples: number
  readonly target: string
  /** Folder name inside the experiment's place. Different tasks need different folders. */
  readonly folder?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Evaluates both documents on the same tasks in a new run. No score from the nights is reused. */
export async function measureDocuments(
  place: ExperimentPlace,
  documents: Documents,
  heldOut: HeldOut,
): Promise<Measured> {
  const { samples, signal } = heldOut
  const { skill, seedSkill, ...project } = await writeHeldOut(place, documents, heldOut)
  const result = await evaluate({
    ...project,
    samples,
    split: 'test',
    skill: [seedSkill, skill],
    env: place.env,
    signal,
    onNotice: () => undefined,
  })
  if (result.error !== undefined) throw result.error
  const [before, after] = result.skills.map(({ splits }) => splits[0])
  const pair = result.comparisons[0]?.pairs[0]
  if (before === undefined || after === undefined || pair === undefined)
    throw new Error('The held-out tasks were not measured.')
  return {
    tasks: before.scored,
    attempts: before.attempts.scored,
    before: before.interval,
    after: after.interval,
    difference: pair.difference,
  }
}

interface HeldOutProject {
  readonly config: ConfigInput
  readonly cwd: string
  readonly skill: string
  readonly seedSkill: string
}

/**
 * Writes held-out tasks and the two documents as a separate project without training tasks. Its paths are
 * relative, so that the experiment's location does not affect the result.
 */
export async function writeHeldOut(
  place: ExperimentPlace,
  { before, after }: Documents,
  { tasks, target, folder = 'held-out' }: Pick<HeldOut, 'tasks' | 'target' | 'folder'>,
): Promise<HeldOutProject> {
  const cwd = join(place.root, folder)
  const test = tasks.map(task => ({ ...task, split: 'test' as const }))
  const files = {
    'before.md': before,
    'after.md': after,
    'tasks.json': JSON.stringify(bookOf(place.project, test), null, 2),
  }
  await mkdir(cwd, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  const config: ConfigInput = {
    skill: 'before.md',
    environment: { use: 'sleep-tasks', path: 'tasks.json' },
    models: { target, optimizer: 'simulated/optimizer', judge: 'simulated/judge' },
  }
  return { config, cwd, skill: 'after.md', seedSkill: 'before.md' }
}

/** Creates a task book whose tasks are all reviewed. */
export function bookOf(project: string, tasks: readonly SleepTask[]): TaskBook {
  const nothing = { sessions: {}, dropped: [], passedOver: [] }
  return { format: tasksFormat, project, reviewed: true, tasks: [...tasks], ...nothing }
}
