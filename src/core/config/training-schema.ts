import { z } from 'zod'
import { efforts } from './model-schema.js'

/** Options of the training loop and of the optimizer. */

const slowUpdate = z.strictObject({
  enabled: z
    .boolean()
    .optional()
    .describe(
      'Write long-term guidance at the end of an epoch. Default: on with `steps`, off with `trials`.',
    ),
  samples: z
    .int()
    .positive()
    .default(10)
    .describe('Train tasks compared under the previous and the current skill.'),
  accept: z
    .enum(['gated', 'force'])
    .default('gated')
    .describe('`gated` (the paper) judges the guidance like any edit; `force` skips the gate.'),
  pairs: z
    .enum(['mixed', 'changed', 'unchanged'])
    .default('mixed')
    .describe('Compared tasks shown to the optimizer: all (`mixed`), `changed` or `unchanged` ones.'),
})

const stageEffort = (what: string) =>
  z.enum(efforts).optional().describe(`Reasoning effort for ${what}; default: that of \`models.optimizer\`.`)

const effort = z.strictObject({
  reflect: stageEffort('reading trajectories and proposing edits'),
  aggregate: stageEffort('merging what was proposed'),
  select: stageEffort('ranking edits and deciding how many to make'),
  update: stageEffort('rewriting the skill and consolidating its appendix'),
  slowUpdate: stageEffort('the long-term guidance at the end of an epoch'),
  metaSkill: stageEffort('the optimizer’s own notes'),
})

const skillAware = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      'Tell defects of the skill (an edit) from lapses of the agent (a reminder in a protected appendix).',
    ),
  successes: z.boolean().default(false).describe('Also write reminders from solved tasks.'),
  notes: z
    .int()
    .nonnegative()
    .default(12)
    .describe('Reminders in the appendix before it is consolidated; 0 = no limit.'),
})

export const trialsSchema = z.strictObject({
  round: z.int().positive().default(16).describe('Attempts in a round; two rounds run at a time.'),
  slots: z.int().positive().default(16).describe('Causes on trial at a time.'),
  alternatives: z.int().min(1).max(8).default(3).describe('Remedies per cause that the optimizer proposes.'),
  accept: z
    .number()
    .min(0.5)
    .max(0.999)
    .default(0.85)
    .describe('Probability of helping at which an edit is accepted.'),
  drop: z
    .number()
    .min(0.001)
    .max(0.95)
    .default(0.7)
    .describe('Likelihood ratio below which other remedies for the same cause go first.'),
  confirm: z
    .number()
    .min(0.5)
    .max(0.9999)
    .default(0.97)
    .describe('Accepted edits stay on trial until they help with this probability.'),
  checkpoint: z
    .int()
    .positive()
    .default(10)
    .describe('Accepted edits after which validation checks the skill.'),
  finalAlpha: z
    .number()
    .min(0.001)
    .max(0.5)
    .default(0.1)
    .describe('False-positive rate of the final test: how often a skill no better than the seed passes it.'),
  leastGain: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'Stop after an epoch that gained less than this per 100 attempts (0.02 is two points), where prices are unknown or zero. 0 = never.',
    ),
  leastGainPerDollar: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'Stop after an epoch that gained less than this per US dollar (0.01 is a point), where prices are known. 0 = never.',
    ),
  explore: z.number().min(0).max(1).default(0.25).describe('Share of a round for the tasks tried least.'),
  classify: z
    .enum(['never', 'when-words-fail', 'always'])
    .default('when-words-fail')
    .describe(
      'Ask the optimizer which train tasks each new cause concerns, in one call a round: `never`, once shared words miss too many of the tasks behind proposals, or `always`.',
    ),
})

export const trainSchema = z
  .strictObject({
    loop: z
      .enum(['trials', 'steps'])
      .default('trials')
      .describe(
        '`trials` judges every edit by attempts with and without it; `steps`, the paper’s loop, judges a patch as a whole.',
      ),
    epochs: z
      .int()
      .positive()
      .optional()
      .describe(
        'Passes over the train split. Default: 3; with `trials` up to 20 on a small split, for about 400 attempts.',
      ),
    batchSize: z.int().positive().default(40).describe('Train tasks per rollout batch.'),
    accumulation: z.int().positive().default(1).describe('Batches per optimization step.'),
    samples: z
      .int()
      .min(1)
      .max(8)
      .default(1)
      .describe('Attempts at each train task of a batch; analysts see the worst next to the best.'),
    seed: z.int().nonnegative().default(42).describe('Seeds shuffles, batches and samples.'),
    reuse: z
      .enum(['resample', 'reuse'])
      .default('reuse')
      .describe(
        'A train task that comes up again under the same skill: `resample` tries it again, `reuse` takes the earlier attempt.',
      ),
    focus: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe('Share of solved train tasks that later epochs retry, beside all failed ones; 1 = all.'),
    patience: z
      .int()
      .nonnegative()
      .default(12)
      .describe('Idle steps in a row after which training ends; 0 = never.'),
    stopWhenSolved: z
      .boolean()
      .default(true)
      .describe('End training once the current skill has solved every train task.'),
  })
  .prefault({})

export const reflectSchema = z
  .strictObject({
    minibatchSize: z.int().positive().default(8).describe('Trajectories per analyst call.'),
    mergeBatchSize: z.int().min(2).default(8).describe('Patches per merge call.'),
    failureOnly: z.boolean().default(false).describe('Analyse failures only.'),
    failurePatterns: z.boolean().default(true).describe('Show analysts the epoch’s failure patterns so far.'),
    rejectedEdits: z.boolean().default(true).describe('Show analysts the epoch’s rejected edits so far.'),
    preferences: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .optional()
      .describe('Your wishes for the skill; the optimizer is told, and the gate still decides.'),
    skillAware: skillAware.prefault({}),
  })
  .prefault({})

export const optimizerSchema = z
  .strictObject({
    mode: z
      .enum(['patch', 'rewrite_from_suggestions', 'full_rewrite_minibatch'])
      .default('patch')
      .describe(
        '`patch` makes edits; `rewrite_from_suggestions` rewrites the skill from selected suggestions; `full_rewrite_minibatch` merges whole rewrites, without an edit budget.',
      ),
    control: z
      .enum(['fixed', 'autonomous', 'none'])
      .default('fixed')
      .describe(
        'Who sets the edits per step: the schedule (`fixed`), the optimizer (`autonomous`), or nobody (`none`).',
      ),
    learningRate: z
      .int()
      .positive()
      .default(4)
      .describe('Edits per step at the start; with `trials`, causes per optimizer reply.'),
    minLearningRate: z.int().positive().default(2).describe('Edits per step at the end of the schedule.'),
    schedule: z
      .enum(['constant', 'linear', 'cosine'])
      .optional()
      .describe('How the edit budget falls. Default: `cosine`; `constant` with `trials`.'),
    slowUpdate: slowUpdate.prefault({}),
    effort: effort.prefault({}),
    tokenLimit: z
      .int()
      .positive()
      .optional()
      .describe('Longest skill in tokens (o200k); longer edits are refused.'),
    metaSkill: z
      .boolean()
      .optional()
      .describe(
        'Keep the optimizer’s notes on what helped; never shipped. Default: on with `steps`, off with `trials`.',
      ),
  })
  .prefault({})
