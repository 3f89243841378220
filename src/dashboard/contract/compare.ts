import type { RunSummary } from './runs.js'

/** More lines than this on one chart, nobody can tell apart. */
export const comparedAtMost = 12

/** Where a run stood when a step had ended; step 0 is the seed, when the first step began. */
export interface CurvePoint {
  readonly step: number
  readonly activeMs: number
  /** Of the calls whose usage and price are known. */
  readonly tokens: number
  readonly cost: number
  /** What the gate measured at this step. */
  readonly validation?: number
  /** Of the best skill so far. */
  readonly best?: number
}

export interface SkillSize {
  readonly lines: number
  /** As o200k counts them. */
  readonly tokens: number
}

export interface ComparedRun {
  readonly summary: RunSummary
  readonly points: readonly CurvePoint[]
  readonly seed?: SkillSize
  readonly best?: SkillSize
}

/** A setting that is not the same in all of the runs: as JSON, in their order; null where a run has no such setting. */
export interface SettingDifference {
  readonly path: string
  readonly values: readonly (string | null)[]
}

/** `GET /api/compare?run=…&run=…`, in the order that was asked for. */
export interface RunComparison {
  readonly runs: readonly ComparedRun[]
  readonly settings: readonly SettingDifference[]
}
