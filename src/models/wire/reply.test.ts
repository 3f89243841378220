import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { foldStream as foldWith, rejectEmptyReply, toReply as replyWith } from './reply.js'

function usage(raw: LanguageModelV3Usage['raw']): LanguageModelV3Usage {
  // Usage as the library reports it: zeros for figures that the provider left out.
  const zeros = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }
  return {
    inputTokens: zeros,
    outputTokens: { total: 0, text: 0, reasoning: 0 },
    ...(raw === undefined ? {} : { raw }),
  }
}
const stop = { unified: 'stop', raw: 'stop' } as const
const usual = { allowed: false, followsTools: false }
const toReply = (result: Parameters<typeof replyWith>[0], rule = usual) => replyWith(result, rule)
const foldStream = (stream: Parameters<typeof foldWith>[0], rule = usual) => foldWith(stream, rule)
const text = [{ type: 'text', text: 'x' }] as const

describe('usage', () => {
  it.each([
    [undefined, {}],
    [{}, {}],
    [{ completion_tokens: 0 }, { output: 0 }],
    [
      { prompt_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } },
      { input: 0, cachedInput: 0 },
    ],
    [{ prompt_tokens: null }, {}],
    [{ prompt_cache_hit_tokens: 5 }, { cachedInput: 5 }],
    [
      { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0 },
      { input: 0, output: 0, cacheWrite: 0 },
    ],
    [{ output_tokens_details: { reasoning_tokens: 0 } }, { reasoning: 0 }],
    [
      { promptTokenCount: 0, candidatesTokenCount: 0, cachedContentTokenCount: 0 },
      { input: 0, output: 0, cachedInput: 0 },
    ],
    [
      { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheWriteInputTokens: 0 },
      { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 },
    ],
    [{ thoughtsTokenCount: 0 }, { output: 0, reasoning: 0 }],
  ])('of %o is %o', (raw, expected) => {
    expect(toReply({ content: text, finishReason: stop, usage: usage(raw) }).usage).toEqual(expected)
  })
})

it.each([
  [-5, 3],
  [2.5, 3],
  [1e300, 3],
])('takes usage of %d for unknown, also inside a sum', (candidates, thoughts) => {
  const told = usage({ promptTokenCount: -1, candidatesTokenCount: candidates, thoughtsTokenCount: thoughts })
  const outputTokens = { total: 7, text: 4, reasoning: thoughts }
  const inputTokens = { total: -1, noCache: -1, cacheRead: 0, cacheWrite: 0 }
  const content = [{ type: 'text', text: 'x' }] as const
  const reply = toReply({ content, finishReason: stop, usage: { ...told, inputTokens, outputTokens } })
  expect(reply.usage).toEqual({ reasoning: thoughts })
})

describe('what ended the reply', () => {
  const ended = (unified: 'other' | 'length', raw: string | undefined) =>
    toReply({ content: [{ type: 'text', text: 'x' }], finishReason: { unified, raw }, usage: usage({}) })

  it('is a stop if the server gives an unknown reason or none', () => {
    expect(ended('other', 'eos').stop).toBe('stop')
    expect(ended('other', undefined).stop).toBe('stop')
  })

  it('is a context overflow if the context was full', () => {
    expect(ended('length', 'model_context_window_exceeded').stop).toBe('context-overflow')
  })

  it.each(['insufficient_system_resource', 'abort', 'error'])('is the server’s failure for %s', raw => {
    expect(() => ended('other', raw)).toThrow(expect.objectContaining({ kind: 'server', retryable: true }))
  })

  it('is the model’s fault if it wrote an unreadable call', () => {
    const finishReason = { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } as const
    expect(toReply({ content: [], finishReason, usage: usage({}) }).stop).toBe('stop')
  })

  it('is required if there is no answer either', () => {
    const finishReason = { unified: 'other', raw: undefined } as const
    expect(() => toReply({ content: [], finishReason, usage: usage({}) })).toThrow(
      expect.objectContaining({ kind: 'malformed', retryable: true, mayHaveCost: true }),
    )
  })

  it('is a tool call even if the server reports a stop', () => {
    const call = { type: 'tool-call', toolCallId: '1', toolName: 't', input: '{}' } as const
    expect(toReply({ content: [call], finishReason: stop, usage: usage({}) }).stop).toBe('tool-calls')
  })

  it('leaves reasoning out of the text', () => {
    const content = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ] as const
    expect(toReply({ content, finishReason: stop, usage: usage({}) }).text).toBe('ab')
  })
})

