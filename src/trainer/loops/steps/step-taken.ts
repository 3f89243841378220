import type { Attempt } from '../../../core/task/task.js'
import type { StepRecord } from '../../stages/memory.js'
import { isSuccess } from '../../stages/render.js'

/** What a step says about the steps that are still to come: what they should try, and whether they are worth it. */
export interface StepTaken {
  /** The text that it began with. */
  readonly skill: string
  readonly outcome: StepRecord['outcome']
  /** Train task -> whether that skill solved it, every time that it was tried. */
  readonly solved: ReadonlyMap<string, boolean>
}

export async function stepTaken(
  skill: string,
  rollouts: readonly (readonly Promise<Attempt>[])[],
  { outcome }: Pick<StepRecord, 'outcome'>,
): Promise<StepTaken> {
  const solved = new Map<string, boolean>()
  for (const attempt of await Promise.all(rollouts.flat()))
    solved.set(attempt.task, isSuccess(attempt) && solved.get(attempt.task) !== false)
  return { skill, outcome, solved }
}

/** Tasks that were solved when they were last tried. */
export function solvedBy(steps: readonly StepTaken[]): ReadonlySet<string> {
  const latest = new Map(steps.flatMap(({ solved }) => [...solved]))
  return new Set([...latest].filter(([, solved]) => solved).map(([task]) => task))
}
