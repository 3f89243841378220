import type { StageName } from '../../core/log/event.js'
import { loadTokenCounter } from '../../core/text/tokens.js'
import type { Setup } from '../loops/setup.js'
import type { PromptName } from '../stages/prompts.js'
import { priorTokens } from './call-tokens.js'
import { type Forecast, forecastRow } from './forecast-rows.js'
import { exactly } from './range.js'

/**
 * Forecasts asking the optimizer each of these questions once. The high end is an upper bound: every reply
 * has the maximum length, and each question is asked twice.
 */
export async function forecastQuestions(
  { models, prompts }: Pick<Setup, 'models' | 'prompts'>,
  stage: StageName & PromptName,
  contents: readonly string[],
): Promise<Forecast> {
  const count = await loadTokenCounter()
  const shown = contents.reduce((sum, content) => sum + count(content), 0)
  const asked = count(prompts[stage].text) + shown / Math.max(1, contents.length)
  const { input, output, cached } = priorTokens({ models }, 'optimizer', exactly(asked))
  const most = models.optimizer.maxOutputTokens
  const perCall = {
    // On a retry, the prompt contains the first reply.
    input: { ...input, high: input.high + most },
    output: { ...output, high: most },
    cached,
  }
  const calls = { low: contents.length, likely: contents.length, high: 2 * contents.length }
  const rows = [forecastRow({ models }, { stage, role: 'optimizer', calls, perCall })].filter(
    ({ calls }) => calls.high > 0,
  )
  const nothing = { calls: exactly(0), tokens: exactly(0), cost: exactly(0) }
  const [only] = rows
  return {
    rows,
    total: only === undefined ? nothing : { calls: only.calls, tokens: only.tokens, cost: only.cost },
    onTop: [],
    measured: [],
    guessesLengths: true,
    assumptions: [
      'tokens counted with o200k, no provider cache',
      `replies of about ${output.likely.toLocaleString('en-US')} tokens (${output.low.toLocaleString('en-US')}–${most.toLocaleString('en-US')})`,
      'one call each; at the high end a second one, because the first reply was unusable',
      'no failed calls',
    ],
  }
}
