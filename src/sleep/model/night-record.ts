import { z } from 'zod'
import { sleepTaskSchema } from './sleep-task.js'

/**
 * What a night leaves behind. Each file is written once and never changed: what is under way is in the logs of its
 * runs, so that there is no second word on it.
 *
 *     nights/007/begun.json      a night has begun
 *     nights/007/plan.json       what it works on: from here on, nothing that changes outside changes the night
 *     nights/007/runs/<target>/  a training, as any
 *     nights/007/proposal/       what is up for review, if anything was learned
 *     nights/007/outcome.json    it is over
 */

const text = z.string().min(1)
const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })
const interval = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() })

export const nightFormat = 'skillopt.sleep.night.v1'

export const begunSchema = z.strictObject({
  format: z.literal(nightFormat),
  number: z.int().positive(),
  project: text,
  /** Sessions that began later are none of its business: an answer to one of its own prompts might be among them. */
  at: moment,
})
export type NightBegun = z.output<typeof begunSchema>

const plannedTarget = z.strictObject({
  /** `skill:NAME`, `memory:CLAUDE.md` or `memory:AGENTS.md`. */
  name: text,
  /** Where the person finds it. */
  path: text,
  /** What it said when the night began, `null` where there was no such file. */
  live: z.string().nullable(),
  /** The document whose region is trained: what it said, or a new one where there was none. */
  frame: z.string(),
  /** The region's text when the night began. */
  region: z.string(),
  /** Ids of the tasks that it learns from and is judged by. */
  tasks: z.array(text),
})
export type PlannedTarget = z.output<typeof plannedTarget>

export const planSchema = z.strictObject({
  format: z.literal(nightFormat),
  /** All of its tasks, with dreams and those that were recalled. */
  tasks: z.array(sleepTaskSchema),
  /** Id of an example's request -> the commit at which the project was when it was asked. */
  commits: z.record(z.string(), z.string()),
  targets: z.array(plannedTarget),
  /** Tasks that teach nothing tonight, by the reason. */
  skipped: z.array(z.strictObject({ name: text, reason: text })),
  /** Who tries the tasks, who learns from it, who judges; as configured. */
  models: z.record(z.string(), z.string()),
  /** Folders in which targets may lie, links resolved. */
  roots: z.array(text),
  /** What the project's CLAUDE.md and AGENTS.md said: a model that is not an agent is told. */
  memory: z.array(z.strictObject({ name: text, text: z.string() })),
  /** How many sessions were read. */
  sessions: z.int().nonnegative(),
  /** The directory of the run that made tasks of them, if a model was asked. */
  mining: text.optional(),
  /** Of all that decides what the night can find: the next one does not do the same again. */
  fingerprint: text,
})
export type NightPlan = z.output<typeof planSchema>

const targetOutcome = z.strictObject({
  name: text,
  status: z.enum(['learned', 'nothing-learned', 'skipped']),
  /** A sentence for people. */
  reason: z.string(),
  /** The directory of its run, relative to the night's. */
  run: z.string().optional(),
  /** On tasks that the night did not learn from, nor choose by: absent where there were none. */
  test: z.strictObject({ before: interval, after: interval, tasks: z.int() }).optional(),
})
export type TargetOutcome = z.output<typeof targetOutcome>

/** `refused`: what was learned could not be put up for review; `given-up`: another one was begun in its place. */
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
  /** A sentence for people. */
  reason: z.string(),
  endedAt: moment,
  simulated: z.boolean(),
  /** What ended it before its time: a night with more room may find more in the same. */
  capped: z
    .strictObject({ cap: z.enum(['maxCalls', 'maxTokens', 'maxCost', 'maxTime']), limit: z.number() })
    .optional(),
  sessions: z.int().nonnegative(),
  tasks: z.int().nonnegative(),
  targets: z.array(targetOutcome),
  spent: z.strictObject({
    calls: z.int().nonnegative(),
    tokens: z.number().nonnegative(),
    /** US dollars over the calls whose price is known. */
    cost: z.number().nonnegative(),
    /** Calls of which nobody said what they used, or what they cost. */
    unknownUsage: z.int().nonnegative(),
    unknownCost: z.int().nonnegative(),
    activeMs: z.number().nonnegative(),
  }),
})
export type NightOutcome = z.output<typeof outcomeSchema>
