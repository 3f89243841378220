import type { Attempt } from '../../../core/task/task.js'
import type { StepRecord } from '../../stages/memory.js'
import { isSuccess } from '../../stages/render.js'

/** Result of a step that decides which tasks later steps try, and whether training goes on. */
export interface StepTaken {
  /** The skill's text at the start of the step. */
  readonly skill: string
  readonly outcome: StepRecord['outcome']
  /** Train task -> whether that skill solved it in every attempt. */
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

/** Tasks that were solved in their latest step. */
export function solvedBy(steps: readonly StepTaken[]): ReadonlySet<string> {
  const latest = new Map(steps.flatMap(({ solved }) => [...solved]))
  return new Set([...latest].filter(([, solved]) => solved).map(([task]) => task))
}
