import type { RunSummary } from './runs.js'

/** Maximum number of runs on one chart; more lines cannot be told apart. */
export const comparedAtMost = 12

/** The state of a run at the end of a step. Step 0 is the seed, before the first step. */
export interface CurvePoint {
  readonly step: number
  readonly activeMs: number
  /** Tokens and cost so far, summed over the calls for which they are known. */
  readonly tokens: number
  readonly cost: number
  /** Validation score that the gate measured at this step. */
  readonly validation?: number
  /** Validation score of the best skill so far. */
  readonly best?: number
}

export interface SkillSize {
  readonly lines: number
  /** Number of tokens in the o200k encoding. */
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
