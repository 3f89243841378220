import { z } from 'zod'
import type { RecordedEdit } from '../core/event.js'

/** The JSON that the optimizer returns; the same contracts as the Python SkillOpt, so that recorded replies interoperate. */

const operation = z.enum(['append', 'insert_after', 'replace', 'delete'])
const text = z.string().nullish()
const indices = z.array(z.int()).nullish()

const proposedEdit = z.object({ op: operation, target: text, content: text, trajectories: indices })
const proposal = z.object({ reasoning: z.string().nullish(), edits: z.array(proposedEdit) })

export const failureAnalysis = z.object({
  batch_size: z.number().nullish(),
  failure_summary: z
    .array(
      z.object({ failure_type: z.string(), count: z.number().nullish(), description: z.string().nullish() }),
    )
    .nullish(),
  patch: proposal,
})

export const successAnalysis = z.object({
  batch_size: z.number().nullish(),
  success_patterns: z.array(z.union([z.string(), z.looseObject({})])).nullish(),
  patch: proposal,
})

export const mergedEdits = z.object({
  reasoning: z.string().nullish(),
  edits: z.array(
    z.object({
      op: operation,
      target: text,
      content: text,
      support_count: z.number().nullish(),
      source_type: z.enum(['failure', 'success']).nullish(),
      from: indices,
    }),
  ),
})

/** Checks against the list that was shown, so that an index out of range gets the corrective round. */
export const ranking = (count: number) =>
  z.object({
    reasoning: z.string().nullish(),
    selected_indices: z
      .array(z.int())
      .refine(list => list.length > 0, { error: 'no index was selected' })
      .refine(list => list.every(index => index >= 0 && index < count), {
        error: `every index must be from 0 to ${count - 1}`,
      }),
  })

/** The optimizer's own word on how many edits to make, out of as many as it was shown. */
export const learningRate = (count: number) =>
  z.object({
    learning_rate: z
      .int()
      .refine(rate => rate >= 1 && rate <= count, { error: `it must be from 1 to ${count}` }),
    reasoning: z.string().nullish(),
    confidence: z.union([z.number(), z.string()]).nullish(),
    risk_notes: z.string().nullish(),
  })

export const slowUpdate = z.object({ reasoning: z.string().nullish(), slow_update_content: z.string() })

export const metaSkill = z.object({ reasoning: z.string().nullish(), meta_skill_content: z.string() })

/** A proposed edit with its provenance. A missing text becomes an empty one: the update reports it, it is not dropped here. */
export function toEdit(
  proposed: {
    op: RecordedEdit['op']
    target?: string | null | undefined
    content?: string | null | undefined
  },
  provenance: Pick<RecordedEdit, 'id' | 'why' | 'support' | 'from' | 'tasks'>,
): RecordedEdit {
  const target = proposed.target ?? ''
  const content = proposed.content ?? ''
  switch (proposed.op) {
    case 'append':
      return { op: 'append', content, ...provenance }
    case 'delete':
      return { op: 'delete', target, ...provenance }
    default:
      return { op: proposed.op, target, content, ...provenance }
  }
}
