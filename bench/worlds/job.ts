import type { PresetName } from '../../src/core/config/presets.js'
import { constants } from '../../src/trainer/loops/trials/constants.js'
import { scoresAt } from '../peers/scores.js'
import { type Audit, auditRun } from './audit.js'
import { runInProcess, type Settings } from './in-process.js'
import { type WorldSpec, worldSpec } from './spec.js'
import { createWorld } from './world.js'

/** One training in one world, as plain data that can be sent to another thread. */
export interface WorldJob {
  readonly world: string
  readonly seed: number
  readonly preset?: PresetName
  readonly settings?: Settings
  /** Overrides for constants of the method. */
  readonly constants?: Partial<typeof constants>
  /** Overrides for the world, such as words that say nothing about topics. */
  readonly change?: Partial<WorldSpec>
  /** Compares every verdict with the truth. */
  readonly isAudited?: boolean
}

export interface WorldResult {
  readonly world: string
  readonly seed: number
  /**
   * True scores of the seed skill, of the shipped skill, and of the best skill that proposals can lead to.
   */
  readonly start: number
  readonly end: number
  readonly possible: number
  readonly shipsSeed: boolean
  readonly targetCalls: number
  readonly optimizerCalls: number
  readonly tokens: number
  /** True score of the current skill after 250, 500, 1,000 and 2,000 target calls. */
  readonly at: readonly number[]
  readonly ms: number
  readonly audit?: Audit
}

const usual = { ...constants }

export async function runWorldJob(job: WorldJob): Promise<WorldResult> {
  const { seed, preset, settings, change, isAudited } = job
  const world = createWorld({ ...worldSpec(job.world), ...change }, seed)
  // Each thread has its own copy, and runs one job at a time.
  Object.assign(constants, usual, job.constants)
  const started = performance.now()
  const run = await runInProcess(world, {
    seed,
    ...(preset === undefined ? {} : { preset }),
    ...(settings === undefined ? {} : { settings }),
  })
  const notes = [...run.versions, { calls: run.targetCalls, skill: run.skill }]
  return {
    world: job.world,
    seed,
    start: world.trueScore(world.seedSkill),
    end: world.trueScore(run.skill),
    possible: world.possible,
    shipsSeed: run.skill === world.seedSkill,
    targetCalls: run.targetCalls,
    optimizerCalls: run.optimizerCalls,
    tokens: run.tokens,
    at: scoresAt(world, notes),
    ms: Math.round(performance.now() - started),
    ...(isAudited === true ? { audit: auditRun(world, run) } : {}),
  }
}
