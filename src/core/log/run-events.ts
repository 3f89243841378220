import { z } from 'zod'
import { checksSchema } from '../task/check.js'
import {
  blob,
  hash,
  interval,
  outcome,
  place,
  reservation,
  role,
  stopReason,
  storedMessage,
  summary,
  tested,
  usage,
} from './event-parts.js'

/** Version of the log format. Increase it when an old log could be misread. */
export const logVersion = 1

/** Events of every run: sessions, calls, attempts, evaluations, mined tasks and the end. */
export const runEvents = {
  'run.started': z.object({
    log: z.literal(logVersion),
    kind: z.enum(['train', 'eval', 'baseline', 'judge-check', 'gate-check', 'probe', 'mine']),
    run: z.string(),
    product: z.string(),
    config: z.json(),
    /** Origin of each value: flag, environment, file or default. */
    sources: z.record(z.string(), z.string()),
    /** Hashes of content that the config only references. A change of that content changes the run. */
    fingerprints: z.record(z.string(), z.string()),
    simulated: z.boolean(),
    seedSkill: blob,
    /** Sizes of the splits; absent if an imported run did not record them. */
    tasks: z.object({ train: z.int().optional(), val: z.int().optional(), test: z.int().optional() }),
    epochs: z.int(),
    stepsPerEpoch: z.int(),
    forkedFrom: z.string().optional(),
    /** Origin of a run imported from another program. Its log holds only what that program recorded. */
    importedFrom: z.string().optional(),
  }),
  'session.started': z.object({
    pid: z.int(),
    resumed: z.boolean(),
    limits: z.record(z.string(), z.number()),
    /** Agent and version by role, for roles filled by an agent. */
    agents: z.record(z.string(), z.string()).optional(),
  }),
  'stage.started': z.object({ ...place, total: z.int() }),
  'step.started': z.object({
    epoch: z.int(),
    step: z.int(),
    budget: z.int().optional(),
    tasks: z.array(z.string()),
    skill: hash,
  }),
  'call.started': z.object({ ...place, role, try: z.int(), reserved: reservation }),
  'call.failed': z.object({
    ...place,
    role,
    try: z.int(),
    kind: z.string(),
    message: z.string(),
    /** Amount charged for a try that may have cost money although no reply arrived. */
    charged: reservation.optional(),
    retryInMs: z.number().optional(),
  }),
  'call.finished': z.object({
    ...place,
    role,
    model: z.string(),
    messages: z.array(storedMessage),
    reply: storedMessage,
    stop: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'context-overflow']),
    usage,
    cost: z.number().nonnegative().optional(),
    ms: z.number(),
    tries: z.int(),
    /** An agent's work besides its answer. */
    work: z
      .object({
        messages: z.array(storedMessage),
        stop: stopReason,
        calls: z.array(z.object({ tool: z.string(), arguments: z.string() })),
        files: z.array(z.object({ path: z.string(), blob: blob.optional(), mode: z.int().optional() })),
        isWhole: z.boolean(),
      })
      .optional(),
  }),
  /** Total of the calls in an imported run; without tokens if the run reported none. */
  'calls.summed': z.object({
    ...place,
    role,
    calls: z.int(),
    input: z.number().optional(),
    output: z.number().optional(),
  }),
  'attempt.finished': z.object({
    ...place,
    skill: hash,
    task: z.string(),
    type: z.string(),
    sample: z.int(),
    messages: z.array(storedMessage),
    outcome,
    hidden: blob.optional(),
    /** Tokens, time and the resulting reward, in runs that record them. */
    tokens: z.number().optional(),
    ms: z.number().optional(),
    reward: z.number().optional(),
    /** Set if the attempt comes from another run, so that it cost nothing here. */
    cached: z.literal(true).optional(),
  }),
  'attempt.failed': z.object({
    ...place,
    skill: hash,
    task: z.string(),
    sample: z.int(),
    kind: z.string(),
    message: z.string(),
  }),
  /** An optimizer reply that was unusable even after repair. It never counts as "nothing to learn". */
  'optimizer.failed': z.object({ ...place, message: z.string() }),
  'evaluation.finished': z.object({
    ...place,
    skill: hash,
    split: z.enum(['train', 'val', 'test']),
    ...summary.shape,
    score: z.number(),
    rows: blob,
  }),
  /**
   * Names of the skills in an evaluation, by hash. If the event is repeated with other names, the last ones
   * apply.
   */
  'skills.named': z.object({
    skills: z.array(z.object({ name: z.string(), skill: hash, text: blob })),
  }),
  'test.finished': z.object({
    which: tested,
    skill: hash,
    ...summary.shape,
    score: z.number(),
    interval,
    types: z.array(
      z.object({ type: z.string(), ...summary.shape, soft: summary.shape.soft.optional(), interval }),
    ),
  }),
  /** `text` is absent if the optimizer's reply was unusable: the skill is then missing, not empty. */
  'one-shot.finished': z.object({ skill: hash.optional(), text: blob.optional(), summary: z.string() }),
  /**
   * Paired comparisons of skills on the same test tasks: how much better the first skill did, over tasks with
   * a score for both.
   */
  'comparison.finished': z.object({
    /** Origin of the trained skill, if one took part. */
    trained: z.string().optional(),
    pairs: z.array(
      z.object({
        which: tested,
        against: tested,
        tasks: z.int(),
        better: z.int(),
        worse: z.int(),
        difference: interval,
      }),
    ),
  }),
  /** The optimizer's result for a recurring request: a task, or the reason why there is none. */
  'task.mined': z.discriminatedUnion('status', [
    z.object({
      status: z.literal('written'),
      cluster: z.string(),
      intent: z.string(),
      rubric: z.array(z.string()),
      checks: checksSchema,
      /** Rejected check proposals, each with the reason. */
      dropped: z.array(z.string()),
    }),
    z.object({ status: z.literal('skipped'), cluster: z.string(), reason: z.string() }),
    z.object({ status: z.literal('failed'), cluster: z.string(), problem: z.string() }),
  ]),
  /** Variants of a task that the optimizer invented for training, or the reason why there are none. */
  'task.dreamed': z.discriminatedUnion('status', [
    z.object({
      status: z.literal('written'),
      task: z.string(),
      variants: z.array(z.string()),
      /** Rejected variants, each with the reason. */
      dropped: z.array(z.string()),
    }),
    z.object({ status: z.literal('skipped'), task: z.string(), reason: z.string() }),
    z.object({ status: z.literal('failed'), task: z.string(), problem: z.string() }),
  ]),
  /**
   * Ends task mining or dreaming. For dreaming, `written` and `skipped` count variants, and `failed` counts
   * tasks without any variant.
   */
  'mining.finished': z.object({ written: z.int(), skipped: z.int(), failed: z.int() }),
  'run.finished': z.object({
    best: z.int(),
    last: z.int(),
    score: z.number(),
    /** Why training ended: `all epochs`, or the reason why further steps were pointless. */
    because: z.string().optional(),
  }),
  'run.stopped': z.object({
    reason: z.enum(['paused', 'cap', 'interrupted', 'failed']),
    message: z.string(),
    hint: z.string().optional(),
  }),
} as const
