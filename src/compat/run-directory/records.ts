import { z } from 'zod'

/**
 * Schemas of the files of a Python SkillOpt run. They list only the fields that are read; other fields are
 * ignored. Python writes `None` as null, which means "not recorded", like a missing key.
 */

const optional = <T extends z.ZodType>(schema: T) => schema.nullish().transform(value => value ?? undefined)

const number = optional(z.number())
const text = optional(z.string())
const score = z.union([z.number(), z.boolean()]).transform(Number)

const tokens = z.record(
  z.string(),
  z.object({ calls: number, prompt_tokens: number, completion_tokens: number }),
)
export type StageTokens = z.output<typeof tokens>

export const stepSchema = z.object({
  step: z.int().positive(),
  epoch: z.int().positive(),
  action: z.string(),
  rollout_hard: number,
  rollout_soft: number,
  rollout_n: number,
  accumulation_batches: optional(z.array(z.object({ hard: number, soft: number, n_envs: number }))),
  edit_budget: optional(z.int()),
  support_counts: optional(z.array(number)),
  candidate_hash: text,
  selection_hard: number,
  selection_soft: number,
  candidate_gate_score: number,
  current_score: number,
  best_score: number,
  best_step: optional(z.int()),
  best_origin: text,
  wall_time_s: number,
  tokens: optional(tokens),
})
export type StepRecord = z.output<typeof stepSchema>

export const summarySchema = z.object({
  version: text,
  config: optional(z.record(z.string(), z.unknown())),
  baseline_selection_hard: number,
  baseline_selection_soft: number,
  best_selection_hard: number,
  best_step: optional(z.int()),
  baseline_test_hard: number,
  baseline_test_soft: number,
  test_hard: number,
  test_soft: number,
  final_test_hard: number,
  final_test_soft: number,
  total_wall_time_s: number,
  token_summary: optional(tokens),
})
export type SummaryRecord = z.output<typeof summarySchema>

/** An attempt, recorded as a line of `results.jsonl`. */
export const resultSchema = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  hard: score,
  soft: optional(score),
  task_type: text,
  fail_reason: text,
})
export type ResultRecord = z.output<typeof resultSchema>

/** Scores of a split by task type. The key `overall` holds those of the whole split. */
export const splitSummarySchema = z.record(z.string(), z.object({ total: z.int(), hard_acc: z.number() }))

const editSchema = z.object({
  op: z.string(),
  target: text,
  content: text,
  support_count: number,
  source_type: text,
})
export type TheirEdit = z.output<typeof editSchema>

const suggestionSchema = z.object({
  type: text,
  title: text,
  instruction: text,
  support_count: number,
  source_type: text,
})
export type TheirSuggestion = z.output<typeof suggestionSchema>

export const patchSchema = z.object({
  reasoning: text,
  edits: optional(z.array(editSchema)),
  suggestions: optional(z.array(suggestionSchema)),
})
export type TheirPatch = z.output<typeof patchSchema>

const failures = z.array(
  z.object({ failure_type: text, count: number, description: text }).transform(failure => ({
    type: failure.failure_type ?? '',
    count: failure.count ?? 0,
    description: failure.description ?? '',
  })),
)

export const analystSchema = z.object({
  source_type: text,
  patch: optional(patchSchema),
  // Some versions write a sentence here, which contains no patterns to count.
  failure_summary: optional(failures).catch(undefined),
})

/** Outcome of each selected edit, in the order of the edits. */
export const applySchema = z.array(z.object({ status: z.string() }))

export const rewriteSchema = z.object({
  new_skill: text,
  change_summary: optional(z.union([z.string(), z.array(z.string()).transform(parts => parts.join(' '))])),
})

export const slowUpdateSchema = z.object({
  action: text,
  reasoning: text,
  slow_update_content: text,
  selection_hard: number,
  selection_soft: number,
})

export const pairsSchema = z.array(z.object({ category: z.string() }))

export const metaSkillSchema = z.object({ reasoning: text, meta_skill_content: text })

/** The messages of an attempt. Only conversations in the usual format are imported. */
export const conversationSchema = z.array(
  z.object({ role: z.enum(['system', 'user', 'assistant', 'tool']), content: z.string() }),
)
