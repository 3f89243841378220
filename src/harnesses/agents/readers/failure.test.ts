import { describe, expect, it } from 'vitest'
import { failureFrom, ownStop } from './failure.js'

describe('failureFrom', () => {
  it.each([
    [401, 'login', false],
    [402, 'quota', false],
    [403, 'login', false],
    [404, 'not-found', false],
    [408, 'timeout', true],
    [422, 'rejected', false],
    [429, 'rate-limit', true],
    [500, 'server', true],
    [529, 'server', true],
  ] as const)('knows the status %i', (status, kind, retryable) => {
    expect(failureFrom({ words: 'It went wrong.', status })).toEqual({
      kind,
      retryable,
      message: 'It went wrong.',
    })
  })

  it.each([
    ['unexpected status 403 Forbidden: no', 'login'],
    ['exceeded retry limit, last status: 429', 'rate-limit'],
    ['[API Error: 500 it broke]', 'server'],
    ['{"error":{"code":404}}', 'not-found'],
    ['503 upstream', 'server'],
    ['connect ECONNREFUSED 127.0.0.1:500', 'transport'],
    ['The request timed out while connecting', 'timeout'],
    ['Please log in first', 'login'],
    ['Overloaded', 'server'],
    ['I have 429 ideas', 'harness'],
    ['Segmentation fault', 'harness'],
  ])('reads %j', (words, kind) => {
    expect(failureFrom({ words }).kind).toBe(kind)
  })

  it.each([
    ["You've hit your usage limit. Try again at 3:05 PM.", undefined],
    ["You've hit your limit · resets 3pm", 429],
    ['Your credit balance is too low', 400],
    ['You have exhausted your daily quota on this model.', 429],
  ])('takes the limit of an account in %j for one that no retry mends', (words, status) => {
    expect(failureFrom({ words, status })).toMatchObject({ kind: 'quota', retryable: false })
  })

  it('takes the offer to raise a quota for no limit of the account', () => {
    const words = 'Too many requests. To increase your limits, request a quota increase.'
    expect(failureFrom({ words, status: 429 }).kind).toBe('rate-limit')
  })

  it('keeps the words to one line, without control characters, and short', () => {
    expect(failureFrom({ words: 'one\n\ttwo\u001b[31m red' }).message).toBe('one two red')
    expect(failureFrom({ words: 'x'.repeat(5000) }).message).toHaveLength(601)
  })
})

describe('ownStop', () => {
  it.each([
    ['prompt is too long: 210000 tokens > 200000 maximum', 400, 'context-overflow'],
    ["Codex ran out of room in the model's context window.", undefined, 'context-overflow'],
    ['Incomplete response returned, reason: max_output_tokens', undefined, 'output-limit'],
    ['Incomplete response returned, reason: content_filter', undefined, 'refusal'],
    ['This appears to violate our Usage Policy', undefined, 'refusal'],
  ] as const)('reads %j', (words, status, stop) => {
    expect(ownStop({ words, status })).toBe(stop)
  })

  it('leaves to the world what a server failed on, whatever it says', () => {
    expect(ownStop({ words: 'prompt is too long', status: 500 })).toBeUndefined()
    expect(ownStop({ words: 'API Error: 429 max_tokens per minute' })).toBeUndefined()
    expect(ownStop({ words: 'The key was refused.', status: 400 })).toBeUndefined()
  })
})
