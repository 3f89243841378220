import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { foldStream, toReply } from './reply.js'

function usage(raw: LanguageModelV3Usage['raw']): LanguageModelV3Usage {
  // As the library gives it: zeros for what the provider left out.
  const zeros = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }
  return {
    inputTokens: zeros,
    outputTokens: { total: 0, text: 0, reasoning: 0 },
    ...(raw === undefined ? {} : { raw }),
  }
}
const stop = { unified: 'stop', raw: 'stop' } as const

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
    expect(toReply({ content: [], finishReason: stop, usage: usage(raw) }).usage).toEqual(expected)
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

  it('is a stop where the server uses words of its own, or none', () => {
    expect(ended('other', 'eos').stop).toBe('stop')
    expect(ended('other', undefined).stop).toBe('stop')
  })

  it('is the context where it was full', () => {
    expect(ended('length', 'model_context_window_exceeded').stop).toBe('context-overflow')
  })

  it.each(['insufficient_system_resource', 'abort', 'error'])('is the server’s failure for %s', raw => {
    expect(() => ended('other', raw)).toThrow(expect.objectContaining({ kind: 'server', retryable: true }))
  })

  it('is the model’s own doing where it wrote a call that cannot be read', () => {
    const finishReason = { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' } as const
    expect(toReply({ content: [], finishReason, usage: usage({}) }).stop).toBe('stop')
  })

  it('has to be known where there is no answer either', () => {
    const finishReason = { unified: 'other', raw: undefined } as const
    expect(() => toReply({ content: [], finishReason, usage: usage({}) })).toThrow(
      expect.objectContaining({ kind: 'malformed', retryable: true, mayHaveCost: true }),
    )
  })

  it('is a tool call even where the server calls it a stop', () => {
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
