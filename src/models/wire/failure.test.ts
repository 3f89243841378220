import { APICallError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { WorldFailure } from '../../core/errors/errors.js'
import { failureOf, isContextOverflow, isFiltered, retryAfter } from './failure.js'

const context = { model: 'p/m', host: 'host:1', keyVariable: 'KEY', redact: (text: string) => text }

function refusal(
  statusCode: number,
  body: unknown,
  prompt = 'x',
  responseHeaders: Record<string, string> = {},
) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body)
  const requestBodyValues = { messages: [{ content: prompt }] }
  return new APICallError({
    message: '',
    url: 'http://host:1',
    requestBodyValues,
    statusCode,
    responseBody,
    responseHeaders,
  })
}
const said = (message: string, code?: string) => ({ error: { message, code } })
const kindOf = (error: unknown) => failureOf(error, context).kind

describe('a prompt that does not fit', () => {
  it.each([
    'This model’s maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.',
    'prompt is too long: 345320 tokens > 199999 maximum',
    'The input (9000 tokens) is longer than the model’s context length (8192 tokens).'.replace('’', "'"),
    'the request exceeds the available context size (4096 tokens)',
    'Range of input length should be [1, 30720]',
    'This model’s maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).',
    'input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ])('is the agent’s: %s', message => {
    expect(isContextOverflow(refusal(400, said(message)))).toBe(true)
  })

  it.each([
    'This model’s maximum context length is 4096 tokens. However, you requested 4200 tokens (104 in the messages, 4096 in the completion).',
    "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens and your request has 104 input tokens",
    'input length and `max_tokens` exceed context limit: 900 + 200000 > 200000',
  ])('is a matter of configuration if only the output asked for is too long: %s', message => {
    const error = refusal(400, said(message))
    expect(isContextOverflow(error)).toBe(false)
    const failure = failureOf(error, context)
    expect(failure).toMatchObject({ kind: 'rejected', retryable: false })
    expect(failure.hint).toMatch(/maxOutputTokens/)
  })

  it('is not inferred from the prompt, a reply or a server error', () => {
    const words = 'maximum context length'
    expect(isContextOverflow(refusal(400, '', words))).toBe(false)
    expect(isContextOverflow(refusal(200, words))).toBe(false)
    expect(isContextOverflow(refusal(500, said(words)))).toBe(false)
    expect(isContextOverflow(new Error(words))).toBe(false)
  })
})

describe('quota', () => {
  it.each([
    [402, 'Insufficient Balance'],
    [400, 'Your credit balance is too low to access the Anthropic API.'],
    [403, 'Insufficient credits'],
    [429, 'You exceeded your current quota, please check your plan and billing details.'],
  ])('%i %s', (status, message) => {
    expect(failureOf(refusal(status, said(message)), context)).toMatchObject({
      kind: 'quota',
      retryable: false,
    })
  })

  it('is not inferred from a rate limit that only mentions the word', () => {
    const azure = 'Requests exceeded the rate limit. Go to https://aka.ms/oai/quotaincrease to increase it.'
    expect(kindOf(refusal(429, said(azure)))).toBe('rate-limit')
    const temporary = refusal(429, said('You exceeded your current quota'), 'x', { 'retry-after': '20' })
    expect(failureOf(temporary, context)).toMatchObject({ kind: 'rate-limit', retryAfterMs: 20_000 })
  })
})

describe('an error that came with status 200', () => {
  it.each([
    [
      { message: 'Rate limit exceeded', code: 429 },
      { kind: 'rate-limit', retryable: true },
    ],
    [
      { message: 'No provider is there', code: '502' },
      { kind: 'server', retryable: true },
    ],
    [
      { message: 'Insufficient credits', code: 402 },
      { kind: 'quota', retryable: false },
    ],
    [
      { message: 'no', code: 'insufficient_quota' },
      { kind: 'quota', retryable: false },
    ],
    [{ message: 'The server is overloaded' }, { kind: 'server', retryable: true }],
    [
      { message: 'bad key', code: 401 },
      { kind: 'login', retryable: false },
    ],
    [{ message: 'upstream said no' }, { kind: 'malformed', retryable: true }],
    ['upstream said no', { kind: 'malformed', retryable: true }],
  ])('%o is told by its own words', (error, expected) => {
    const failure = failureOf(refusal(200, { error }), context)
    expect(failure).toMatchObject({ ...expected, mayHaveCost: true })
    expect(failure.message).toContain(typeof error === 'string' ? error : error.message)
  })

  it('may name its code by anything', () => {
    const body = '{"error":{"message":"no","code":{"toString":1},"status":[{}]}}'
    expect(failureOf(refusal(200, body), context)).toBeInstanceOf(WorldFailure)
  })

  it('is not inferred from neighbouring fields', () => {
    const body = { error: { message: 'no' }, choices: [{ message: { content: 'insufficient_quota' } }] }
    expect(kindOf(refusal(200, body))).toBe('malformed')
    expect(kindOf(refusal(200, { error: null, detail: 'insufficient_quota' }))).toBe('malformed')
  })
})

