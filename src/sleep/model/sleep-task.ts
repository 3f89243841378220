import { z } from 'zod'
import { checksSchema, isShapeCheck } from '../../core/task/check.js'

/** What recurs in a person's work with agents, as a task that a skill can be trained on. */

const text = z.string().trim().min(1)
const moment = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T08:00:00Z' })

const example = z.strictObject({
  /** The id of the request that it is. */
  request: text,
  session: text,
  at: moment.optional(),
  branch: z.string().optional(),
  /** In the person's own words, redacted. */
  text,
  /** What was asked in the session before it. */
  before: z.array(z.string()).default([]),
  /** The agent's last words on it. */
  answer: z.string().optional(),
})
export type TaskExample = z.output<typeof example>

/** What every provider takes for the name of a tool. */
export const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/

/** A tool to call when the task is tried again. Nothing is run by it: it says what it said once. */
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

/** Counted, and nobody's opinion. */
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
  /** Ids of the requests, by which the task is known again the next night; the newest, if there are many. */
  requestIds: z.array(text),
  sessions: z.array(text),
  /** Where the person had to correct it, take it back, ask again or stop it. */
  failures: z.array(failure),
  tools: z.array(z.string()),
})
export type TaskEvidence = z.output<typeof evidence>

export const taskSplits = ['train', 'val', 'test', 'held-back'] as const
export type TaskSplit = (typeof taskSplits)[number]

export const sleepTaskSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,79}$/, 'may hold small letters, digits and dashes only'),
  /** What the agent is asked, generalized: for whoever knows none of the sessions. */
  intent: text.max(4_000, 'may have at most 4,000 characters'),
  /** What a good answer does; a judge model decides. Stands above the checks, which can be won by naming a word. */
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
  /** `heuristics`, `person`, or the model. */
  writtenBy: text,
  reviewed: z.boolean().default(false),
  origin: z.enum(['real', 'dream', 'recalled']).default('real'),
  derivedFrom: text.optional(),
  /** `held-back` is in none: it is too near to two of them. */
  split: z.enum(taskSplits),
  /** Tasks of one family may be the same intent, and are in one split. */
  family: text,
  /** The one skill that was used whenever it was asked for. */
  skill: text.optional(),
  /** The requests that are tried again, from sessions that no other split uses. */
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
  /** The request that is most like the others. */
  text: z.string(),
  reason: z.string(),
  at: moment,
  requestIds: z.array(text),
})
export type PassedOver = z.output<typeof passedOver>

export const tasksFormat = 'skillopt.sleep.tasks.v1'

/** A project's tasks: as they are kept, and as a file that a person reviews. */
export const taskBookSchema = z.strictObject({
  format: z.literal(tasksFormat),
  project: text,
  /** In a file that is taken back: that a person has read all of it. */
  reviewed: z.boolean().default(false),
  harvestedAt: moment.optional(),
  /** Source -> sessions of the last harvest. */
  sessions: z.record(z.string(), z.int().nonnegative()).default({}),
  tasks: z.array(sleepTaskSchema),
  /** What a person does not want, so that the next harvest does not bring it back. */
  dropped: z.array(dropped).default([]),
  /** What recurs, and of which a model said that no task can be made; it is not asked about it again. */
  passedOver: z.array(passedOver).default([]),
})
export type TaskBook = z.output<typeof taskBookSchema>

/** What it is tried by: its examples, or its intent alone, which then goes by the id of the task. */
export function askedIn({
  id,
  examples,
}: SleepTask): readonly Pick<TaskExample, 'request' | 'at' | 'branch'>[] {
  return examples.length === 0 ? [{ request: id }] : examples
}

/** Among pinned commits, where no request can stand: the last commit when they were pinned. */
export const lastCommit = 'HEAD'

export type ScoredBy = 'rubric' | 'checks' | 'nothing'

/** Outcome over shape, rubric over literal: checks count only where there is no rubric. */
export function scoredBy({ rubric, checks }: Pick<SleepTask, 'rubric' | 'checks'>): ScoredBy {
  if (rubric.length > 0) return 'rubric'
  return checks.length > 0 ? 'checks' : 'nothing'
}

/** What would make the scores of a task say little; undefined where nothing would. */
export function weakness(task: Pick<SleepTask, 'rubric' | 'checks'>): string | undefined {
  const by = scoredBy(task)
  if (by === 'nothing') return 'It has neither a rubric nor checks, so that nothing can score it.'
  if (by === 'checks' && task.checks.every(isShapeCheck))
    return 'Its checks look at the form of a reply only: it can pass without being right.'
  return undefined
}
