import { afterEach, expect, it } from 'vitest'
import { resolveModel } from '../core/config/config.js'
import { closeModels, createModel } from './index.js'
import { provider } from './simulated.js'

afterEach(closeModels)

it('starts one server for all roles, needs no key, costs nothing and accepts seeds', async () => {
  // No proxy listens here: calls to the simulated server must bypass it.
  const context = { env: { HTTP_PROXY: 'http://127.0.0.1:9' } }
  const target = await createModel(resolveModel('simulated/target', 'target'), context)
  const optimizer = await createModel(resolveModel('simulated/optimizer', 'optimizer'), context)
  expect(await provider.start?.()).toBe(await provider.start?.())
  for (const model of [target, optimizer]) {
    expect(model.price).toEqual({ input: 0, output: 0, cachedInput: 0 })
    expect(model.parameters).toMatchObject({ seed: true })
    expect(model.parameters).not.toHaveProperty('endpoint')
  }
  const request = { messages: [{ role: 'user' as const, text: 'What is 2 + 2?' }], seed: 5 }
  const signal = new AbortController().signal
  const [first, second] = [await target.generate(request, signal), await target.generate(request, signal)]
  expect(first.text).not.toBe('')
  expect(second).toEqual(first)
  expect(first.usage.input).toBeGreaterThan(0)
})

it('can be restarted after close', async () => {
  const before = await provider.start?.()
  await closeModels()
  expect(await provider.start?.()).not.toBe(before)
})
