import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply, ModelStop } from '../../core/ports/model.js'
import type { ToolCall, Usage } from '../../core/task/task.js'
import { isTokenCount } from '../../core/task/usage.js'
import { type EmptyRule, refuseEmpty } from './empty.js'

interface Finished {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly finish: LanguageModelV3FinishReason
  readonly usage: LanguageModelV3Usage
}

export function toReply(
  result: {
    content: readonly LanguageModelV3Content[]
    finishReason: LanguageModelV3FinishReason
    usage: LanguageModelV3Usage
  },
  rule: EmptyRule,
): ModelReply {
  const text = result.content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const toolCalls = result.content.flatMap(part => (part.type === 'tool-call' ? [toToolCall(part)] : []))
  return finished({ text, toolCalls, finish: result.finishReason, usage: result.usage }, rule)
}

/** Folds a stream into the same reply that an unstreamed call returns; only a complete stream counts. */
export async function foldStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  rule: EmptyRule,
): Promise<ModelReply> {
  let text = ''
  const toolCalls: ToolCall[] = []
  const reader = stream.getReader()
  try {
    while (true) {
      const { done, value: part } = await reader.read()
      if (done) throw endedEarly()
      if (part.type === 'text-delta') text += part.delta
      else if (part.type === 'tool-call') toolCalls.push(toToolCall(part))
      else if (part.type === 'error') throw isEarlyEnd(part.error) ? endedEarly() : part.error
      else if (part.type === 'finish') {
        // The library reports this when the stream stopped before the provider gave a reason.
        if (part.finishReason.unified === 'other' && part.finishReason.raw === undefined) throw endedEarly()
        return finished({ text, toolCalls, finish: part.finishReason, usage: part.usage }, rule)
      }
    }
  } finally {
    // Releases the connection; a stream that has already failed makes no difference to the caller.
    await Promise.allSettled([reader.cancel()])
  }
}

function isEarlyEnd(error: unknown): boolean {
  return error instanceof Error && /ended without a finish reason/i.test(error.message)
}

function endedEarly(): WorldFailure {
  return new WorldFailure('transport', 'The streamed reply ended before it was complete.', {
    retryable: true,
    mayHaveCost: true,
  })
}

function finished({ text, toolCalls, finish, usage }: Finished, rule: EmptyRule): ModelReply {
  if (text === '' && toolCalls.length === 0 && finish.unified === 'other' && finish.raw === undefined) {
    throw new WorldFailure('malformed', 'The reply holds neither an answer nor a reason for having none.', {
      retryable: true,
      mayHaveCost: true,
    })
  }
  const reply = {
    text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    stop: toStop(finish, toolCalls.length > 0),
    usage: toUsage(usage),
  }
  return modelsOwnFault.has(finish.raw ?? '') ? reply : refuseEmpty(reply, rule)
}

function toToolCall(part: { toolCallId: string; toolName: string; input: string }): ToolCall {
  return { id: part.toolCallId, name: part.toolName, arguments: part.input }
}

/** Finish reasons that say the server, not the model, ended the reply. */
const serverGaveUp = new Set(['error', 'abort', 'insufficient_system_resource'])

/** Finish reasons that libraries treat as a failure although the model wrote unusable output. */
const modelsOwnFault = new Set(['MALFORMED_FUNCTION_CALL'])

function toStop(finish: LanguageModelV3FinishReason, hasToolCalls: boolean): ModelStop {
  if (modelsOwnFault.has(finish.raw ?? '')) return 'stop'
  if (finish.unified === 'error' || serverGaveUp.has(finish.raw ?? '')) {
    throw new WorldFailure('server', `The server broke off its reply (${finish.raw ?? 'error'}).`, {
      retryable: true,
      mayHaveCost: true,
    })
  }
  if (finish.raw === 'model_context_window_exceeded') return 'context-overflow'
  if (finish.unified === 'length' || finish.unified === 'content-filter') return finish.unified
  return hasToolCalls ? 'tool-calls' : 'stop'
}

/**
 * Usage that the provider reported. The library fills missing fields with zeros, so a figure is taken only
 * if the raw usage block has it.
 */
function toUsage(usage: LanguageModelV3Usage): Usage {
  const raw = usage.raw
  /** Libraries add figures up, so a negative one could hide in a sum: each must be a valid count. */
  const known = (value: number | undefined, ...paths: string[]) => {
    const given = paths.map(path => numberAt(raw, path)).filter(figure => figure !== undefined)
    return isTokenCount(value) && given.length > 0 && given.every(isTokenCount) ? value : undefined
  }
  const figures = {
    input: known(usage.inputTokens.total, 'prompt_tokens', 'input_tokens', 'promptTokenCount', 'inputTokens'),
    output: known(
      usage.outputTokens.total,
      'completion_tokens',
      'output_tokens',
      'outputTokens',
      'candidatesTokenCount',
      // The only output figure if the limit was reached while thinking.
      'thoughtsTokenCount',
    ),
    cachedInput:
      known(
        usage.inputTokens.cacheRead,
        'prompt_tokens_details.cached_tokens',
        'input_tokens_details.cached_tokens',
        'cache_read_input_tokens',
        'cachedContentTokenCount',
        'cacheReadInputTokens',
      ) ?? known(numberAt(raw, 'prompt_cache_hit_tokens'), 'prompt_cache_hit_tokens'),
    cacheWrite: known(
      usage.inputTokens.cacheWrite,
      'prompt_tokens_details.cache_write_tokens',
      'input_tokens_details.cache_write_tokens',
      'cache_creation_input_tokens',
      'cacheWriteInputTokens',
    ),
    reasoning: known(
      usage.outputTokens.reasoning,
      'completion_tokens_details.reasoning_tokens',
      'output_tokens_details.reasoning_tokens',
      'output_tokens_details.thinking_tokens',
      'thoughtsTokenCount',
    ),
  }
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined))
}

function numberAt(raw: unknown, path: string): number | undefined {
  let current = raw
  for (const name of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return typeof current === 'number' ? current : undefined
}
