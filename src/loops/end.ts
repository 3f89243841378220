import type { Config } from '../core/config.js'
import { allEpochs } from '../core/ending.js'
import { plural } from '../core/format.js'
import type { Attempt } from '../core/task.js'
import type { StepRecord } from '../stages/memory.js'
import { isSuccess } from '../stages/render.js'
import type { Plan } from './plan.js'

/** What a step says about whether more of them are worth it. */
export interface StepTaken {
  /** The text that it began with. */
  readonly skill: string
  readonly outcome: StepRecord['outcome']
  /** Train task -> whether that skill solved it. */
  readonly solved: ReadonlyMap<string, boolean>
}

export async function stepTaken(
  skill: string,
  rollouts: readonly (readonly Promise<Attempt>[])[],
  { outcome }: Pick<StepRecord, 'outcome'>,
): Promise<StepTaken> {
  const attempts = await Promise.all(rollouts.flat())
  return { skill, outcome, solved: new Map(attempts.map(attempt => [attempt.task, isSuccess(attempt)])) }
}

/** Steps in which the optimizer or the world failed say nothing about what there is left to learn. */
const fruitless: readonly StepRecord['outcome'][] = ['rejected', 'no-edits', 'nothing-applied']

/**
 * Why training ends after these steps, if it does. Only the steps that began with the current skill count: any other
 * text, be it from an edit or from a slow update, is a new beginning.
 */
export function endOf(
  steps: readonly StepTaken[],
  current: string,
  { epochs, stepsPerEpoch }: Pick<Plan, 'epochs' | 'stepsPerEpoch'>,
  trainSize: number,
  { patience, stopWhenSolved }: Pick<Config['train'], 'patience' | 'stopWhenSolved'>,
): string | undefined {
  if (steps.length === epochs * stepsPerEpoch) return allEpochs
  const since = steps.slice(steps.findLastIndex(({ skill }) => skill !== current) + 1)
  if (stopWhenSolved && solvedBy(since) === trainSize) return 'no failures left'
  const idle = since.filter(({ outcome }) => fruitless.includes(outcome)).length
  return patience > 0 && idle >= patience ? `no accepted edit for ${plural(patience, 'step')}` : undefined
}

/** Tasks that were solved when they were last tried. */
function solvedBy(steps: readonly StepTaken[]): number {
  const latest = new Map(steps.flatMap(({ solved }) => [...solved]))
  return [...latest.values()].filter(Boolean).length
}
