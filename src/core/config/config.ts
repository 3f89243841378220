import { z } from 'zod'
import { evaluationSchema } from './evaluation-schema.js'
import { mayChange, modelReference } from './model-schema.js'
import { presetNames } from './presets.js'
import { sleepSchema } from './sleep-config.js'
import { optimizerSchema, reflectSchema, trainSchema, trialsSchema } from './training-schema.js'

export { type Effort, type ModelConfig, modelSchema, resolveModel } from './model-schema.js'

/**
 * Every option with its default and doc line. Validation, the editors' JSON schema and the docs' reference
 * page are all derived from it.
 */
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
  train: trainSchema,
  reflect: reflectSchema,
  optimizer: optimizerSchema,
  trials: trialsSchema.prefault({}).describe('How edits are tried with `train.loop: trials`.'),
  evaluation: evaluationSchema,
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
export type UpdateMode = Config['optimizer']['mode']
