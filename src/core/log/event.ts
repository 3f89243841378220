import { z } from 'zod'
import { checksSchema } from '../task/check.js'
import { imageDetails, imageTypes } from '../task/task.js'
import { stageNames } from './stage-names.js'

/**
 * The run's single source of truth: an append-only log of these events. CLI progress, resume, reports and
 * the files in the run directory are all derived from it. Bump `logVersion` when an old log could be
 * misread.
 */
export const logVersion = 1

const blob = z.string().regex(/^[0-9a-f]{32}$/)
const hash = z.string()

export { stageNames }
export type StageName = (typeof stageNames)[number]

/** Position in the run. Epoch and step count from 1; 0 means before or outside. */
const place = { stage: z.enum(stageNames), epoch: z.int(), step: z.int() }
const placeSchema = z.object(place)
export type Place = z.output<typeof placeSchema>

const tokens = z.int().nonnegative().optional()
const usage = z.object({
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

const storedMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  text: z.string().optional(),
  blob: blob.optional(),
  parts: z.array(storedPart).optional(),
  toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).optional(),
  toolCallId: z.string().optional(),
})

const stopReason = z.enum([
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

const outcome = z.union([
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
  /** 0 in imported runs that did not record it. */
  support: z.number(),
  from: z.enum(['failure', 'success', 'unknown']),
  tasks: z.array(z.string()),
  /** Cause of the failure, in a few words: edits with the same cause are alternative remedies. */
  cause: z.string().optional(),
  /** The tasks that the edit is meant for, as stated by the optimizer. */
  condition: z.string().optional(),
}
const edit = z.discriminatedUnion('op', [
  z.object({ op: z.literal('append'), content: z.string(), ...provenance }),
  z.object({ op: z.literal('insert_after'), target: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('replace'), target: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('delete'), target: z.string(), ...provenance }),
  z.object({ op: z.literal('rewrite'), content: z.string(), summary: z.string(), ...provenance }),
  z.object({ op: z.literal('suggest'), title: z.string(), content: z.string(), ...provenance }),
  z.object({ op: z.literal('remind'), content: z.string(), ...provenance }),
])
export type RecordedEdit = z.output<typeof edit>

const editReport = z.object({
  edit: z.string(),
  status: z.enum(['applied', 'unmatched', 'refused', 'empty']),
  match: z.enum(['exact', 'tolerant']).optional(),
  reason: z.string(),
})

const failurePattern = z.object({ type: z.string(), count: z.number(), description: z.string() })
export type FailurePattern = z.output<typeof failurePattern>

const patch = z.object({
  from: z.enum(['failure', 'success']),
  tasks: z.array(z.string()),
  reasoning: z.string(),
  patterns: z.array(failurePattern),
  edits: z.array(edit),
  /** With skill-aware reflection: instructions that the skill already has and the agent did not follow. */
  reminders: z.array(edit).optional(),
})
export type Patch = z.output<typeof patch>

const summary = z.object({
  hard: share,
  soft: share,
  scored: z.int(),
  failed: z.int(),
  /** These three are present in runs that record them, also in means. */
  reward: z.number().optional(),
  tokens: z.number().optional(),
  ms: z.number().optional(),
})
export type Summary = z.output<typeof summary>

const interval = z.object({ mean: z.number(), low: z.number(), high: z.number() })

const verdict = z.object({
  decision: z.enum(['accept', 'reject', 'underpowered', 'abstain']),
  effect: interval.optional(),
  /** Tasks scored under both skills, and on how many of them the candidate was better or worse. */
  tasks: z.object({ better: z.int(), worse: z.int(), total: z.int() }).optional(),
  complete: z.boolean(),
  reason: z.string(),
})

/** A skill scored on the test split, in a training or in a baseline comparison. */
const tested = z.enum(['none', 'initial', 'best', 'last', 'one-shot', 'trained'])

const reservation = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cost: z.number().nonnegative().optional(),
})
export type Reservation = z.output<typeof reservation>

const role = z.enum(['optimizer', 'target', 'judge'])

export const eventBodies = {
  'run.started': z.object({
    log: z.literal(logVersion),
    kind: z.enum(['train', 'eval', 'baseline', 'judge-check', 'gate-check', 'probe', 'mine']),
    run: z.string(),
    product: z.string(),
    config: z.json(),
    /** Origin of each value: flag, environment, file or default. */
    sources: z.record(z.string(), z.string()),
    /** Hashes of content that the config only references: changing it changes the run. */
    fingerprints: z.record(z.string(), z.string()),
    simulated: z.boolean(),
    seedSkill: blob,
    /** Absent where an imported run did not record it. */
    tasks: z.object({ train: z.int().optional(), val: z.int().optional(), test: z.int().optional() }),
    epochs: z.int(),
    stepsPerEpoch: z.int(),
    forkedFrom: z.string().optional(),
    /** Origin of an imported run, made by another program; the log holds only what that program recorded. */
    importedFrom: z.string().optional(),
  }),
  'session.started': z.object({
    pid: z.int(),
    resumed: z.boolean(),
    limits: z.record(z.string(), z.number()),
    /** Role -> agent and version, for roles filled by an agent. */
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
    /** Amount charged for a try that may have cost something although no reply arrived. */
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
  /** Total of the calls that an imported run recorded, without tokens if it reported none. */
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
    /** The attempt comes from another run, and cost nothing here. */
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
  /** An optimizer reply that stayed unusable after the repair round. Never treated as "nothing to learn". */
  'optimizer.failed': z.object({ ...place, message: z.string() }),

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
   * With autonomous control: the number of edits that the optimizer recommends, next to the scheduled
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
   * The selected suggestions, merged into a rewrite of the whole skill; no `edit` when the reply was
   * unusable.
   */
  'rewrite.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    edit: edit.optional(),
    failed: z.int(),
  }),
  /** The appendix exceeded its limit and was consolidated; no `notes` when the reply was unusable. */
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
  'evaluation.finished': z.object({
    ...place,
    skill: hash,
    split: z.enum(['train', 'val', 'test']),
    ...summary.shape,
    score: z.number(),
    rows: blob,
  }),
  /**
   * Names of the skills in an evaluation, by hash. If it is repeated under other names, the last ones apply.
   */
  'skills.named': z.object({
    skills: z.array(z.object({ name: z.string(), skill: hash, text: blob })),
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
  /** Edits that enter the pool: from now on attempts are made with and without them. */
  'trials.admitted': z.object({
    epoch: z.int(),
    step: z.int(),
    edits: z.array(edit.and(z.object({ slot: z.string(), concerned: z.int() }))),
    /** Proposals that were duplicates, or for which the pool had no room. */
    known: z.int(),
    full: z.int(),
    /** Proposals that could not be placed in the skill, or would exceed its limits. */
    unusable: z.int(),
    /** The unusable proposals that were refused, for example for hidden text, with the reason. */
    refused: z.array(z.object({ edit: z.string(), reason: z.string() })).optional(),
  }),
  /** The train tasks that each cause concerns, where the optimizer was asked to name them. */
  'trials.classified': z.object({
    epoch: z.int(),
    step: z.int(),
    /** Number of tasks shown to the optimizer. */
    shown: z.int(),
    causes: z.array(z.object({ cause: z.string(), all: z.boolean(), tasks: z.array(z.string()) })),
    /** Number of replies that stayed unusable. */
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
    /** `undecided`: neither accepted nor dropped when training ended. */
    decision: z.enum(['accepted', 'dropped', 'taken-back', 'pruned', 'kept', 'undecided']),
    /**
     * Effect on the tasks that the edit concerns, as a share of the score, with its 95% confidence interval.
     */
    effect: interval.optional(),
    /** Effect on all other tasks. */
    elsewhere: interval.optional(),
    /** Probability that the edit helps. */
    helps: z.number(),
    /**
     * Attempts with the edit at concerned tasks that it was not proposed from, and the number of those
     * tasks.
     */
    trials: z.int(),
    tasks: z.int(),
    reason: z.string(),
  }),
  /** Gain from the latest attempts, where training stops once that gain is too small. */
  'gain.measured': z.object({
    epoch: z.int(),
    step: z.int(),
    /** The first round included. */
    from: z.int(),
    /** Score gained by edits accepted since then, plus the expected gain of those on trial. */
    gain: z.number(),
    attempts: z.int(),
    /** US dollars since the start of the run, where every model has a price. */
    spent: z.number().optional(),
  }),
  'step.finished': z.object({
    epoch: z.int(),
    step: z.int(),
    outcome: z.enum(['accepted', 'rejected', 'abstained', 'no-edits', 'nothing-applied', 'optimizer-failed']),
    skill: hash,
  }),
  /** Version N is the skill that step N + 1 starts with; an epoch's slow update belongs to its last step. */
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
     * In the trials loop the guidance is `proposed`: an ordinary edit whose id is `slow-update:` plus the
     * epoch.
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
  /** No text when the optimizer's reply stayed unusable: the skill is then missing, not empty. */
  'one-shot.finished': z.object({ skill: hash.optional(), text: blob.optional(), summary: z.string() }),
  /**
   * Paired comparisons of skills on the same test tasks: how much better the first did, over tasks scored
   * for both.
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
  /**
   * The optimizer's result for a recurring request: a task, a reason why there is none, or nothing usable.
   */
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
  /**
   * Variants of a task that the optimizer invented and that may be used for training, or why there are none.
   */
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
   * tasks without any.
   */
  'mining.finished': z.object({ written: z.int(), skipped: z.int(), failed: z.int() }),
  'run.finished': z.object({
    best: z.int(),
    last: z.int(),
    score: z.number(),
    /** Why training ended: `all epochs`, or the reason why more were pointless. */
    because: z.string().optional(),
  }),
  'run.stopped': z.object({
    reason: z.enum(['paused', 'cap', 'interrupted', 'failed']),
    message: z.string(),
    hint: z.string().optional(),
  }),
} as const

export type EventType = keyof typeof eventBodies
export type EventBody<T extends EventType> = z.output<(typeof eventBodies)[T]>

/**
 * `key` identifies the work that the event is the result of; an event with a key is written once and
 * replayed on resume.
 */
export type RunEvent = {
  [T in EventType]: {
    readonly seq: number
    readonly at: number
    readonly type: T
    readonly key?: string
    readonly body: EventBody<T>
  }
}[EventType]

export type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>

const envelope = z.object({
  seq: z.int().nonnegative(),
  at: z.number(),
  type: z.enum(Object.keys(eventBodies) as [EventType, ...EventType[]]),
  key: z.string().optional(),
  body: z.unknown(),
})

export const isEventType = (type: string): type is EventType => Object.hasOwn(eventBodies, type)

/** Path of the first invalid value in an event's body; undefined if the body is valid. */
export function eventProblem({ type, body }: RunEvent): string | undefined {
  const [issue] = eventBodies[type].safeParse(body).error?.issues ?? []
  return issue === undefined ? undefined : ['body', ...issue.path].join('.')
}

/**
 * Validates a whole event, for tests, imports and `--json` readers. The hot path skips this for events it
 * built itself.
 */
export function parseEvent(value: unknown): RunEvent {
  const { body, ...rest } = envelope.parse(value)
  return { ...rest, body: eventBodies[rest.type].parse(body) } as RunEvent
}
