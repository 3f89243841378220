import { z } from 'zod'

/** Options of scoring, validation and the final test. */

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

export const evaluationSchema = z
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
  .prefault({})
