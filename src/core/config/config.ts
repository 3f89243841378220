import { z } from 'zod'
import { presetNames } from './presets.js'
import { sleepSchema } from './sleep-config.js'

/**
 * Every option with its default and doc line. Validation, the editors' JSON schema and the docs' reference
 * page are all derived from it. `mayChange` marks options that do not affect results and may differ when a
 * run is resumed.
 */
const mayChange = { mayChange: true } as const

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
export type Effort = (typeof efforts)[number]

const price = z.strictObject({
  input: z.number().nonnegative().describe('US dollars per million input tokens.'),
  output: z.number().nonnegative().describe('US dollars per million output tokens.'),
  cachedInput: z
    .number()
    .nonnegative()
    .optional()
    .describe('US dollars per million cached input tokens; default: `input`.'),
  cacheWrite: z
    .number()
    .nonnegative()
    .optional()
    .describe('US dollars per million input tokens written to the cache; default: `input`.'),
})

export const modelSchema = z.strictObject({
  model: z
    .string()
    .min(1)
    .describe('`provider/model`, such as `openai/gpt-5-mini`; or `agent/model`, such as `codex/default`.'),
  provider: z
    .string()
    .min(1)
    .optional()
    .describe('File with your own provider; `model` then begins with its id.'),
  endpoint: z
    .string()
    .optional()
    .describe('Base URL of the API; for `handoff/…`, the folder of its prompts.'),
  apiKeyEnv: z
    .string()
    .optional()
    .describe('Environment variable that holds the key; default: the provider’s usual one.'),
  auth: z
    .enum(['key', 'entra'])
    .default('key')
    .describe('`entra` signs in to Azure OpenAI with Entra ID instead of a `key`.'),
  apiVersion: z.string().optional().describe('Azure OpenAI API version.'),
  temperature: z.number().min(0).max(2).optional().describe('Sampling temperature; not sent if not given.'),
  effort: z.enum(efforts).optional().describe('Reasoning effort; not sent if not given.'),
  maxOutputTokens: z
    .int()
    .positive()
    .optional()
    .describe(
      'Output limit of a call, reserved against the caps; default: 4096 for target and judge, 16384 for optimizer.',
    ),
  timeout: z
    .number()
    .positive()
    .default(120)
    .meta({
      description: 'Seconds until a call times out; default for agents: 900.',
      ...mayChange,
    }),
  extraBody: z
    .record(z.string(), z.json())
    .optional()
    .describe('Fields added to the request body, such as `chat_template_kwargs`.'),
  structured: z
    .enum(['auto', 'schema', 'json', 'text'])
    .default('auto')
    .describe(
      'How JSON is requested: by `schema`, by `json` mode, in `text` only, or `auto`: the best the provider has.',
    ),
  emptyReplies: z
    .enum(['retry', 'answer'])
    .default('retry')
    .describe('A finished reply without content: `retry` treats it as a provider fault, `answer` scores it.'),
  stream: z
    .boolean()
    .default(false)
    .meta({ description: 'Request streamed replies.', ...mayChange }),
  seed: z
    .boolean()
    .optional()
    .describe('Send a `seed` with each call; default: only for the simulated model.'),
  concurrency: z
    .int()
    .positive()
    .default(8)
    .meta({
      description: 'Calls in flight at once; default for agents: 4, for `handoff/…`: 1000.',
      ...mayChange,
    }),
  requestsPerMinute: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'The provider’s rate limit.', ...mayChange }),
  tokensPerMinute: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'The provider’s rate limit, input plus output.', ...mayChange }),
  retries: z
    .int()
    .nonnegative()
    .default(6)
    .meta({
      description: 'Retries of a failed call.',
      ...mayChange,
    }),
  price: price.optional().meta({ description: 'Overrides the bundled price table.', ...mayChange }),
})

const modelReference = z.union([z.string().min(1), modelSchema])

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

const weight = (what: string, byDefault: number) =>
  z.number().nonnegative().default(byDefault).describe(`Weight of ${what}.`)

