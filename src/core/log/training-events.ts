import { z } from 'zod'
import { blob, edit, editReport, hash, interval, patch, summary, verdict } from './event-parts.js'

/** Events of a training: stages of a step, trials of edits, versions of the skill. */
export const trainingEvents = {
  'rollout.finished': z.object({ epoch: z.int(), step: z.int(), round: z.int(), ...summary.shape }),
  'reflect.finished': z.object({ epoch: z.int(), step: z.int(), patches: z.array(patch), failed: z.int() }),
  'aggregate.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    edits: z.array(edit),
    /** Reminders go to the appendix and do not use up the edit budget. */
    reminders: z.array(edit).optional(),
    failed: z.int(),
  }),
  /**
   * Only with autonomous control: the number of edits that the optimizer recommends, beside the scheduled
   * budget.
   */
  'rate.decided': z.object({
    epoch: z.int(),
    step: z.int(),
    budget: z.int(),
    scheduled: z.int(),
    of: z.int(),
    reasoning: z.string(),
    confidence: z.number().optional(),
    risks: z.string().optional(),
    failed: z.int(),
  }),
  'select.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    budget: z.int(),
    edits: z.array(edit),
    dropped: z.array(z.string()),
    failed: z.int(),
  }),
  /**
   * A rewrite of the whole skill from the selected suggestions. `edit` is absent if the reply was unusable.
   */
  'rewrite.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    edit: edit.optional(),
    failed: z.int(),
  }),
  /** The appendix exceeded its limit and was consolidated. `notes` is absent if the reply was unusable. */
  'appendix.consolidated': z.object({
    epoch: z.int(),
    step: z.int(),
    before: z.int(),
    notes: z.array(z.string()).optional(),
    reasoning: z.string(),
    failed: z.int(),
  }),
  'update.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    skill: hash,
    text: blob,
    reports: z.array(editReport),
  }),
  'gate.decided': z.object({
    epoch: z.int(),
    step: z.int(),
    what: z.enum(['step', 'slow-update', 'last', 'checkpoint', 'final']),
    candidate: hash,
    current: z.number(),
    score: z.number(),
    best: z.number(),
    action: z.enum(['accept_new_best', 'accept', 'reject', 'abstain']),
    verdict,
    /** The candidate's scores by task, for the tasks that were run. */
    rows: blob.optional(),
  }),
  /** Edits that enter the pool. From the next round on, attempts are made with and without them. */
  'trials.admitted': z.object({
    epoch: z.int(),
    step: z.int(),
    edits: z.array(edit.and(z.object({ slot: z.string(), concerned: z.int() }))),
    /** Numbers of proposals that were not admitted: duplicates, and those for which the pool had no room. */
    known: z.int(),
    full: z.int(),
    /** Number of proposals that could not be placed in the skill or would exceed its limits. */
    unusable: z.int(),
    /** Unusable proposals that were refused with a reason, for example because of hidden text. */
    refused: z.array(z.object({ edit: z.string(), reason: z.string() })).optional(),
  }),
  /** The train tasks that each cause concerns. Written only if the optimizer was asked to name them. */
  'trials.classified': z.object({
    epoch: z.int(),
    step: z.int(),
    /** Number of tasks shown to the optimizer. */
    shown: z.int(),
    causes: z.array(z.object({ cause: z.string(), all: z.boolean(), tasks: z.array(z.string()) })),
    /** Number of replies that were unusable even after repair. */
    failed: z.int(),
  }),
  /** The skill variants that a round of trials runs, and the edits in each. */
  'trials.designed': z.object({
    epoch: z.int(),
    step: z.int(),
    variants: z.array(z.object({ skill: hash, text: blob, edits: z.array(z.string()), attempts: z.int() })),
  }),
  /** The decision on an edit under trial, with its evidence. */
  'edit.decided': z.object({
    epoch: z.int(),
    step: z.int(),
    edit: z.string(),
    /** `undecided` means that the edit was neither accepted nor dropped when training ended. */
    decision: z.enum(['accepted', 'dropped', 'taken-back', 'pruned', 'kept', 'undecided']),
    /**
     * Effect on the tasks that the edit concerns, as a share of the score, with its 95% confidence interval.
     */
    effect: interval.optional(),
    /** Effect on the tasks that the edit does not concern. */
    elsewhere: interval.optional(),
    /** Probability that the edit helps. */
    helps: z.number(),
    /**
     * Number of attempts with the edit at concerned tasks that it was not proposed from, and number of those
     * tasks.
     */
    trials: z.int(),
    tasks: z.int(),
    reason: z.string(),
  }),
  /** Gain from the latest attempts. Written only if training stops once that gain is too small. */
  'gain.measured': z.object({
    epoch: z.int(),
    step: z.int(),
    /** First round that the figures include. */
    from: z.int(),
    /** Score gained by edits accepted since that round, plus the expected gain of edits on trial. */
    gain: z.number(),
    attempts: z.int(),
    /** US dollars spent since the start of the run; absent unless every model has a price. */
    spent: z.number().optional(),
  }),
  'step.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    outcome: z.enum(['accepted', 'rejected', 'abstained', 'no-edits', 'nothing-applied', 'optimizer-failed']),
    skill: hash,
  }),
  /** Version N is the skill that step N + 1 starts with. Slow updates belong to their epoch's last step. */
  'skill.version': z.object({
    version: z.int(),
    skill: hash,
    text: blob,
    origins: blob,
    score: z.number().optional(),
    because: z.string(),
  }),
  'best.changed': z.object({ version: z.int(), skill: hash, text: blob, origins: blob, score: z.number() }),
  'slow-update.finished': z.object({
    epoch: z.int(),
    pairs: z
      .object({ improved: z.int(), regressed: z.int(), persistent: z.int(), stable: z.int() })
      .optional(),
    guidance: z.string().optional(),
    reasoning: z.string(),
    /**
     * In the trials loop the outcome is `proposed`: the guidance is an ordinary edit with the id
     * `slow-update:` plus the epoch.
     */
    outcome: z.enum([
      'placed',
      'accepted',
      'rejected',
      'abstained',
      'forced',
      'failed',
      'unchanged',
      'proposed',
    ]),
  }),
  'meta-skill.finished': z.object({ epoch: z.int(), content: z.string().optional(), reasoning: z.string() }),
} as const
