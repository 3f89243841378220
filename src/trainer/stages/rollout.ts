import { usageMeans } from '../../core/comparison/skill-comparison.js'
import { PausedError } from '../../core/errors/errors.js'
import type { Place, Summary } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { skillHash } from '../../core/skill/skill.js'
import type { Attempt, Row, Split, Task } from '../../core/task/task.js'
import { mapConcurrently, startEarly } from './concurrency.js'

interface RolloutOptions {
  readonly skill: string
  readonly tasks: readonly Task[]
  /** Attempts with the same scope are made once; see `rolloutScope`. */
  readonly scope: string
  readonly place: Place
  /** Attempts per task; defaults to one. */
  readonly samples?: number
}

/**
 * Forward: the target attempts a batch of train tasks with the skill. Returns one promise per attempt, in
 * the batch's seeded order with all attempts at a task in sequence, so that reflection can begin before the
 * slowest has finished.
 */
export function rollout(
  run: Run,
  { skill, tasks, scope, place, samples = 1 }: RolloutOptions,
): Promise<Attempt>[] {
  return tasks.flatMap(task =>
    Array.from({ length: samples }, (_, sample) =>
      startEarly(run.perform({ kind: 'attempt', skill, task, sample, scope }, place)),
    ),
  )
}

/**
 * With the step as scope, every rollout is a separate sample. With an empty scope, attempts are shared: a
 * task that an earlier step attempted under the same skill text does not run again.
 */
export function rolloutScope(reuse: 'resample' | 'reuse', step: number, round: number): string {
  return reuse === 'reuse' ? '' : `step ${step}.${round}`
}

interface EvaluateOptions {
  readonly skill: string
  readonly split: Split
  readonly tasks: readonly Task[]
  /** Maximum number of concurrent attempts. */
  readonly concurrency: number
  readonly place: Place
  /** Attempts per task; defaults to one. */
  readonly samples?: number
}

interface Evaluation extends Summary {
  readonly skill: string
  readonly split: Split
  readonly rows: readonly Row[]
}

/**
 * Scores a skill on tasks of a split. Attempts carry no scope, so the same skill on the same task is never
 * paid for twice. Each sample runs through all tasks before the next, so that a stopped evaluation has
 * complete samples.
 */
export async function evaluate(
  run: Run,
  { skill, split, tasks, concurrency, place, samples = 1 }: EvaluateOptions,
): Promise<Evaluation> {
  const wanted = Array.from({ length: samples }, (_, sample) => tasks.map(task => ({ task, sample }))).flat()
  const rows = await mapConcurrently(wanted, concurrency, async ({ task, sample }) =>
    rowOf(await run.perform({ kind: 'attempt', skill, task, sample, scope: '' }, place)),
  )
  return { skill: skillHash(skill), split, rows, ...summarize(rows) }
}

export function rowOf(attempt: Attempt): Row {
  const { task, type, sample, outcome, reward, tokens, ms } = attempt
  if (outcome.status === 'failed') return { task, type, sample }
  return {
    task,
    type,
    sample,
    hard: outcome.score.hard,
    soft: outcome.score.soft,
    reward,
    tokens,
    ms,
  }
}

/**
 * Means over the scored attempts. External failures are counted separately, never as 0. If no attempt has a
 * score, the run pauses.
 */
export function summarize(rows: readonly Row[]): Summary {
  let hard = 0
  let soft = 0
  const known: Row[] = []
  for (const row of rows) {
    if (row.hard === undefined) continue
    hard += row.hard
    soft += row.soft ?? row.hard
    known.push(row)
  }
  const scored = known.length
  if (scored === 0) {
    throw new PausedError(
      `0 of ${rows.length} attempts were scored; all of them failed for external reasons.`,
      {
        hint: '`skillopt show RUN --task ID` shows the error of a task. Fix it, then rerun the same command to resume.',
      },
    )
  }
  return {
    hard: hard / scored,
    soft: soft / scored,
    scored,
    failed: rows.length - scored,
    ...usageMeans(known),
  }
}
