import { describe, expect, it } from 'vitest'
import { provider } from './google.js'
import type { Effort } from './wire/definition.js'

const thinking = (model: string, effort: Effort | undefined, maxOutputTokens = 8000) =>
  provider.tune({ model, effort, maxOutputTokens, endpointGiven: false, strict: undefined }).providerOptions
    ?.google?.thinkingConfig

describe('effort', () => {
  it('is left to the model unless it is set', () => {
    expect(thinking('gemini-2.5-flash', undefined)).toBeUndefined()
  })

  it.each([
    ['none', 0],
    ['minimal', 512],
    ['low', 2000],
    ['high', 6000],
  ] as const)('%s is a budget of %i of 8000 tokens for Gemini 2.5', (effort, thinkingBudget) => {
    expect(thinking('gemini-2.5-flash', effort)).toEqual({ thinkingBudget })
  })

  it('asks for no more than the largest budget that a model takes', () => {
    expect(thinking('gemini-2.5-flash', 'high', 60_000)).toEqual({ thinkingBudget: 24_576 })
    expect(thinking('gemini-2.5-pro', 'high', 60_000)).toEqual({ thinkingBudget: 32_768 })
  })

  it('is a level for later ones', () => {
    expect(thinking('gemini-3-flash', 'minimal')).toEqual({ thinkingLevel: 'minimal' })
    expect(thinking('gemini-flash-latest', 'high')).toEqual({ thinkingLevel: 'high' })
  })

  it.each([
    ['gemini-2.5-pro', 'none'],
    ['gemini-3-flash', 'none'],
    ['gemini-3-flash', 'xhigh'],
    ['gemini-3-pro-preview', 'minimal'],
    ['gemini-2.0-flash', 'low'],
    ['gemma-3-27b-it', 'low'],
  ] as const)('is not sent to %s as %s, so that it is refused', (model, effort) => {
    expect(thinking(model, effort)).toBeUndefined()
  })
})
