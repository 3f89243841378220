import type { Config } from '../../../core/config/config.js'
import type { Attempt } from '../../../core/task/task.js'
import { plural } from '../../../core/text/format.js'
import { allEpochs } from '../../../core/view/stop-reason.js'
import type { StepRecord } from '../../stages/memory.js'
import { isSuccess } from '../../stages/render.js'

/** Result of a step. It decides which tasks later steps try, and whether training continues. */
export interface FinishedStep {
  /** The skill's text at the start of the step. */
  readonly skill: string
  readonly outcome: StepRecord['outcome']
  /** Whether the skill solved each train task in every attempt, by task. */
  readonly solved: ReadonlyMap<string, boolean>
}

export async function finishedStep(
  skill: string,
  rollouts: readonly (readonly Promise<Attempt>[])[],
  { outcome }: Pick<StepRecord, 'outcome'>,
): Promise<FinishedStep> {
  const solved = new Map<string, boolean>()
  for (const attempt of await Promise.all(rollouts.flat()))
    solved.set(attempt.task, isSuccess(attempt) && solved.get(attempt.task) !== false)
  return { skill, outcome, solved }
}

/** Tasks that were solved in their latest step. */
export function solvedTasks(steps: readonly FinishedStep[]): ReadonlySet<string> {
  const latest = new Map(steps.flatMap(({ solved }) => [...solved]))
  return new Set([...latest].filter(([, solved]) => solved).map(([task]) => task))
}

/**
 * Outcomes that count towards ending the training. Steps with an optimizer failure or an external failure are
 * not among them, since they do not show that nothing is left to learn.
 */
const fruitless: readonly StepRecord['outcome'][] = ['rejected', 'no-edits', 'nothing-applied']

interface StopConditions extends Pick<Config['train'], 'patience' | 'stopWhenSolved'> {
  /** The text of the current skill. */
  readonly current: string
  /** Whether no further step is planned. */
  readonly isLast: boolean
  /** Number of train tasks. */
  readonly trainSize: number
}

/**
 * Returns why training ends after these steps, if it does. Only steps that started with the current skill
 * count: an edit or a slow update changes the text and so resets the count.
 */
export function stopReason(
  steps: readonly FinishedStep[],
  { current, isLast, trainSize, patience, stopWhenSolved }: StopConditions,
): string | undefined {
  if (isLast) return allEpochs
  const since = steps.slice(steps.findLastIndex(({ skill }) => skill !== current) + 1)
  if (stopWhenSolved && solvedTasks(since).size === trainSize) return 'no failures left'
  const idle = since.filter(({ outcome }) => fruitless.includes(outcome)).length
  return patience > 0 && idle >= patience ? `no accepted edit for ${plural(patience, 'step')}` : undefined
}
