import type { Usage } from '../../core/task/task.js'
import type { AgentStop } from '../shared/output/failure.js'
import {
  type AgentOutput,
  type AgentReading,
  addUsage,
  conclude,
  type Ending,
} from '../shared/output/reading.js'
import { denialsIn, readStream, type StreamResult } from '../shared/output/stream-json.js'

/**
 * Tools that are denied only outside the workspace. Such a denial means that the agent used a wrong path, and
 * the model is told so as with any other error.
 */
export const fileTools = ['Read', 'Edit', 'Write', 'NotebookEdit', 'Glob', 'Grep']

/** Reads the output of `claude -p --output-format stream-json --verbose`. */
export function readClaudeCode(output: AgentOutput): AgentReading {
  const stream = readStream(output.stdout)
  const { conversation, result, skipped } = stream
  const cost = result?.total_cost_usd
  const seen = {
    messages: conversation.messages,
    usage: usageOf(result),
    cost,
    skipped,
  }
  return conclude(seen, { ...endOf(result), denied: denialsIn(stream, { besides: fileTools }) }, output)
}

/**
 * `subtype: "success"` only means that the program ran to its end; `is_error` says whether the model
 * answered.
 */
function endOf(result: StreamResult | undefined): Ending {
  if (result === undefined) return { finished: false }
  const stop = stopOf(result)
  if (!result.is_error && result.subtype === 'success') return { finished: true, stop }
  const words = result.result ?? result.errors?.join(' ') ?? result.subtype
  return { finished: true, stop, error: { message: words, status: result.api_error_status ?? undefined } }
}

function stopOf(result: StreamResult): AgentStop | undefined {
  if (result.subtype === 'error_max_turns') return 'turn-limit'
  if (result.stop_reason === 'refusal') return 'refusal'
  return result.stop_reason === 'max_tokens' ? 'output-limit' : undefined
}

/** Adds up the usage per model, because only those figures include sub-agents and helper calls. */
function usageOf(result: StreamResult | undefined): Usage {
  const models = Object.values(result?.modelUsage ?? {})
  if (models.length > 0) {
    return models
      .map(model => {
        const { inputTokens: input, outputTokens: output, thinkingTokens: reasoning } = model
        return mergedUsage(
          { input, output, reasoning },
          model.cacheReadInputTokens,
          model.cacheCreationInputTokens,
        )
      })
      .reduce(addUsage, {})
  }
  const all = result?.usage
  if (all === undefined) return {}
  const { input_tokens: input, output_tokens: output } = all
  return mergedUsage({ input, output }, all.cache_read_input_tokens, all.cache_creation_input_tokens)
}

/** Adds cache reads and cache writes to the input, because Claude reports them separately. */
function mergedUsage(
  rest: Usage & { readonly input: number },
  cachedInput: number | undefined,
  cacheWrite: number | undefined,
): Usage {
  return { ...rest, input: rest.input + (cachedInput ?? 0) + (cacheWrite ?? 0), cachedInput, cacheWrite }
}
