import { z } from 'zod'

/** Marks options that do not affect results and may differ when a run is resumed. */
export const mayChange = { mayChange: true } as const

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const
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
      description: 'Seconds until a call times out; default for agents and `local/…`: 900.',
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
      description: 'Calls in flight at once; default for agents: 4, for `handoff/…`: 1000, for `local/…`: 2.',
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

export const modelReference = z.union([z.string().min(1), modelSchema])

export type ModelConfig = z.output<typeof modelSchema>

const defaultOutputTokens = { target: 4096, judge: 4096, optimizer: 16384 } as const

/** Expands a model reference. The short form `provider/model` stands for the long form with defaults. */
export function resolveModel(
  reference: string | ModelConfig,
  role: keyof typeof defaultOutputTokens,
): ModelConfig & { maxOutputTokens: number } {
  const full = typeof reference === 'string' ? modelSchema.parse({ model: reference }) : reference
  return { ...full, maxOutputTokens: full.maxOutputTokens ?? defaultOutputTokens[role] }
}
