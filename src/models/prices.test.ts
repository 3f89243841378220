import { expect, it } from 'vitest'
import { listProviders, priceOf, priceTable } from './index.js'

it('gives the price of a model and of its snapshots', () => {
  expect(priceOf('openai/gpt-5-mini')).toMatchObject({ input: 0.25, output: 2, cachedInput: 0.025 })
  expect(priceOf('openai/gpt-5-mini-2025-08-07')).toEqual(priceOf('openai/gpt-5-mini'))
  expect(priceOf('anthropic/claude-haiku-4-5-20251001')).toEqual(priceOf('anthropic/claude-haiku-4-5'))
})

it('has no price for a model that is not in the table', () => {
  expect(priceOf('openai/gpt-5-mini-turbo')).toBeUndefined()
  expect(priceOf('ollama/llama3')).toBeUndefined()
})

it('has only plausible entries', async () => {
  const providers = (await listProviders()).map(provider => provider.id)
  for (const [model, price] of Object.entries(priceTable())) {
    expect(providers, model).toContain(model.split('/')[0])
    expect(price.input, model).toBeLessThan(price.output)
    expect(price.cachedInput, model).toBeLessThan(price.input)
    expect(price.cacheWrite ?? price.input, model).toBeGreaterThanOrEqual(price.input)
  }
})