const reward = z
  .strictObject({
    accuracy: weight('the hard score', 1),
    tokens: weight('few tokens: 1 − tokens / `tokenScale`', 0),
    latency: weight('speed: 1 − seconds / `secondsScale`', 0),
    tokenScale: z
      .number()
      .positive()
      .default(2000)
      .describe('Tokens of an attempt from which on it earns nothing.'),
    secondsScale: z
      .number()
      .positive()
      .default(15)
      .describe('Seconds of an attempt from which on it earns nothing.'),
  })
  .refine(({ accuracy, tokens, latency }) => accuracy + tokens + latency > 0, {
    error: 'needs a weight above 0: accuracy, tokens or latency',
  })

const floors = z.strictObject({
  accuracy: z.number().min(0).max(1).optional().describe('Lowest mean hard score; 0.8 is 80%.'),
  tokens: z.number().positive().optional().describe('Highest mean tokens of an attempt.'),
  seconds: z.number().positive().optional().describe('Highest mean seconds of an attempt.'),
})

const trialSettings = z.strictObject({
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

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('JSON schema for editors.'),
  preset: z
    .enum(presetNames)
    .default('default')
    .meta({
      description: 'Settings that go together: see [presets](presets.md).',
      ...mayChange,
    }),
  name: z
    .string()
    .regex(/^[\w.-]+$/, 'may hold letters, digits, dot, dash and underscore only')
    .optional()
    .describe('Name in run directories; default: the folder’s name.'),
  skill: z.string().default('SKILL.md').describe('The skill to train, relative to this file.'),
  environment: z
    .looseObject({
      use: z
        .string()
        .default('tasks')
        .describe(
          '`tasks` (your own, no code), a benchmark such as `searchqa`, or the path of your own file.',
        ),
    })
    .describe('Where tasks come from and how answers are scored.'),
  models: z
    .strictObject({
      target: modelReference.describe('The frozen agent whose skill is trained.'),
      optimizer: modelReference.describe('Reads trajectories and proposes edits.'),
      judge: modelReference.optional().describe('Grades answers for scorers that need a model.'),
    })
    .describe('Each a `provider/model` or an object with the options below.'),
  harness: z
    .strictObject({
      access: z
        .enum(['workspace', 'full'])
        .default('workspace')
        .describe(
          'What an agent may do: `workspace` is its task’s files, and a shell only in its own sandbox; `full` runs with your full permissions and is UNSAFE.',
        ),
      inherit: z
        .boolean()
        .default(false)
        .describe('Use your own set-up of the agent (instructions, skills, servers, hooks).'),
      tokensPerAttempt: z
        .int()
        .positive()
        .default(500_000)
        .describe('Tokens after which an agent is stopped; reserved against caps for each attempt.'),
    })
    .prefault({})
    .describe('For models that are agents.'),
  sandbox: z
    .enum(['auto', 'none'])
    .default('auto')
    .describe(
      'Where model-written programs and check commands run: `auto` is bubblewrap or sandbox-exec, or nothing runs; `none` is UNSAFE: they run with your full permissions.',
    ),
  train: z
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
    .prefault({}),
  reflect: z
    .strictObject({
      minibatchSize: z.int().positive().default(8).describe('Trajectories per analyst call.'),
      mergeBatchSize: z.int().min(2).default(8).describe('Patches per merge call.'),
      failureOnly: z.boolean().default(false).describe('Analyse failures only.'),
      failurePatterns: z
        .boolean()
        .default(true)
        .describe('Show analysts the epoch’s failure patterns so far.'),
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
    .prefault({}),
  optimizer: z
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
    .prefault({}),
  trials: trialSettings.prefault({}).describe('How edits are tried with `train.loop: trials`.'),
  evaluation: z
    .strictObject({
      gate: z
        .string()
        .default('not-worse')
        .describe(
          '`not-worse`, `guarded`, `paired`, `strict`, `always`, or the path of your own: see [gates](how-many-tasks.md#gates).',
        ),
      earlyStop: z
        .boolean()
        .default(true)
        .describe('With `strict`: stop when the remaining tasks cannot change the decision.'),
      falseAccepts: z
        .number()
        .min(0.001)
        .max(0.5)
        .default(0.05)
        .describe('With `paired`: how often a change without effect may be accepted (alpha).'),
      smallestGain: z
        .number()
        .min(0.005)
        .max(0.5)
        .default(0.05)
        .describe('With `guarded` and `paired`: the smallest gain worth finding; 0.05 is five points.'),
      noRegression: z
        .enum(['off', 'task', 'type'])
        .default('off')
        .describe(
          'Reject a candidate that breaks a solved `task` or `type` of tasks: see [no regression](how-many-tasks.md#no-regression).',
        ),
      metric: z
        .enum(['hard', 'soft', 'mixed', 'reward'])
        .default('hard')
        .describe('The score that counts; `reward` includes tokens and time.'),
      mixedWeight: z.number().min(0).max(1).default(0.5).describe('Weight of soft in `mixed`.'),
      reward: reward.prefault({}).describe('Weights of `metric: reward`: see [cost](cost.md#reward).'),
      floors: floors
        .prefault({})
        .describe('Reject a candidate below one of these: see [floors](how-many-tasks.md#floors).'),
      validationSize: z.int().nonnegative().default(100).describe('Validation tasks used at most; 0 = all.'),
      testSize: z.int().nonnegative().default(0).describe('Test tasks used; 0 = all.'),
      test: z
        .array(z.enum(['none', 'initial', 'best', 'last']))
        .default(['none', 'initial', 'best', 'last'])
        .describe('Skills scored on the test split at the end; `none` is no skill.'),
    })
    .prefault({}),
  cache: z
    .union([z.boolean(), z.string().min(1)])
    .default(false)
    .meta({
      description: 'Share scored evaluations between runs: `true` for `runs/.cache`, or a folder.',
      ...mayChange,
    }),
  prompts: z.string().optional().describe('Folder with replacements for optimizer [prompts](prompts.md).'),
  telemetry: z
    .strictObject({
      spans: z
        .boolean()
        .default(false)
        .meta({
          description: 'Send OpenTelemetry spans over OTLP/HTTP.',
          ...mayChange,
        }),
      endpoint: z
        .string()
        .optional()
        .meta({
          description:
            'Base URL of the collector; default: `OTEL_EXPORTER_OTLP_ENDPOINT` or `http://localhost:4318`.',
          ...mayChange,
        }),
      texts: z
        .boolean()
        .default(false)
        .meta({ description: 'Include prompts and answers.', ...mayChange }),
      logFile: z
        .string()
        .min(1)
        .optional()
        .meta({
          description: 'File for one JSON line per event.',
          ...mayChange,
        }),
      logLevel: z
        .enum(['debug', 'info', 'warn', 'error'])
        .default('info')
        .meta({ description: 'Lowest level that is written.', ...mayChange }),
    })
    .prefault({}),
  sleep: sleepSchema
    .optional()
    .meta({ description: 'For `skillopt sleep`: see [Sleep](sleep.md).', ...mayChange }),
  limits: z
    .strictObject({
      maxCalls: z
        .int()
        .positive()
        .optional()
        .meta({ description: 'Hard cap on model calls.', ...mayChange }),
      maxTokens: z
        .int()
        .positive()
        .optional()
        .meta({ description: 'Hard cap on tokens, in and out.', ...mayChange }),
      maxCost: z
        .number()
        .positive()
        .optional()
        .meta({ description: 'Hard cap in US dollars.', ...mayChange }),
      maxTime: z
        .number()
        .positive()
        .optional()
        .meta({ description: 'Hard cap in minutes.', ...mayChange }),
    })
    .prefault({}),
})

export type Config = z.output<typeof configSchema>
export type ConfigInput = z.input<typeof configSchema>
export type ModelConfig = z.output<typeof modelSchema>
export type UpdateMode = Config['optimizer']['mode']

const defaultOutputTokens = { target: 4096, judge: 4096, optimizer: 16384 } as const

/** Expands a model reference: the short form is the long form with defaults. */
export function resolveModel(
  reference: string | ModelConfig,
  role: keyof typeof defaultOutputTokens,
): ModelConfig & { maxOutputTokens: number } {
  const full = typeof reference === 'string' ? modelSchema.parse({ model: reference }) : reference
  return { ...full, maxOutputTokens: full.maxOutputTokens ?? defaultOutputTokens[role] }
}
