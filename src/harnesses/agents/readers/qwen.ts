import type { Message, Usage } from '../../../core/task.js'
import { type AgentOutput, type AgentReading, conclude, type Ending } from './reading.js'
import { denialsIn, readStream, type StreamResult } from './stream-json.js'

/** `qwen -p … --output-format stream-json`. */
export function readQwen(output: AgentOutput): AgentReading {
  const stream = readStream(output.stdout)
  const { conversation, result, skipped } = stream
  const seen = { messages: conversation.messages.flatMap(withoutError), usage: usageOf(result), skipped }
  return conclude(seen, { ...endOf(result), denied: denialsIn(stream) }, output)
}

/**
 * What its model's server refused comes as the answer of a success, by itself or behind the words that had arrived. An
 * answer that ends just so is taken for a failure: the other mistake would be a score.
 */
const errorInAnswer = /\[API Error: ([\s\S]*)\]\s*$/

function endOf(result: StreamResult | undefined): Ending {
  if (result === undefined) return { finished: false }
  const inAnswer = errorInAnswer.exec(result.result ?? '')?.[1]
  if (inAnswer !== undefined) return { finished: true, error: { words: inAnswer } }
  if (!result.is_error && result.subtype === 'success') return { finished: true }
  if (result.subtype === 'error_max_turns') return { finished: true, stop: 'turn-limit' }
  return { finished: true, error: { words: result.error?.message ?? result.result ?? result.subtype } }
}

/** The error is not the model's words, and stands in for them where there were none. */
function withoutError(message: Message): Message[] {
  if (message.role !== 'assistant') return [message]
  const text = message.text.replace(errorInAnswer, '')
  return text === '' && message.toolCalls === undefined ? [] : [{ ...message, text }]
}

function usageOf(result: StreamResult | undefined): Usage {
  if (result?.usage === undefined) return {}
  const { input_tokens, output_tokens, cache_read_input_tokens } = result.usage
  return { input: input_tokens, output: output_tokens, cachedInput: cache_read_input_tokens }
}
