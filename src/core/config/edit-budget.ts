/** Schedule of the edit budget over a run. The edit budget is the textual learning rate. */
type ScheduleMode = 'constant' | 'linear' | 'cosine'

export interface Schedule {
  readonly mode: ScheduleMode
  readonly max: number
  readonly min: number
  /** Number of steps in the whole run. */
  readonly steps: number
}

/** Maximum number of edits at `step` (counted from 1). The last step has the minimum. */
export function budgetAt(schedule: Schedule, step: number): number {
  const { mode, max, min } = schedule
  if (mode === 'constant') return max
  const progress = Math.min(1, Math.max(0, step / Math.max(1, schedule.steps)))
  if (mode === 'linear') return Math.max(min, roundHalfToEven(max - (max - min) * progress))
  return Math.max(min, roundHalfToEven(min + 0.5 * (max - min) * (1 + Math.cos(Math.PI * progress))))
}

/** Rounds ties to even, as Python does, so that budgets match the reference. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value)
  const fraction = value - floor
  if (fraction !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
