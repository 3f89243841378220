import { z } from 'zod'
import { imageDetails, imageTypes } from '../task/task.js'
import { stageNames } from './stage-names.js'

/** Schemas shared by several events. */

export const blob = z.string().regex(/^[0-9a-f]{32}$/)
export const hash = z.string()

export type StageName = (typeof stageNames)[number]

/** Position in the run. Epoch and step count from 1; 0 means before or outside. */
export const place = { stage: z.enum(stageNames), epoch: z.int(), step: z.int() }
const placeSchema = z.object(place)
export type Place = z.output<typeof placeSchema>

const tokens = z.int().nonnegative().optional()
export const usage = z.object({
  input: tokens,
  output: tokens,
  cachedInput: tokens,
  cacheWrite: tokens,
  reasoning: tokens,
})

const storedPart = z.object({
  type: z.enum(['text', 'image', 'document']),
  name: z.string().optional(),
  mediaType: z.enum([...imageTypes, 'application/pdf']).optional(),
  bytes: z.int().optional(),
  pages: z.int().optional(),
  detail: z.enum(imageDetails).optional(),
  blob,
})

export const storedMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string().optional(),
  blob: blob.optional(),
  parts: z.array(storedPart).optional(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  toolCallId: z.string().optional(),
})

export const stopReason = z.enum([
  'answered',
  'turn-limit',
  'time-limit',
  'output-limit',
  'context-overflow',
  'refusal',
  'unknown',
] as const)

/** A number from 0 to 1, inclusive. */
const share = z.number().min(0).max(1)

export const outcome = z.union([
  z.object({
    status: z.literal('scored'),
    score: z.object({
      hard: share,
      soft: share,
      feedback: z.string(),
      votes: z.array(z.object({ score: z.number(), reason: z.string() })).optional(),
    }),
    stop: stopReason,
  }),
  z.object({ status: z.literal('failed'), failure: z.object({ kind: z.string(), message: z.string() }) }),
])

const provenance = {
  id: z.string(),
  why: z.string(),
  /** Number of proposals that support the edit; 0 in imported runs that did not record it. */
  support: z.number(),
  from: z.enum(['failure', 'success', 'unknown']),
  tasks: z.array(z.string()),
  /** Cause of the failure, in a few words: edits with the same cause are alternative remedies. */
  cause: z.string().optional(),
  /** The tasks that the edit is meant for, as stated by the optimizer. */
  condition: z.string().optional(),
}
export const edit = z.discriminatedUnion('op', [
  z.object({ op: z.literal('append'), content: z.string(), ...provenance }),
  z.object({ op: z.literal('insert_after'), target: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('replace'), target: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('delete'), target: z.string(), ...provenance }),
  z.object({ op: z.literal('rewrite'), content: z.string(), summary: z.string(), ...provenance }),
  z.object({ op: z.literal('suggest'), title: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('remind'), content: z.string(), ...provenance }),
])
export type RecordedEdit = z.output<typeof edit>

export const editReport = z.object({
  edit: z.string(),
  status: z.enum(['applied', 'unmatched', 'refused', 'empty']),
  match: z.enum(['exact', 'tolerant']).optional(),
  reason: z.string(),
})

const failurePattern = z.object({ type: z.string(), count: z.number(), description: z.string() })
export type FailurePattern = z.output<typeof failurePattern>

export const patch = z.object({
  from: z.enum(['failure', 'success']),
  tasks: z.array(z.string()),
  reasoning: z.string(),
  patterns: z.array(failurePattern),
  edits: z.array(edit),
  /** With skill-aware reflection: instructions that the skill already has but the agent did not follow. */
  reminders: z.array(edit).optional(),
})
export type Patch = z.output<typeof patch>

export const summary = z.object({
  hard: share,
  soft: share,
  scored: z.int(),
  failed: z.int(),
  /** `reward`, `tokens` and `ms` are present in runs that record them, also in means. */
  reward: z.number().optional(),
  tokens: z.number().optional(),
  ms: z.number().optional(),
})
export type Summary = z.output<typeof summary>

export const interval = z.object({ mean: z.number(), low: z.number(), high: z.number() })

export const verdict = z.object({
  decision: z.enum(['accept', 'reject', 'underpowered', 'abstain']),
  effect: interval.optional(),
  /** Number of tasks with a score under both skills, and on how many the candidate was better or worse. */
  tasks: z.object({ better: z.int(), worse: z.int(), total: z.int() }).optional(),
  complete: z.boolean(),
  reason: z.string(),
})

/** A skill scored on the test split, in a training or in a baseline comparison. */
export const tested = z.enum(['none', 'initial', 'best', 'last', 'one-shot', 'trained'])

export const reservation = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cost: z.number().nonnegative().optional(),
})
export type Reservation = z.output<typeof reservation>

export const role = z.enum(['optimizer', 'target', 'judge'])
