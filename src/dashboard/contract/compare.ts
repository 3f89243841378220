import type { RunSummary } from './runs.js'

/** More lines than this cannot be told apart on one chart. */
export const comparedAtMost = 12

/** The state of a run at the end of a step; step 0 is the seed, when the first step began. */
export interface CurvePoint {
  readonly step: number
  readonly activeMs: number
  /** Totals over the calls whose usage and price are known. */
  readonly tokens: number
  readonly cost: number
  /** Validation score that the gate measured at this step. */
  readonly validation?: number
  /** Validation score of the best skill so far. */
  readonly best?: number
}

export interface SkillSize {
  readonly lines: number
  /** Token count under the o200k encoding. */
  readonly tokens: number
}

export interface ComparedRun {
  readonly summary: RunSummary
  readonly points: readonly CurvePoint[]
  readonly seed?: SkillSize
  readonly best?: SkillSize
}

/**
 * A setting that differs between the runs. Values are JSON, in the order of the runs; null where a run lacks
 * the setting.
 */
export interface SettingDifference {
  readonly path: string
  readonly values: readonly (string | null)[]
}

/** `GET /api/compare?run=…&run=…`, in the requested order. */
export interface RunComparison {
  readonly runs: readonly ComparedRun[]
  readonly settings: readonly SettingDifference[]
}
