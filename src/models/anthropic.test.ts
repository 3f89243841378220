import { describe, expect, it } from 'vitest'
import { provider } from './anthropic.js'

const tune = (model: string, effort: 'none' | 'minimal' | 'low' | 'high', maxOutputTokens = 8000) =>
  provider.tune({ model, effort, maxOutputTokens, endpointGiven: false, strict: undefined })

describe('effort', () => {
  it('is an effort on models that think adaptively', () => {
    for (const model of ['claude-sonnet-4-6', 'claude-opus-5', 'claude-opus-5-5', 'claude-opus-4-7']) {
      expect(tune(model, 'minimal')).toEqual({
        providerOptions: { anthropic: { thinking: { type: 'adaptive' }, effort: 'low' } },
      })
    }
  })

  it('is a budget inside the output limit on older ones', () => {
    for (const model of [
      'claude-sonnet-4-5',
      'claude-sonnet-4-5-20250929',
      'claude-opus-4-1',
      'claude-haiku-4-5',
      'claude-sonnet-4-20250514',
    ]) {
      expect(tune(model, 'high')).toEqual({
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 6000 } } },
        maxOutputTokens: 2000,
      })
    }
  })

  it('can be disabled', () => {
    expect(tune('claude-sonnet-4-5', 'none')).toEqual({
      providerOptions: { anthropic: { thinking: { type: 'disabled' } } },
    })
  })
})