describe('a finished reply without content', () => {
  const billed = (output: number, reasoning?: number): LanguageModelV3Usage => ({
    inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning },
    raw: {
      prompt_tokens: 9,
      completion_tokens: output,
      ...(reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoning } }),
    },
  })
  const empty = (
    told: LanguageModelV3Usage,
    finishReason: Parameters<typeof replyWith>[0]['finishReason'],
  ) => ({
    content: [],
    finishReason,
    usage: told,
  })
  const fault = { kind: 'malformed', retryable: true, mayHaveCost: true }

  it.each([
    ['billed', billed(20)],
    ['billed as one token', billed(1)],
    ['billed as none', billed(0)],
    ['of which nothing is said', usage(undefined)],
    ['billed as reasoning', billed(800, 800)],
  ])('%s, is a fault and not an answer', (_, told) => {
    expect(() => toReply(empty(told, stop))).toThrow(expect.objectContaining(fault))
    const blank = { ...empty(told, stop), content: [{ type: 'text', text: ' \n' }] as const }
    expect(() => toReply(blank)).toThrow(expect.objectContaining(fault))
    const calls = { unified: 'tool-calls', raw: 'tool_calls' } as const
    expect(() => toReply(empty(told, calls))).toThrow(expect.objectContaining(fault))
    const own = { unified: 'other', raw: 'eos' } as const
    expect(() => toReply(empty(told, own))).toThrow(expect.objectContaining(fault))
  })

  it('reports its billed usage, so that caps count it', () => {
    expect(() => toReply(empty(billed(20), stop))).toThrow(
      expect.objectContaining({ spent: { usage: { input: 9, output: 20 } } }),
    )
  })

  it('is a provider fault in a stream too', async () => {
    const parts = [{ type: 'finish', finishReason: stop, usage: billed(20) }] as const
    const stream = ReadableStream.from(parts) as Parameters<typeof foldWith>[0]
    await expect(foldStream(stream)).rejects.toMatchObject(fault)
  })

  it('is an answer for a model with empty answers enabled', () => {
    const reply = toReply(empty(billed(20), stop), { allowed: true, followsTools: false })
    expect(reply).toEqual({ text: '', stop: 'stop', usage: { input: 9, output: 20 } })
  })

  it('ends the turn after tool results if next to nothing was billed', () => {
    const rule = { allowed: false, followsTools: true }
    expect(toReply(empty(billed(3), stop), rule).text).toBe('')
    expect(toReply(empty(billed(203, 200), stop), rule).text).toBe('')
    expect(() => toReply(empty(billed(20), stop), rule)).toThrow(expect.objectContaining(fault))
    expect(() => toReply(empty(usage(undefined), stop), rule)).toThrow(expect.objectContaining(fault))
  })

  it('is truncated or filtered if the provider says so', () => {
    expect(toReply(empty(billed(4096, 4096), { unified: 'length', raw: 'length' })).stop).toBe('length')
    const filtered = { unified: 'content-filter', raw: 'content_filter' } as const
    expect(toReply(empty(billed(7), filtered)).stop).toBe('content-filter')
  })
})

describe('a stream', () => {
  const stream = (...parts: LanguageModelV3StreamPart[]) =>
    ReadableStream.from(parts) as ReadableStream<LanguageModelV3StreamPart>
  const delta = (text: string) => ({ type: 'text-delta', id: '1', delta: text }) as const

  it('is the same reply', async () => {
    const reply = await foldStream(
      stream(delta('he'), delta('llo'), {
        type: 'finish',
        finishReason: stop,
        usage: usage({ prompt_tokens: 0 }),
      }),
    )
    expect(reply).toEqual({ text: 'hello', stop: 'stop', usage: { input: 0 } })
  })

  it.each([
    ['ends', stream(delta('he'))],
    [
      'gives no reason',
      stream(delta('he'), {
        type: 'finish',
        finishReason: { unified: 'other', raw: undefined },
        usage: usage({}),
      }),
    ],
  ])('that %s too early is a failure that may have cost', async (_name, parts) => {
    await expect(foldStream(parts)).rejects.toMatchObject({
      kind: 'transport',
      retryable: true,
      mayHaveCost: true,
    })
  })
})

const rule = { allowed: false, followsTools: false }
const reply = (text: string) => ({ text, stop: 'stop' as const, usage: { output: 40 } })

it.each(['', ' \n', '\u00a0', '\u200b', '\u200b \u2060\ufeff', '\u{e0041}', '\u2800'])(
  'treats an invisible reply as a provider fault: %j',
  text => {
    expect(() => rejectEmptyReply(reply(text), rule)).toThrow('The reply is empty but bills 40 output tokens')
  },
)

it.each(['0', '👩‍👩‍👧', 'a\u200b', '.'])('lets a short answer through: %j', text => {
  expect(rejectEmptyReply(reply(text), rule).text).toBe(text)
})
