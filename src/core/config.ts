import { z } from 'zod'
import { presetNames } from './presets.js'
import { sleepSchema } from './sleep-config.js'

/**
 * Every option, its default and its doc line. Validation, the editors' JSON schema and the reference page of the
 * docs all come from here. `mayChange` marks what does not affect results: it may differ when a run is resumed.
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
    .describe('US dollars per million input tokens read from the provider’s cache; `input` if not given.'),
  cacheWrite: z
    .number()
    .nonnegative()
    .optional()
    .describe('US dollars per million input tokens written to the provider’s cache; `input` if not given.'),
})

export const modelSchema = z.strictObject({
  model: z
    .string()
    .min(1)
    .describe(
      '`provider/model`, such as `openai/gpt-5-mini`, `anthropic/claude-sonnet-4-5`, `simulated/target`; or `agent/model`, such as `claude-code/claude-sonnet-4-5`, `codex/default`.',
    ),
  provider: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Path of a TypeScript or JavaScript file with a provider of your own; `model` then begins with its id.',
    ),
  endpoint: z
    .string()
    .optional()
    .describe(
      'Base URL of the API, for `openai-compatible/…` and to override a provider’s own; for `handoff/…`, the folder of its prompts.',
    ),
  apiKeyEnv: z
    .string()
    .optional()
    .describe('Name of the environment variable that holds the key; each provider’s usual one if not given.'),
  auth: z
    .enum(['key', 'entra'])
    .default('key')
    .describe('`entra` signs in to Azure OpenAI with Entra ID instead of a key.'),
  apiVersion: z.string().optional().describe('Azure OpenAI API version.'),
  temperature: z.number().min(0).max(2).optional().describe('Sampling temperature; not sent if not given.'),
  effort: z.enum(efforts).optional().describe('Reasoning effort; not sent if not given.'),
  maxOutputTokens: z
    .int()
    .positive()
    .optional()
    .describe(
      'Output limit of a call, reserved against the caps; 4096 for target and judge, 16384 for optimizer.',
    ),
  timeout: z
    .number()
    .positive()
    .default(120)
    .meta({
      description: 'Seconds until a call is given up; for agents 900, if not given.',
      ...mayChange,
    }),
  extraBody: z
    .record(z.string(), z.json())
    .optional()
    .describe('Fields added to the request body as they are (for example `chat_template_kwargs`).'),
  structured: z
    .enum(['auto', 'schema', 'json', 'text'])
    .default('auto')
    .describe(
      'How JSON is asked for: by schema, by JSON mode, or in words only. `auto` takes what the provider has.',
    ),
  emptyReplies: z
    .enum(['retry', 'answer'])
    .default('retry')
    .describe(
      'What a finished reply without any content is: `retry` takes it for a fault of the provider, which is tried again and never scored, `answer` for the model’s own answer.',
    ),
  stream: z
    .boolean()
    .default(false)
    .meta({ description: 'Ask for streamed replies.', ...mayChange }),
  seed: z
    .boolean()
    .optional()
    .describe('Send a `seed` with each call; on by default only for the simulated model.'),
  concurrency: z
    .int()
    .positive()
    .default(8)
    .meta({
      description:
        'Calls in flight at once for this role; for agents 4 and for `handoff/…` 1000, if not given.',
      ...mayChange,
    }),
  requestsPerMinute: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Rate limit that the provider gave you.', ...mayChange }),
  tokensPerMinute: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Rate limit that the provider gave you, input and output together.', ...mayChange }),
  retries: z
    .int()
    .nonnegative()
    .default(6)
    .meta({
      description: 'How often a failed call is tried again before it counts as failed.',
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
      'Write longitudinal guidance at the end of an epoch. If not given: on with `train.loop: steps`, from the second epoch on, and off by trials, where it is one more edit to be tried.',
    ),
  samples: z
    .int()
    .positive()
    .default(10)
    .describe('Train tasks compared under the previous and the current skill.'),
  accept: z
    .enum(['gated', 'force'])
    .default('gated')
    .describe(
      '`gated` (the paper) judges the guidance like any edit; `force` puts it in without asking the gate.',
    ),
  pairs: z
    .enum(['mixed', 'changed', 'unchanged'])
    .default('mixed')
    .describe(
      'Which compared tasks the optimizer is shown: all, those whose result changed, or those unchanged.',
    ),
})

const stageEffort = (what: string) =>
  z
    .enum(efforts)
    .optional()
    .describe(`Reasoning effort for ${what}; that of \`models.optimizer\` if not given.`)

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
      'Tell defects of the skill (edit it) from lapses of the agent (a reminder in the protected appendix).',
    ),
  successes: z.boolean().default(false).describe('Let analysts of solved tasks write reminders too.'),
  notes: z
    .int()
    .nonnegative()
    .default(12)
    .describe(
      'Reminders that the appendix may hold; with more, the optimizer consolidates it. 0 = no limit.',
    ),
})

const weight = (what: string, byDefault: number) =>
  z.number().nonnegative().default(byDefault).describe(`Weight of ${what}.`)

const reward = z
  .strictObject({
    accuracy: weight('the hard score', 1),
    tokens: weight('taking few tokens: 1 − tokens / `tokenScale`, and not below 0', 0),
    latency: weight('being fast: 1 − seconds / `secondsScale`, and not below 0', 0),
    tokenScale: z
      .number()
      .positive()
      .default(2000)
      .describe('Tokens of an attempt, in and out, from which on it earns nothing for being sparing.'),
    secondsScale: z
      .number()
      .positive()
      .default(15)
      .describe('Seconds of an attempt from which on it earns nothing for being fast.'),
  })
  .refine(({ accuracy, tokens, latency }) => accuracy + tokens + latency > 0, {
    error: 'needs a weight above 0: accuracy, tokens or latency',
  })

const floors = z.strictObject({
  accuracy: z.number().min(0).max(1).optional().describe('The least hard score in the mean; 0.8 is 80%.'),
  tokens: z
    .number()
    .positive()
    .optional()
    .describe('The most tokens that an attempt may take in the mean, in and out.'),
  seconds: z
    .number()
    .positive()
    .optional()
    .describe('The most seconds that an attempt may take in the mean.'),
})

const trialSettings = z.strictObject({
  round: z.int().positive().default(16).describe('Attempts in a round. Two rounds are under way at a time.'),
  slots: z.int().positive().default(16).describe('Causes that are on trial at a time.'),
  alternatives: z
    .int()
    .min(1)
    .max(8)
    .default(3)
    .describe('Different remedies for one cause that the optimizer is asked for, raced side by side.'),
  accept: z
    .number()
    .min(0.5)
    .max(0.999)
    .default(0.85)
    .describe('An edit is accepted once it helps with this probability.'),
  drop: z
    .number()
    .min(0.001)
    .max(0.95)
    .default(0.7)
    .describe(
      'Once what was seen is only this many times as likely if an edit helps, other remedies for its cause come first, and new ones are asked for.',
    ),
  confirm: z
    .number()
    .min(0.5)
    .max(0.9999)
    .default(0.97)
    .describe(
      'Accepted edits are tried on, and those for all tasks left out now and then, until they help with this probability.',
    ),
  checkpoint: z
    .int()
    .positive()
    .default(10)
    .describe('Accepted edits after which an epoch ends with a check on the validation split.'),
  leastGain: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'Training ends after an epoch that gained less than this per 100 attempts, by the trials of its edits; 0.02 is two points. It holds where a price is unknown or every model is free. 0 = never.',
    ),
  leastGainPerDollar: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'Training ends after an epoch that gained less than this per US dollar; 0.01 is a point per dollar. It holds where every model has a price. 0 = never.',
    ),
  explore: z
    .number()
    .min(0)
    .max(1)
    .default(0.25)
    .describe('Share of a round that goes to the tasks tried least, whatever is on trial.'),
  classify: z
    .enum(['never', 'when-words-fail', 'always'])
    .default('when-words-fail')
    .describe(
      'Ask the optimizer which train tasks each new cause concerns, in one call for all causes of a round. Otherwise rare words that cause and tasks share decide. `when-words-fail` asks once too few of the tasks behind the proposals share such words.',
    ),
})

export const configSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find the JSON schema; not used otherwise.'),
  preset: z
    .enum(presetNames)
    .default('default')
    .meta({
      description:
        'Settings that go together; what the file and flags say stands above them: see [presets](presets.md). On an existing run only what it sets counts.',
      ...mayChange,
    }),
  name: z
    .string()
    .regex(/^[\w.-]+$/, 'may hold letters, digits, dot, dash and underscore only')
    .optional()
    .describe('Name of the project in run directories; the folder’s name if not given.'),
  skill: z
    .string()
    .default('SKILL.md')
    .describe('The skill to train, a Markdown file, relative to this file.'),
  environment: z
    .looseObject({
      use: z
        .string()
        .default('tasks')
        .describe('`tasks` (your own, no code), `searchqa`, or the path of a TypeScript or JavaScript file.'),
    })
    .describe('Where tasks come from and how answers are scored; further keys belong to the environment.'),
  models: z
    .strictObject({
      target: modelReference.describe('The frozen agent whose skill is trained.'),
      optimizer: modelReference.describe('Reads trajectories and proposes edits.'),
      judge: modelReference.optional().describe('Judges answers for scorers that need a model.'),
    })
    .describe('Each a `provider/model` or an object with the options below.'),
  harness: z
    .strictObject({
      access: z
        .enum(['workspace', 'full'])
        .default('workspace')
        .describe(
          'What an agent may do without asking: `workspace` is the files of its task, and a shell only where its own sandbox confines it; `full` is everything that you may do, and is UNSAFE.',
        ),
      inherit: z
        .boolean()
        .default(false)
        .describe(
          'Let your own set-up of the agent (instructions, skills, servers, hooks) have its part in every attempt.',
        ),
      tokensPerAttempt: z
        .int()
        .positive()
        .default(500_000)
        .describe(
          'Tokens, in and out and over all its calls, after which an agent is ended. So much, and one call more, is reserved against caps for each attempt.',
        ),
    })
    .prefault({})
    .describe('For models that are agents; others are asked directly.'),
  sandbox: z
    .enum(['auto', 'none'])
    .default('auto')
    .describe(
      'Where programs of models and commands of scorers are run: `auto` is bubblewrap on Linux and sandbox-exec on macOS, and nothing runs without it; `none` is UNSAFE: they may do whatever you may.',
    ),
  train: z
    .strictObject({
      loop: z
        .enum(['trials', 'steps'])
        .default('trials')
        .describe(
          '`trials` judges every edit by attempts with and without it; `steps` is the loop of the paper, which judges a patch as a whole.',
        ),
      epochs: z
        .int()
        .positive()
        .optional()
        .describe(
          'Passes over the train split. If not given: 3, and by trials up to 20 on a small split, so that there are about 400 attempts.',
        ),
      batchSize: z.int().positive().default(40).describe('Train tasks per rollout batch.'),
      accumulation: z
        .int()
        .positive()
        .default(1)
        .describe('Batches of rollout and reflection per optimization step.'),
      samples: z
        .int()
        .min(1)
        .max(8)
        .default(1)
        .describe(
          'Attempts at each train task of a batch. Where they come out differently, the analysts see the worst next to the best.',
        ),
      seed: z.int().nonnegative().default(42).describe('Seeds shuffles, batches and samples.'),
      reuse: z
        .enum(['resample', 'reuse'])
        .default('reuse')
        .describe(
          'A train task that comes up again while the skill is still the same: `resample` tries it anew, `reuse` takes the attempt that is there.',
        ),
      focus: z
        .number()
        .min(0)
        .max(1)
        .default(0.1)
        .describe(
          'From the second epoch on: the share of the train tasks solved when last tried that are tried again, beside all that failed; 1 = every task in every epoch.',
        ),
      patience: z
        .int()
        .nonnegative()
        .default(12)
        .describe('Steps in a row that leave the skill as it is, after which training ends; 0 = never.'),
      stopWhenSolved: z
        .boolean()
        .default(true)
        .describe('End training once the current skill has solved every train task.'),
    })
    .prefault({}),
  reflect: z
    .strictObject({
      minibatchSize: z.int().positive().default(8).describe('Trajectories that one analyst call sees.'),
      mergeBatchSize: z.int().min(2).default(8).describe('Patches that one merge call joins.'),
      failureOnly: z.boolean().default(false).describe('Analyse failures only.'),
      failurePatterns: z
        .boolean()
        .default(true)
        .describe('Show analysts the failure patterns that earlier steps of the epoch found.'),
      rejectedEdits: z
        .boolean()
        .default(true)
        .describe('Show analysts the edits that the gate rejected earlier in the epoch.'),
      preferences: z
        .string()
        .trim()
        .min(1)
        .max(4000)
        .optional()
        .describe(
          'What you want of the skill, in your own words; the optimizer is told, and the gate decides all the same.',
        ),
      skillAware: skillAware.prefault({}),
    })
    .prefault({}),
  optimizer: z
    .strictObject({
      mode: z
        .enum(['patch', 'rewrite_from_suggestions', 'full_rewrite_minibatch'])
        .default('patch')
        .describe(
          '`patch` makes edits; `rewrite_from_suggestions` selects suggestions and rewrites the skill from them; in `full_rewrite_minibatch` every analyst rewrites the skill, and the rewrites are merged (no edit budget).',
        ),
      control: z
        .enum(['fixed', 'autonomous', 'none'])
        .default('fixed')
        .describe(
          'Who sets the edits per step: the schedule, the optimizer itself (`autonomous`), or nobody (`none`: all are made).',
        ),
      learningRate: z
        .int()
        .positive()
        .default(4)
        .describe(
          'Edits per step at the start: the textual learning rate. By trials, causes that one reply of the optimizer may name.',
        ),
      minLearningRate: z.int().positive().default(2).describe('Edits per step at the end of the schedule.'),
      schedule: z
        .enum(['constant', 'linear', 'cosine'])
        .optional()
        .describe('How the edit budget falls. If not given: `cosine`, and `constant` by trials.'),
      slowUpdate: slowUpdate.prefault({}),
      effort: effort.prefault({}),
      tokenLimit: z
        .int()
        .positive()
        .optional()
        .describe(
          'Tokens that the skill may have (counted as o200k). The optimizer is told, and an edit that passes it is refused.',
        ),
      metaSkill: z
        .boolean()
        .optional()
        .describe(
          'Keep optimizer-side memory of what helped; never shipped. If not given: on with `train.loop: steps`, off by trials.',
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
          '`not-worse` (accepts unless probably worse), `guarded` (probably better, hardly harmful), `paired` (better beyond noise), `strict` (a higher score on validation), `always` (accept anyway), or the path of your own.',
        ),
      earlyStop: z
        .boolean()
        .default(true)
        .describe('With `strict`: stop where the tasks that are left cannot change the decision.'),
      falseAccepts: z
        .number()
        .min(0.001)
        .max(0.5)
        .default(0.05)
        .describe('With `paired`: how often an edit that changes nothing may be accepted.'),
      smallestGain: z
        .number()
        .min(0.005)
        .max(0.5)
        .default(0.05)
        .describe(
          'With `guarded` and `paired`: the smallest gain worth finding, and for `guarded` the harm to keep out; 0.05 is five points.',
        ),
      noRegression: z
        .enum(['off', 'task', 'type'])
        .default('off')
        .describe(
          'Reject what the gate accepts if it breaks a task (`task`) or a type of tasks (`type`) that the current skill solves: see [gates](gates.md#no-regression).',
        ),
      metric: z
        .enum(['hard', 'soft', 'mixed', 'reward'])
        .default('hard')
        .describe('What the gate compares; `reward` also counts what an attempt takes.'),
      mixedWeight: z.number().min(0).max(1).default(0.5).describe('Weight of soft in `mixed`.'),
      reward: reward.prefault({}).describe('What `metric: reward` is made of: see [cost](cost.md#reward).'),
      floors: floors
        .prefault({})
        .describe(
          'Reject what the gate accepts if it falls below one of these, with any metric: see [gates](gates.md#floors).',
        ),
      validationSize: z.int().nonnegative().default(100).describe('Validation tasks used, at most; 0 = all.'),
      testSize: z.int().nonnegative().default(0).describe('Test tasks used; 0 = all.'),
      test: z
        .array(z.enum(['none', 'initial', 'best', 'last']))
        .default(['none', 'initial', 'best', 'last'])
        .describe('Which skills are scored on the test split at the end; `none` is no skill at all.'),
    })
    .prefault({}),
  cache: z
    .union([z.boolean(), z.string().min(1)])
    .default(false)
    .meta({
      description:
        'Keep scored evaluations for other runs and take theirs: `true` for `runs/.cache`, or a folder, relative to this file.',
      ...mayChange,
    }),
  prompts: z
    .string()
    .optional()
    .describe('Folder whose Markdown files replace the optimizer prompts of the same name.'),
  telemetry: z
    .strictObject({
      spans: z
        .boolean()
        .default(false)
        .meta({
          description: 'Send OpenTelemetry spans of runs and calls to a collector, over OTLP/HTTP.',
          ...mayChange,
        }),
      endpoint: z
        .string()
        .optional()
        .meta({
          description:
            'Base URL of the collector; `OTEL_EXPORTER_OTLP_ENDPOINT` or `http://localhost:4318` if not given.',
          ...mayChange,
        }),
      texts: z
        .boolean()
        .default(false)
        .meta({ description: 'Let spans and log file hold prompts and answers too.', ...mayChange }),
      logFile: z
        .string()
        .min(1)
        .optional()
        .meta({
          description: 'File to which a line of JSON is added for each event, relative to this file.',
          ...mayChange,
        }),
      logLevel: z
        .enum(['debug', 'info', 'warn', 'error'])
        .default('info')
        .meta({ description: 'The least that is written there; `debug` has every call.', ...mayChange }),
    })
    .prefault({}),
  sleep: sleepSchema
    .optional()
    .meta({ description: 'For `skillopt sleep`: see [harvest](sleep.md).', ...mayChange }),
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

/** A model as the config names it, in full: the short form is the long one with defaults. */
export function resolveModel(
  reference: string | ModelConfig,
  role: keyof typeof defaultOutputTokens,
): ModelConfig & { maxOutputTokens: number } {
  const full = typeof reference === 'string' ? modelSchema.parse({ model: reference }) : reference
  return { ...full, maxOutputTokens: full.maxOutputTokens ?? defaultOutputTokens[role] }
}
