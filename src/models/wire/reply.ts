import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import { WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply, ModelRequest, ModelStop } from '../../core/ports/model.js'
import type { ToolCall, Usage } from '../../core/task/task.js'
import { isTokenCount } from '../../core/task/usage.js'
import { mapUnseen } from '../../core/text/unseen-characters.js'

interface FinishedGeneration {
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
  rule: EmptyReplyRule,
): ModelReply {
  const text = result.content.map(part => (part.type === 'text' ? part.text : '')).join('')
  const toolCalls = result.content.flatMap(part => (part.type === 'tool-call' ? [toToolCall(part)] : []))
  return createReply({ text, toolCalls, finish: result.finishReason, usage: result.usage }, rule)
}

/** Reads a stream into the reply that a call without streaming returns. Incomplete streams fail. */
export async function foldStream(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  rule: EmptyReplyRule,
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
        // The library reports this if the stream stopped before the provider gave a finish reason.
        if (part.finishReason.unified === 'other' && part.finishReason.raw === undefined) throw endedEarly()
        return createReply({ text, toolCalls, finish: part.finishReason, usage: part.usage }, rule)
      }
    }
  } finally {
    // Releases the connection. It does not matter if the stream has already failed.
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

function createReply(
  { text, toolCalls, finish, usage }: FinishedGeneration,
  rule: EmptyReplyRule,
): ModelReply {
  if (text === '' && toolCalls.length === 0 && finish.unified === 'other' && finish.raw === undefined) {
    throw new WorldFailure('malformed', 'The reply has no content and no finish reason.', {
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
  return modelFaultReasons.has(finish.raw ?? '') ? reply : rejectEmptyReply(reply, rule)
}

function toToolCall(part: { toolCallId: string; toolName: string; input: string }): ToolCall {
  return { id: part.toolCallId, name: part.toolName, arguments: part.input }
}

/** Finish reasons for a reply that the server ended, not the model. */
const serverFaultReasons = new Set(['error', 'abort', 'insufficient_system_resource'])

/** Finish reasons that libraries treat as failures, although the model's own output was unusable. */
const modelFaultReasons = new Set(['MALFORMED_FUNCTION_CALL'])

function toStop(finish: LanguageModelV3FinishReason, hasToolCalls: boolean): ModelStop {
  if (modelFaultReasons.has(finish.raw ?? '')) return 'stop'
  if (finish.unified === 'error' || serverFaultReasons.has(finish.raw ?? '')) {
    throw new WorldFailure('server', `The server aborted its reply (${finish.raw ?? 'error'}).`, {
      retryable: true,
      mayHaveCost: true,
    })
  }
  if (finish.raw === 'model_context_window_exceeded') return 'context-overflow'
  if (finish.unified === 'length' || finish.unified === 'content-filter') return finish.unified
  return hasToolCalls ? 'tool-calls' : 'stop'
}

/**
 * The usage that the provider reported. The library sets missing fields to zero, so a figure counts only if
 * the raw usage contains it.
 */
function toUsage(usage: LanguageModelV3Usage): Usage {
  const raw = usage.raw
  /** A negative figure could hide in a sum of the library, so each figure must be a valid count. */
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
      // If the limit was reached while thinking, this is the only output figure.
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

/** Decides whether an empty reply may be the model's answer. */
export interface EmptyReplyRule {
  /** Whether the config allows empty answers from this model. */
  readonly allowed: boolean
  /** Whether the request's last message holds tool results. */
  readonly followsTools: boolean
}

/** An empty reply is billed as a few tokens for its end; more tokens mean that there was content. */
const maxTokensOfEmptyReply = 4

export function emptyReplyRule({ messages }: ModelRequest, emptyReplies: 'retry' | 'answer'): EmptyReplyRule {
  return { allowed: emptyReplies === 'answer', followsTools: messages.at(-1)?.role === 'tool' }
}

/**
 * Rejects a reply that ended normally but has neither text nor tool calls. Its content was lost on the way,
 * and scoring it would blame the model for the provider's fault. After a tool result, however, the model may
 * have nothing to add; such a reply is billed as almost nothing.
 */
export function rejectEmptyReply(
  reply: ModelReply,
  { allowed: isAnswer, followsTools }: EmptyReplyRule,
): ModelReply {
  const { text, toolCalls = [], stop, usage } = reply
  const hasEnded = stop === 'stop' || stop === 'tool-calls'
  if (!hasEnded || isAnswer || toolCalls.length > 0 || hasVisibleText(text)) return reply
  const visible = usage.output === undefined ? undefined : usage.output - (usage.reasoning ?? 0)
  if (followsTools && visible !== undefined && visible <= maxTokensOfEmptyReply) return reply
  const billed =
    usage.output === undefined ? 'and reports no output tokens' : `but bills ${usage.output} output tokens`
  throw new WorldFailure('malformed', `The reply is empty ${billed}.`, {
    retryable: true,
    mayHaveCost: true,
    spent: { usage },
    hint: 'Check the provider. If empty replies are expected from this model, set `emptyReplies: answer` for it.',
  })
}

/** A reply of only zero-width characters counts as empty. */
function hasVisibleText(text: string): boolean {
  return mapUnseen(text, () => '').trim() !== ''
}
