import { expect, it } from 'vitest'
import { provider } from './qwen.js'
import type { Effort } from './wire/definition.js'

const tune = (effort: Effort | undefined) =>
  provider.tune({
    model: 'qwen-plus',
    effort,
    maxOutputTokens: 8000,
    endpointGiven: false,
    strict: undefined,
  })

it("leaves thinking at the server's default unless an effort is set", () => {
  expect(tune(undefined)).toEqual({})
})

it('turns thinking off with the effort none', () => {
  expect(tune('none')).toEqual({ providerOptions: { qwen: { enable_thinking: false } } })
})

it.each([
  ['minimal', 800],
  ['low', 2000],
  ['high', 6000],
] as const)('turns it on with the effort %s, within the output limit', (effort, budget) => {
  expect(tune(effort)).toEqual({
    providerOptions: { qwen: { enable_thinking: true, thinking_budget: budget } },
    maxOutputTokens: 8000 - budget,
  })
})
