/** How the edit budget, the textual learning rate, falls over a run. */
type ScheduleMode = 'constant' | 'linear' | 'cosine'

export interface Schedule {
  readonly mode: ScheduleMode
  readonly max: number
  readonly min: number
  /** Steps of the whole run. */
  readonly steps: number
}

/** How many edits step `step` (counted from 1) may apply. The last step has the minimum. */
export function budgetAt(schedule: Schedule, step: number): number {
  const { mode, max, min } = schedule
  if (mode === 'constant') return max
  const progress = Math.min(1, Math.max(0, step / Math.max(1, schedule.steps)))
  if (mode === 'linear') return Math.max(min, roundHalfToEven(max - (max - min) * progress))
  return Math.max(min, roundHalfToEven(min + 0.5 * (max - min) * (1 + Math.cos(Math.PI * progress))))
}

/** Ties go to the even number, as in Python, so that budgets carry over from the reference. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value)
  const fraction = value - floor
  if (fraction !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
