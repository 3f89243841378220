import { z } from 'zod'
import type { UpdateMode } from '../../core/config/config.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { stripControls } from '../../core/text/format.js'

/**
 * The JSON that the optimizer returns. The contracts equal those of the Python SkillOpt, so that recorded
 * replies work in both.
 */

const operation = z.enum(['append', 'insert_after', 'replace', 'delete'])
const text = z.string().nullish()
const indices = z.array(z.int()).nullish()
const reasoning = z.string().nullish()
/** Prose, or one line per change, since models write either. */
const summary = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform(given => (Array.isArray(given) ? given.join(' ') : (given ?? '')))

/** A proposed edit in a common form, whichever update mode it was requested in. */
export interface ProposedEdit {
  readonly op: Exclude<RecordedEdit['op'], 'remind'>
  readonly target?: string | null | undefined
  readonly content?: string | null | undefined
  readonly title?: string | undefined
  readonly trajectories?: readonly number[] | null | undefined
  readonly cause?: string | null | undefined
  readonly applies_to?: string | null | undefined
}

interface Proposal {
  readonly reasoning: string
  readonly proposed: readonly ProposedEdit[]
}

const editShape = { op: operation, target: text, content: text, trajectories: indices }

const edits = z
  .object({ reasoning, edits: z.array(z.object(editShape)) })
  .transform((patch): Proposal => ({ reasoning: patch.reasoning ?? '', proposed: patch.edits }))

/** If edits compete with others for the same cause, each must name the cause. */
const alternatives = z
  .object({ reasoning, edits: z.array(z.object({ ...editShape, cause: text, applies_to: text })) })
  .transform((patch): Proposal => ({ reasoning: patch.reasoning ?? '', proposed: patch.edits }))

const suggestions = z
  .object({
    reasoning,
    suggestions: z.array(
      z.object({ type: text, title: text, instruction: z.string(), trajectories: indices }),
    ),
  })
  .transform(
    (patch): Proposal => ({
      reasoning: patch.reasoning ?? '',
      proposed: patch.suggestions.map(({ title, instruction, trajectories }) => ({
        op: 'suggest',
        title: title ?? '',
        content: instruction,
        trajectories,
      })),
    }),
  )

/** `new_skill: null` states that nothing should change; a reply without the field is unusable. */
const rewrite = z.object({ reasoning, new_skill: z.string().nullable(), change_summary: summary }).transform(
  (patch): Proposal => ({
    reasoning: patch.reasoning ?? '',
    proposed:
      patch.new_skill === null
        ? []
        : [{ op: 'rewrite', content: patch.new_skill, title: patch.change_summary }],
  }),
)

const proposals = {
  patch: edits,
  rewrite_from_suggestions: suggestions,
  full_rewrite_minibatch: rewrite,
} as const satisfies Record<UpdateMode, z.ZodType<Proposal>>

const failureSummary = z
  .array(
    z.object({ failure_type: z.string(), count: z.number().nullish(), description: z.string().nullish() }),
  )
  .nullish()
const successPatterns = z.array(z.union([z.string(), z.looseObject({})])).nullish()
const lapses = z.array(z.object({ reminder: z.string(), trajectories: indices }))

/**
 * Schema of an analyst's reply. A failure analyst counts patterns; a skill-aware one distinguishes lapses
 * from defects.
 */
export function analystReply(
  side: 'failure' | 'success',
  mode: UpdateMode,
  { skillAware, isRaced: hasAlternatives }: { readonly skillAware: boolean; readonly isRaced: boolean },
) {
  return z.object({
    batch_size: z.number().nullish(),
    ...(side === 'failure' ? { failure_summary: failureSummary } : { success_patterns: successPatterns }),
    ...(skillAware && { lapses }),
    patch: hasAlternatives && mode === 'patch' ? alternatives : proposals[mode],
  }) as z.ZodType<AnalystReply>
}

export interface AnalystReply {
  readonly failure_summary?: z.output<typeof failureSummary>
  readonly lapses?: z.output<typeof lapses>
  readonly patch: Proposal
}

const evidence = {
  support_count: z.number().nullish(),
  source_type: z.enum(['failure', 'success']).nullish(),
  from: indices,
}

interface Merged extends Omit<ProposedEdit, 'trajectories'> {
  readonly support_count?: number | null | undefined
  readonly source_type?: 'failure' | 'success' | null | undefined
  readonly from?: readonly number[] | null | undefined
}

export const mergeReply = {
  patch: z
    .object({
      reasoning,
      edits: z.array(z.object({ op: operation, target: text, content: text, ...evidence })),
    })
    .transform((reply): readonly Merged[] => reply.edits),
  rewrite_from_suggestions: z
    .object({
      reasoning,
      suggestions: z.array(z.object({ type: text, title: text, instruction: z.string(), ...evidence })),
    })
    .transform((reply): readonly Merged[] =>
      reply.suggestions.map(({ title, instruction, type: _, ...rest }) => ({
        op: 'suggest',
        title: title ?? '',
        content: instruction,
        ...rest,
      })),
    ),
  full_rewrite_minibatch: z
    .object({ reasoning, new_skill: z.string(), change_summary: summary })
    .transform((reply): readonly Merged[] => [
      { op: 'rewrite', content: reply.new_skill, title: reply.change_summary },
    ]),
} as const satisfies Record<UpdateMode, z.ZodType<readonly Merged[]>>

const nonEmpty = z.string().refine(cleanText => cleanText.trim() !== '', { error: 'it has no text' })

