import { z } from 'zod'
import { sleepTaskSchema } from './sleep-task.js'

/**
 * Files that a night leaves behind. Each is written once and never changed; progress is recorded only in the logs of
 * the runs, so that the two cannot disagree.
 *
 *     nights/007/begun.json      a night has begun
 *     nights/007/plan.json       its plan: from here on, outside changes do not affect the night
 *     nights/007/runs/<target>/  a normal training run
 *     nights/007/proposal/       the proposal for review, if anything was learned
 *     nights/007/outcome.json    the night has ended
 */

const text = z.string().min(1)
const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
const interval = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() })

export const nightFormat = 'skillopt.sleep.night.v1'

export const begunSchema = z.strictObject({
  format: z.literal(nightFormat),
  number: z.int().positive(),
  project: text,
  /**
   * Time at which the night began. Later sessions are ignored, because the night's own prompts may have
   * created them.
   */
  at: moment,
})
export type NightBegun = z.output<typeof begunSchema>

const plannedTarget = z.strictObject({
  /** `skill:NAME`, `memory:CLAUDE.md` or `memory:AGENTS.md`. */
  name: text,
  /** The path that the person uses for the file. */
  path: text,
  /** Content when the night began; `null` if the file did not exist. */
  live: z.string().nullable(),
  /** The document whose region is trained: the existing one, or a new one if there was none. */
  frame: z.string(),
  /** The region's text when the night began. */
  region: z.string(),
  /** Ids of the tasks for training and measuring. */
  tasks: z.array(text),
})
export type PlannedTarget = z.output<typeof plannedTarget>

export const planSchema = z.strictObject({
  format: z.literal(nightFormat),
  /** All tasks of the night, including variants and recalled tasks. */
  tasks: z.array(sleepTaskSchema),
  /** Maps the id of each example's request to the project's commit at the time of that request. */
  commits: z.record(z.string(), z.string()),
  targets: z.array(plannedTarget),
  /** Targets that are not trained tonight, with the reason. */
  skipped: z.array(z.strictObject({ name: text, reason: text })),
  /** The models for target, optimizer and judge. */
  models: z.record(z.string(), z.string()),
  /** Folders in which targets may be, with links resolved. */
  roots: z.array(text),
  /** Content of the project's CLAUDE.md and AGENTS.md. A model that is not an agent gets it in its prompt. */
  memory: z.array(z.strictObject({ name: text, text: z.string() })),
  /** Number of sessions read. */
  sessions: z.int().nonnegative(),
  /** Directory of the mining run, if a model was called. */
  mining: text.optional(),
  /** Hash of everything that determines the night's result, so that the next night does not repeat it. */
  fingerprint: text,
})
export type NightPlan = z.output<typeof planSchema>

const targetOutcome = z.strictObject({
  name: text,
  status: z.enum(['learned', 'nothing-learned', 'skipped']),
  /** Explains the outcome to the user in a sentence. */
  reason: z.string(),
  /** Run directory, relative to the night's folder. */
  run: z.string().optional(),
  /** Scores on held-out test tasks. Absent if there were no test tasks. */
  test: z.strictObject({ before: interval, after: interval, tasks: z.int() }).optional(),
})
export type TargetOutcome = z.output<typeof targetOutcome>

/** `refused`: the learned text could not be proposed; `given-up`: another night was started instead. */
export const nightOutcomes = [
  'proposed',
  'nothing-learned',
  'nothing-to-learn',
  'nothing-new',
  'refused',
  'given-up',
] as const

export const outcomeSchema = z.strictObject({
  format: z.literal(nightFormat),
  outcome: z.enum(nightOutcomes),
  /** Explains the outcome to the user in a sentence. */
  reason: z.string(),
  endedAt: moment,
  simulated: z.boolean(),
  /** The cap that ended the night early. With a higher cap the same plan may find more. */
  capped: z
    .strictObject({ cap: z.enum(['maxCalls', 'maxTokens', 'maxCost', 'maxTime']), limit: z.number() })
    .optional(),
  sessions: z.int().nonnegative(),
  tasks: z.int().nonnegative(),
  targets: z.array(targetOutcome),
  spent: z.strictObject({
    calls: z.int().nonnegative(),
    tokens: z.number().nonnegative(),
    /** US dollars, summed over calls with a known price. */
    cost: z.number().nonnegative(),
    /** Number of calls with unknown usage or unknown cost. */
    unknownUsage: z.int().nonnegative(),
    unknownCost: z.int().nonnegative(),
    activeMs: z.number().nonnegative(),
  }),
})
export type NightOutcome = z.output<typeof outcomeSchema>
