import { z } from 'zod'
import { checksSchema, isShapeCheck } from '../../core/task/check.js'
import { type TaskSplit, taskSplits } from './task-splits.js'

/** A sleep task is a recurring request in a person's work with agents, on which a skill can be trained. */

const text = z.string().trim().min(1)
const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })

const example = z.strictObject({
  /** Id of the request. */
  request: text,
  session: text,
  at: moment.optional(),
  branch: z.string().optional(),
  /** The request in the person's own words, redacted. */
  text,
  /** Earlier requests of the same session. */
  before: z.array(z.string()).default([]),
  /** The agent's last message about this request. */
  answer: z.string().optional(),
  /** The example's split if the task is divided. */
  split: z.enum(['train', 'val', 'test']).optional(),
})
export type TaskExample = z.output<typeof example>

/** Matches tool names that every provider accepts. */
export const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/

/** A tool for replaying the task. It runs nothing and returns its recorded output. */
const recordedTool = z.strictObject({
  name: z.string().regex(toolNamePattern, 'may hold 64 letters, digits, dashes and underscores at most'),
  description: text.max(1_000, 'may have at most 1,000 characters').optional(),
  result: z.string().max(20_000, 'may have at most 20,000 characters'),
})

const failure = z.strictObject({
  kind: z.enum(['correction', 'undo', 'again', 'asked-again', 'broken-off']),
  text: z.string(),
  session: text,
  at: moment.optional(),
})
export type TaskFailure = z.output<typeof failure>

/** How often and where something was requested. No model's judgement is involved. */
const evidence = z.strictObject({
  requests: z.int().positive(),
  occasions: z.int().positive(),
  days: z.int().positive(),
  projects: z.int().positive(),
  reworked: z.int().nonnegative(),
  wordings: z.int().positive(),
  score: z.number(),
  firstAt: moment.optional(),
  lastAt: moment.optional(),
  /** Ids of the newest requests. The next night recognises the task by them. */
  requestIds: z.array(text),
  sessions: z.array(text),
  /** What went wrong: each time that the person had to correct, undo, repeat or stop the work. */
  failures: z.array(failure),
  tools: z.array(z.string()),
})
export type TaskEvidence = z.output<typeof evidence>

export { type TaskSplit, taskSplits }

export const sleepTaskSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'may hold small letters, digits and dashes only'),
  /** States the request in general terms, for a reader who knows none of the sessions. */
  intent: text.max(4_000, 'may have at most 4,000 characters'),
  /**
   * Criteria of a good answer, applied by a judge model. They take precedence over the checks, which an
   * answer can pass by merely naming a word.
   */
  rubric: z
    .array(text.max(1_000, 'may have at most 1,000 characters'))
    .max(20, 'may have at most 20 points')
    .default([]),
  checks: checksSchema.max(20, 'may have at most 20 checks').default([]),
  tools: z
    .array(recordedTool)
    .max(20, 'may have at most 20 tools')
    .refine(tools => new Set(tools.map(({ name }) => name)).size === tools.length, 'has a tool twice')
    .optional(),
  /** `heuristics`, `person`, or the id of the model that wrote the text. */
  writtenBy: text,
  reviewed: z.boolean().default(false),
  origin: z.enum(['real', 'dream', 'recalled']).default('real'),
  derivedFrom: text.optional(),
  /**
   * Id of the divided task. In a night, a divided task becomes one task per split, which holds that split's
   * examples.
   */
  partOf: text.optional(),
  /**
   * `divided`: some examples are for training, others for measuring. `held-back`: in no split, because the
   * task would leak a test task.
   */
  split: z.enum(taskSplits),
  /** Tasks of one family may ask for the same thing. */
  family: text,
  /** The only skill that was used for requests of this kind. */
  skill: text.optional(),
  /** Requests to replay. No other split uses their sessions. */
  examples: z.array(example),
  evidence,
})
export type SleepTask = z.output<typeof sleepTaskSchema>

const dropped = z.strictObject({
  id: text,
  intent: z.string(),
  at: moment,
  requestIds: z.array(text),
  task: sleepTaskSchema,
})
export type DroppedTask = z.output<typeof dropped>

const passedOver = z.strictObject({
  /** The text of the request that is most similar to the others. */
  text: z.string(),
  reason: z.string(),
  at: moment,
  requestIds: z.array(text),
})
export type PassedOver = z.output<typeof passedOver>

export const tasksFormat = 'skillopt.sleep.tasks.v1'

/** A project's tasks. They are stored in this format, and files for review use it too. */
export const taskBookSchema = z.strictObject({
  format: z.literal(tasksFormat),
  project: text,
  /** Used in files for review: true if a person has read all tasks. */
  reviewed: z.boolean().default(false),
  harvestedAt: moment.optional(),
  /** Number of sessions in the last harvest, keyed by source. */
  sessions: z.record(z.string(), z.int().nonnegative()).default({}),
  tasks: z.array(sleepTaskSchema),
  /** Tasks that a person removed, kept so that the next harvest does not add them again. */
  dropped: z.array(dropped).default([]),
  /**
   * Recurring requests that a model considered unsuitable for a task. The model is not asked about them
   * again.
   */
  passedOver: z.array(passedOver).default([]),
})
export type TaskBook = z.output<typeof taskBookSchema>

/** Returns the requests to replay. A task without examples has only its intent, under the task's id. */
export function askedIn({
  id,
  examples,
}: SleepTask): readonly Pick<TaskExample, 'request' | 'at' | 'branch'>[] {
  return examples.length === 0 ? [{ request: id }] : examples
}

/**
 * Key for the last commit at the time of pinning. All other keys of the pinned commits are request or task
 * ids.
 */
export const lastCommit = 'HEAD'

export type ScoredBy = 'rubric' | 'checks' | 'nothing'

/**
 * Says how a task is scored. Checks count only if there is no rubric, because a rubric judges the outcome
 * rather than its form.
 */
export function scoredBy({ rubric, checks }: Pick<SleepTask, 'rubric' | 'checks'>): ScoredBy {
  if (rubric.length > 0) return 'rubric'
  return checks.length > 0 ? 'checks' : 'nothing'
}

/** Explains why the task's scores mean little; undefined if they are meaningful. */
export function weakness(task: Pick<SleepTask, 'rubric' | 'checks'>): string | undefined {
  const by = scoredBy(task)
  if (by === 'nothing') return 'It has neither a rubric nor checks, so that nothing can score it.'
  if (by === 'checks' && task.checks.every(isShapeCheck))
    return 'Its checks look at the form of a reply only: it can pass without being right.'
  return undefined
}