describe('the Gemini API', () => {
  const exhausted = (quotaId: string) =>
    refusal(429, {
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ violations: [{ quotaId }] }, { retryDelay: '23.4s' }],
      },
    })

  it('reports a limit per minute, which is retryable', () => {
    const failure = failureOf(exhausted('GenerateRequestsPerMinutePerProjectPerModel'), context)
    expect(failure).toMatchObject({ kind: 'rate-limit', retryable: true, retryAfterMs: 23_400 })
  })

  it('reports a limit per day, which is not retryable', () => {
    const failure = failureOf(exhausted('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), context)
    expect(failure).toMatchObject({ kind: 'quota', retryable: false })
  })

  it('reports a wrong key with 400', () => {
    const message = 'API key not valid. Please pass a valid API key.'
    expect(failureOf(refusal(400, said(message)), context)).toMatchObject({ kind: 'login', retryable: false })
  })
})

it('explains what to change if Qwen does not support the thinking mode', () => {
  const message = 'parameter.enable_thinking must be set to false for non-streaming calls'
  const { kind, hint } = failureOf(refusal(400, said(message)), context)
  expect([kind, hint]).toEqual(['rejected', expect.stringContaining('stream: true')])
})

describe('Amazon Bedrock', () => {
  it('reports a model missing in the region with 400', () => {
    const { kind, hint } = failureOf(
      refusal(400, { message: 'The provided model identifier is invalid.' }),
      context,
    )
    expect(kind).toBe('rejected')
    expect(hint).toContain('region')
  })

  it('reports a model failure with 424', () => {
    expect(failureOf(refusal(424, { message: 'no' }), context)).toMatchObject({
      kind: 'server',
      retryable: true,
    })
  })
})

describe('errors that came with a good status or inside a stream', () => {
  it.each([
    [{ message: 'Overloaded', type: 'overloaded_error' }, 'server', true],
    [{ message: 'Rate limit reached', type: 'rate_limit_error' }, 'rate-limit', true],
    [{ message: 'no money', code: 'insufficient_quota' }, 'quota', false],
    [{ message: 'what?' }, 'malformed', true],
  ])('%o', (event, kind, retryable) => {
    expect(failureOf(event, context)).toMatchObject({ kind, retryable, mayHaveCost: true })
  })

  it('are not treated as a rejected call', () => {
    const body = { error: { code: 'server_error', message: 'The server had an error.' } }
    expect(failureOf(refusal(400, body), context)).toMatchObject({ kind: 'server', retryable: true })
  })
})

describe('messages', () => {
  it('hold the text of a page, not its markup, and not all of it', () => {
    const page = `<html><style>b{}</style><body><b>Bad</b> gateway ${'x'.repeat(2000)}</body></html>`
    const { message } = failureOf(refusal(502, page), context)
    expect(message).toContain('Bad gateway')
    expect(message).not.toContain('<')
    expect(message.length).toBeLessThan(500)
  })

  it.each(['<script', '<style>', '<'])('are made soon of a megabyte of %s', tag => {
    const page = tag.repeat(2 ** 20 / tag.length)
    const began = performance.now()
    expect(failureOf(refusal(502, page), context).message.length).toBeLessThan(500)
    expect(performance.now() - began).toBeLessThan(timeLimit(5_000))
  })

  it('name the variable that holds the key', () => {
    expect(failureOf(refusal(401, said('no')), context).hint).toContain('KEY')
  })

  it('say where an endpoint redirects', () => {
    const moved = refusal(308, '', 'x', { location: 'https://elsewhere/v1' })
    expect(failureOf(moved, context)).toMatchObject({ kind: 'rejected', retryable: false })
    expect(failureOf(moved, context).message).toContain('https://elsewhere/v1')
  })

  it('drop their cause, which may hold secrets', () => {
    const original = new WorldFailure('login', 'no', { retryable: false, cause: new Error('secret') })
    expect(failureOf(original, context).cause).toBeUndefined()
  })
})

it('distinguishes a filtered prompt from an invalid one', () => {
  const filtered = said(
    'The response was filtered due to the prompt triggering our content management policy.',
    'content_filter',
  )
  expect(isFiltered(refusal(400, filtered))).toBe(true)
  expect(isFiltered(refusal(400, said('unknown field')))).toBe(false)
  expect(isFiltered(refusal(400, said('no'), 'content_filter'))).toBe(false)
})

const now = Date.parse('2026-01-01T00:00:00Z')

it.each([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '40', 'retry-after': '9' }, 40],
  [{}, undefined],
])('reads %o as %s ms', (headers, expected) => {
  expect(retryAfter(headers as Record<string, string>, now)).toBe(expected)
})
