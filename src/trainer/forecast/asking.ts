import type { StageName } from '../../core/log/event.js'
import { loadTokenCounter } from '../../core/text/tokens.js'
import type { Setup } from '../loops/setup.js'
import type { PromptName } from '../stages/prompts.js'
import { unmeasured } from './call-tokens.js'
import { type Forecast, row } from './forecast.js'
import { exactly } from './range.js'

/**
 * Forecasts asking the optimizer each of these once. The high end is an upper bound: every reply has the
 * maximum length, and each is requested twice.
 */
export async function forecastAsking(
  { models, prompts }: Pick<Setup, 'models' | 'prompts'>,
  stage: StageName & PromptName,
  contents: readonly string[],
): Promise<Forecast> {
  const count = await loadTokenCounter()
  const shown = contents.reduce((sum, content) => sum + count(content), 0)
  const asked = count(prompts[stage].text) + shown / Math.max(1, contents.length)
  const { input, output, cached } = unmeasured({ models }, 'optimizer', exactly(asked))
  const most = models.optimizer.maxOutputTokens
  const perCall = {
    // On a retry, the first reply is part of the prompt.
    input: { ...input, high: input.high + most },
    output: { ...output, high: most },
    cached,
  }
  const calls = { low: contents.length, likely: contents.length, high: 2 * contents.length }
  const rows = [row({ models }, stage, 'optimizer', calls, perCall)].filter(({ calls }) => calls.high > 0)
  const nothing = { calls: exactly(0), tokens: exactly(0), cost: exactly(0) }
  const [only] = rows
  return {
    rows,
    total: only === undefined ? nothing : { calls: only.calls, tokens: only.tokens, cost: only.cost },
    onTop: [],
    measured: [],
    guessesLengths: true,
    assumptions: [
      'tokens as o200k counts them, no provider cache',
      `replies of ${output.likely} tokens, which may as well be ${output.low} or ${most}`,
      'one call for each; at the high end a second one, because the first reply could not be used',
      'no failed calls',
    ],
  }
}