export const rewriteReply = z.object({ reasoning, new_skill: nonEmpty, change_summary: summary })

/** Schema of consolidated reminders. There must be fewer than were shown. */
export const consolidateReply = (count: number) =>
  z.object({
    reasoning,
    appendix_notes: z
      .array(nonEmpty)
      .refine(notes => notes.length > 0, { error: 'no reminder is left' })
      .refine(notes => notes.length < count, { error: `there must be fewer than the ${count} there are` }),
  })

/** Schema of a ranking of the edits shown. An index out of range makes the reply invalid. */
export const rankReply = (count: number) =>
  z.object({
    reasoning: z.string().nullish(),
    selected_indices: z
      .array(z.int())
      .refine(list => list.length > 0, { error: 'no index was selected' })
      .refine(list => list.every(index => index >= 0 && index < count), {
        error: `every index must be from 0 to ${count - 1}`,
      }),
  })

/** Schema of the optimizer's choice of how many of the edits shown to make. */
export const learningRateReply = (count: number) =>
  z.object({
    learning_rate: z
      .int()
      .refine(rate => rate >= 1 && rate <= count, { error: `it must be from 1 to ${count}` }),
    reasoning: z.string().nullish(),
    confidence: z.union([z.number(), z.string()]).nullish(),
    risk_notes: z.string().nullish(),
  })

/** Schema of the tasks that each cause concerns, by the numbers shown. Unknown numbers are ignored. */
export const classifyReply = z.object({
  concerned: z.array(z.object({ cause: z.int(), all_tasks: z.boolean().nullish(), tasks: indices })),
})

export const slowUpdateReply = z.object({ reasoning: z.string().nullish(), slow_update_content: z.string() })

export const metaSkillReply = z.object({ reasoning: z.string().nullish(), meta_skill_content: z.string() })

export const oneShotReply = z.object({
  new_skill: z.string().refine(skill => skill.trim() !== '', { error: 'it has no text' }),
  change_summary: z.union([z.string(), z.array(z.string())]).nullish(),
})

/**
 * Strips control and hidden characters, since the text is shown on terminals and kept in files that people
 * review.
 */
const written = z.string().transform(given => stripControls(given).trim())

/** Limits of the stored task format. */
const longestIntent = 4_000
const longestPoint = 1_000
const mostPoints = 8
const mostChecks = 5

/**
 * Schema of a task made from recurring requests, or of the reason why there is none. An unusable check is
 * left out and does not make the reply invalid.
 */
export const mineReply = z
  .object({
    intent: written.nullish(),
    rubric: z.array(written).nullish(),
    checks: z
      .array(z.object({ op: z.string(), arg: z.union([z.string(), z.number(), z.boolean()]).nullish() }))
      .nullish(),
    skip: written.nullish(),
  })
  .transform(({ intent, rubric, checks, skip }) => ({
    intent: intent ?? '',
    rubric: rubric ?? [],
    checks: checks ?? [],
    skip: skip ?? '',
  }))
  .superRefine((reply, context) => {
    if (reply.skip !== '') return
    for (const [path, message] of minedProblems(reply))
      context.addIssue({ code: 'custom', path: [path], message })
  })

function minedProblems(reply: {
  readonly intent: string
  readonly rubric: readonly string[]
  readonly checks: readonly unknown[]
}): [path: string, message: string][] {
  const { intent, rubric, checks } = reply
  const rules: [path: string, isBroken: boolean, message: string][] = [
    ['intent', intent === '', 'it has no text, and "skip" does not say why there is no task'],
    ['intent', intent.length > longestIntent, `it may have ${longestIntent} characters at most`],
    [
      'rubric',
      rubric.length === 0,
      'a point at least is needed: what is checked by its form alone proves nothing',
    ],
    ['rubric', rubric.length > mostPoints, `there may be ${mostPoints} points at most`],
    ['rubric', rubric.includes(''), 'a point has no text'],
    [
      'rubric',
      rubric.some(({ length }) => length > longestPoint),
      `a point may have ${longestPoint} characters at most`,
    ],
    ['checks', checks.length > mostChecks, `there may be ${mostChecks} at most`],
  ]
  return rules.flatMap(([path, isBroken, message]) => (isBroken ? [[path, message]] : []))
}

/** Upper limit on variants in a reply. No night requests as many. */
const mostVariants = 20

/** Schema of made-up requests. Each is validated separately, so an unusable one does not spoil the others. */
export const dreamReply = z.object({
  variants: z
    .array(written)
    .refine(({ length }) => length <= mostVariants, { error: `there may be ${mostVariants} at most` }),
})

/**
 * A proposed edit with its provenance. A missing text becomes an empty one, which is reported when the edit
 * is applied.
 */
export function toEdit(
  proposed: Omit<ProposedEdit, 'trajectories'>,
  provenance: Pick<RecordedEdit, 'id' | 'why' | 'support' | 'from' | 'tasks' | 'cause' | 'condition'>,
): RecordedEdit {
  const { op, title = '' } = proposed
  const target = proposed.target ?? ''
  const content = proposed.content ?? ''
  switch (op) {
    case 'append':
      return { op, content, ...provenance }
    case 'delete':
      return { op, target, ...provenance }
    case 'suggest':
      return { op, title, content, ...provenance }
    case 'rewrite':
      return { op, content, summary: title, ...provenance }
    default:
      return { op, target, content, ...provenance }
  }
}
