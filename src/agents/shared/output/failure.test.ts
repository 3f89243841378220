import { describe, expect, it } from 'vitest'
import { agentStop, failureFrom } from './failure.js'

const limit = { kind: 'quota', retryable: false }

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
    expect(failureFrom({ message: 'It went wrong.', status })).toEqual({
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
    expect(failureFrom({ message: words }).kind).toBe(kind)
  })

  describe('treats an account limit as a failure that no retry fixes, as', () => {
    it.each([
      "You've hit your limit · resets 11pm (America/Anchorage)",
      "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
      "You've hit your weekly limit · resets Jul 31, 2am (UTC)",
      "You've hit your Opus limit · resets 3pm",
      'Weekly limit reached · resets 10am (Asia/Seoul) · /upgrade to Max or turn on /extra-usage',
      '5-hour limit reached ∙ resets 3pm',
      'Claude AI usage limit reached|1760000000',
      "You've reached your Fable 5 limit.",
      "You've hit your monthly spend limit. /model to switch models.",
      "You're out of extra usage · resets 5pm",
      "You're out of usage credits.",
      'Your org is out of usage · contact your admin',
      "Your seat type doesn't include usage credits",
      'Your usage allocation has been disabled by your admin',
      "Your group's usage limit is set to $0",
      'Credit balance is too low',
      "Your organization's usage credit cap is reached for this period.",
    ])('Claude Code says it: %s', words => {
      for (const status of [undefined, 400, 429])
        expect(failureFrom({ message: words, status })).toMatchObject(limit)
    })

    it.each([
      'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at 3:05 PM.',
      "You've hit your usage limit for GPT-5.5. Switch to another model now, or try again at Jul 5th, 2026 8:19 PM.",
      'You hit your spend cap set in your workspace. Increase your spend cap to continue.',
      'Your workspace is out of credits. Add credits to continue.',
      'Quota exceeded. Check your plan and billing details.',
    ])('Codex says it: %s', words => {
      expect(failureFrom({ message: words })).toMatchObject(limit)
    })

    it.each([
      ['Copilot', '402 You have no quota (Request ID: 0DAE:25E807)', 402],
      ['Copilot', '{"message":"You have no quota","code":"quota_exceeded"}', 429],
      [
        'Copilot',
        "You've hit your global rate limit. Please wait 3 hours 43 minutes for your limit to reset.",
        429,
      ],
      ['Copilot', 'You have reached your monthly limit for premium requests', 429],
      ['OpenCode', 'Free usage exceeded, subscribe to Go', 429],
      ['OpenCode', '5 hour usage limit reached. It will reset in 2 hours 5 minutes.', 429],
      [
        'OpenCode',
        '{"type":"error","error":{"type":"FreeUsageLimitError","message":"Rate limit exceeded."}}',
        429,
      ],
      ['OpenCode', 'Insufficient balance. Manage your billing here', 401],
      ['Gemini CLI', '[API Error: You have exhausted your daily quota on this model.]', undefined],
      [
        'Gemini CLI',
        'You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.',
        429,
      ],
      ['Gemini CLI', 'You exceeded your current quota, please check your plan and billing details.', 429],
      ['Qwen Code', 'Qwen OAuth free tier quota exceeded.', undefined],
      ['Qwen Code', '429 Free allocated quota exceeded.', undefined],
      ['pi', 'You have hit your ChatGPT usage limit (plus plan). Try again in ~91 min.', undefined],
      ['pi', 'Codex error: {"type":"usage_limit_reached","message":"The usage limit has been reached"}', 429],
    ])('%s says it: %s', (_, words, status) => {
      expect(failureFrom({ message: words, status })).toMatchObject(limit)
    })

    it.each([
      'Rate limit reached for gpt-5.2 on tokens per min. Please try again in 2s.',
      "This request would exceed your account's rate limit. Please try again later.",
      "You've hit your rate limit. Please try again in 20 seconds.",
      'You have exhausted your capacity on this model. Your quota will reset after 5s.',
    ])('and not what comes back at once: %s', words => {
      expect(failureFrom({ message: words, status: 429 })).toMatchObject({
        kind: 'rate-limit',
        retryable: true,
      })
      expect(failureFrom({ message: words })).toMatchObject({ kind: 'rate-limit', retryable: true })
    })
  })

  it('does not treat the offer to raise a quota as an account limit', () => {
    const words = 'Too many requests. To increase your limits, request a quota increase.'
    expect(failureFrom({ message: words, status: 429 }).kind).toBe('rate-limit')
  })

  it('keeps the words to one line, without control characters, and short', () => {
    expect(failureFrom({ message: 'one\n\ttwo\u001b[31m red' }).message).toBe('one two red')
    expect(failureFrom({ message: 'x'.repeat(5000) }).message).toHaveLength(601)
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
    expect(agentStop({ message: words, status })).toBe(stop)
  })

  it('treats server errors as external, whatever they say', () => {
    expect(agentStop({ message: 'prompt is too long', status: 500 })).toBeUndefined()
    expect(agentStop({ message: 'API Error: 429 max_tokens per minute' })).toBeUndefined()
    expect(agentStop({ message: 'The key was refused.', status: 400 })).toBeUndefined()
  })
})
