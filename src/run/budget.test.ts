import { afterEach, describe, expect, it, vi } from 'vitest'
import { CapReachedError, InputError } from '../core/errors/errors.js'
import type { ModelRequest } from '../core/ports/model.js'
import { Budget, checkLimits, costOf, type Limits, reservationFor } from './budget.js'
import { nothingSpent } from './spending.js'

const never = new AbortController().signal
afterEach(() => void vi.useRealTimers())

function reserve(budget: Budget, tokens: number, cost?: number) {
  return budget.reserve({ input: tokens - 1, output: 1, ...(cost === undefined ? {} : { cost }) }, never)
}

async function capOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CapReachedError)
  return (error as CapReachedError).cap
}

describe('a cap', () => {
  it.each<[string, Limits]>([
    ['maxCalls', { maxCalls: 2 }],
    ['maxTokens', { maxTokens: 199 }],
    ['maxCost', { maxCost: 1.99 }],
  ])('on %s is reached before the call that could pass it', async (cap, limits) => {
    const budget = new Budget(limits)
    ;(await reserve(budget, 100, 1)).settle({ input: 99, output: 1 }, 1)
    if (cap === 'maxCalls') (await reserve(budget, 100, 1)).settle({ input: 99, output: 1 }, 1)
    expect(await capOf(reserve(budget, 100, 1))).toBe(cap)
  })

  it('may be used up exactly', async () => {
    const budget = new Budget({ maxCalls: 2, maxTokens: 200, maxCost: 2 })
    for (let call = 0; call < 2; call++) (await reserve(budget, 100, 1)).settle({ input: 99, output: 1 }, 1)
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 200, cost: 2 })
  })

  it('counts what earlier sessions spent', async () => {
    const budget = new Budget({ maxTokens: 1000 }, { ...nothingSpent, tokens: 950 })
    expect(await capOf(reserve(budget, 100))).toBe('maxTokens')
    await expect(reserve(budget, 50)).resolves.toBeDefined()
  })

  it('reports how far it got and what to do', async () => {
    const budget = new Budget({ maxTokens: 12_000 }, { ...nothingSpent, tokens: 11_500 })
    const error = await reserve(budget, 4_000).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      message:
        'The cap of 12,000 tokens is reached: 11,500 are used, and the next call may take up to 4,000.',
      hint: 'Raise --max-tokens and rerun the same command to resume.',
    })
  })

  it('on cost refuses a call without a price', async () => {
    await expect(reserve(new Budget({ maxCost: 5 }), 10)).rejects.toThrow(InputError)
  })
})

describe('a call that may be cancelled', () => {
  const reservation = { input: 1, output: 1 }

  it('makes others wait instead of being refused, until it is made', async () => {
    const budget = new Budget({ maxCalls: 1 })
    const lease = await budget.reserve(reservation, never, { isSure: false })
    const next = capOf(budget.reserve(reservation, never))
    lease.confirm()
    expect(await next).toBe('maxCalls')
    lease.settle({ input: 1, output: 1 }, undefined)
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 2 })
  })

  it('gives its place to the next if it is not', async () => {
    const budget = new Budget({ maxCalls: 1 })
    const lease = await budget.reserve(reservation, never, { isSure: false })
    const next = budget.reserve(reservation, never)
    lease.cancel()
    expect((await next).reserved).toBe(reservation)
    expect(budget.spent.calls).toBe(0)
    expect(await capOf(budget.reserve(reservation, never))).toBe('maxCalls')
  })
})

describe('a call that fits only if others use less', () => {
  it('waits, and goes when they did', async () => {
    const budget = new Budget({ maxTokens: 150 })
    const first = await reserve(budget, 100)
    const second = reserve(budget, 100)
    await expect(Promise.race([second, Promise.resolve('waits')])).resolves.toBe('waits')
    first.settle({ input: 10, output: 5 }, undefined)
    await expect(second).resolves.toBeDefined()
  })

  it('is refused when they did not', async () => {
    const budget = new Budget({ maxTokens: 150 })
    const first = await reserve(budget, 100)
    const second = reserve(budget, 100)
    first.chargeWhole()
    expect(await capOf(second)).toBe('maxTokens')
  })

  it('keeps its place before a smaller one that came later, until it gives up', async () => {
    const budget = new Budget({ maxTokens: 150 })
    await reserve(budget, 100)
    const giveUp = new AbortController()
    const large = budget.reserve({ input: 100, output: 0 }, giveUp.signal)
    const small = reserve(budget, 20)
    await expect(Promise.race([small, Promise.resolve('waits')])).resolves.toBe('waits')
    giveUp.abort('gone')
    await expect(large).rejects.toBe('gone')
    await expect(small).resolves.toBeDefined()
  })

  it('does not wait for a call count, which no call gives back', async () => {
    const budget = new Budget({ maxCalls: 1 })
    await reserve(budget, 1)
    expect(await capOf(reserve(budget, 1))).toBe('maxCalls')
  })
})

describe('settling', () => {
  it('charges what is not known as reserved, what failed for nothing as a call, and only once', async () => {
    const budget = new Budget({})
    const reservation = { input: 100, output: 50, cost: 3 }
    const lease = () => budget.reserve(reservation, never)
    ;(await lease()).settle({ output: 7 }, undefined)
    expect(budget.spent).toMatchObject({ calls: 1, tokens: 107, cost: 3 })
    ;(await lease()).settle({ input: 1 }, undefined)
    expect(budget.spent).toMatchObject({ calls: 2, tokens: 158, cost: 6 })
    ;(await lease()).chargeCallOnly()
    expect(budget.spent).toMatchObject({ calls: 3, tokens: 158, cost: 6 })
    ;(await lease()).cancel()
    expect(budget.spent).toMatchObject({ calls: 3, tokens: 158, cost: 6 })
    const last = await lease()
    last.chargeWhole()
    last.chargeWhole()
    expect(budget.spent).toMatchObject({ calls: 4, tokens: 308, cost: 9 })
  })
})

describe('the deadline', () => {
  it('comes after the active minutes that are left', async () => {
    vi.useFakeTimers()
    const budget = new Budget({ maxTime: 2 }, { ...nothingSpent, activeMs: 90_000 })
    await vi.advanceTimersByTimeAsync(29_000)
    expect(budget.deadline.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1_001)
    expect(budget.deadline.reason).toMatchObject({
      cap: 'maxTime',
      message: 'The cap of 2 minutes is reached.',
    })
    expect(await capOf(reserve(budget, 1))).toBe('maxTime')
  })

  it('is there at once when nothing is left, and ends waiting', async () => {
    expect(new Budget({ maxTime: 1 }, { ...nothingSpent, activeMs: 60_000 }).deadline.aborted).toBe(true)
    vi.useFakeTimers()
    const budget = new Budget({ maxTime: 1, maxTokens: 150 })
    await reserve(budget, 100)
    const waiting = capOf(reserve(budget, 100))
    await vi.advanceTimersByTimeAsync(60_001)
    expect(await waiting).toBe('maxTime')
  })

  it('may be further away than a timer reaches, and is called off by close', async () => {
    vi.useFakeTimers()
    const budget = new Budget({ maxTime: 60 * 24 * 40 })
    await vi.advanceTimersByTimeAsync(1000 * 60 * 60 * 24 * 39)
    expect(budget.deadline.aborted).toBe(false)
    budget.close()
    await vi.advanceTimersByTimeAsync(1000 * 60 * 60 * 24 * 2)
    expect(budget.deadline.aborted).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('checkLimits', () => {
  const models = {
    target: { id: 'openai/a', price: { input: 1, output: 2 }, maxOutputTokens: 10 },
    judge: { id: 'vllm/b', price: undefined, maxOutputTokens: 10 },
  }

  it('refuses a cost cap without every price, and names the models that lack one', () => {
    expect(() => checkLimits({ maxCost: 1 }, models)).toThrow(
      'the price of the judge model vllm/b is not known',
    )
  })

  it('refuses caps that an agent could pass, and names others', () => {
    const traits = { title: 'Codex', version: '1', ownTokens: 9, isBounded: false, warnings: [] }
    const target = { ...models.target, id: 'codex/a', agent: traits }
    for (const limits of [{ maxTokens: 1 }, { maxCost: 1 }])
      expect(() => checkLimits(limits, { target })).toThrow(
        'A cap on tokens or cost cannot be kept with the target codex/a: Codex says what it has used only when it is done.',
      )
    checkLimits({ maxCalls: 1, maxTime: 1 }, { target })
    const bounded = { target: { ...target, agent: { ...traits, ownTokens: 5e6, isBounded: true } } }
    checkLimits({ maxTokens: 6e6, maxCost: 6 }, bounded)
    expect(() => checkLimits({ maxTokens: 4e6 }, bounded)).toThrow(
      'One call of the target codex/a may take up to 5,000,074 tokens, which is more than the cap of 4,000,000.',
    )
    expect(() => checkLimits({ maxCost: 4 }, bounded)).toThrow(
      'may take up to $5.0001, which is more than the cap of $4.00',
    )
  })

  it('accepts other caps, and known prices', () => {
    checkLimits({ maxTokens: 1, maxCalls: 1, maxTime: 1 }, models)
    checkLimits({ maxCost: 1 }, { target: models.target })
  })
})

describe('reservationFor', () => {
  it('counts what an agent may take beside the request', () => {
    const request = { messages: [{ role: 'user', text: 'hello' }] } as const
    const plain = { maxOutputTokens: 10, price: undefined }
    const agent = { title: 'Codex', version: '1', ownTokens: 900, isBounded: true, warnings: [] }
    const more = reservationFor(request, { ...plain, agent }).input - reservationFor(request, plain).input
    expect(more).toBe(900)
  })

  const model = { maxOutputTokens: 1000, price: { input: 2, output: 10, cachedInput: 0.2 } }

  it('is never less than a token for each byte, and the whole output', () => {
    const request: ModelRequest = {
      messages: [
        { role: 'user', text: 'ü🙂' },
        { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'find', arguments: 'x'.repeat(500) }] },
      ],
    }
    const { input, output, cost } = reservationFor(request, model)
    expect(input).toBeGreaterThan(6 + 500 + 2 * 32)
    expect(input).toBeLessThan(6 + 500 + 2 * 32 + 150)
    expect(output).toBe(1000)
    expect(cost).toBeCloseTo((input * 2 + 1000 * 10) / 1e6, 12)
    expect(reservationFor(request, { ...model, price: undefined })).toEqual({ input, output })
  })

  it('reserves for a file what its provider documents, whatever its size', () => {
    const text = 'a.png, b.pdf'
    const parts = [
      { type: 'text', text },
      { type: 'image', name: 'a.png', mediaType: 'image/png', data: 'AAAA' },
      { type: 'document', name: 'b.pdf', mediaType: 'application/pdf', data: 'AAAA', pages: 3 },
    ] as const
    const files = {
      image: { mediaTypes: ['image/png'], mostTokens: 1600 },
      document: { mediaTypes: ['application/pdf'], mostTokens: 5000 },
    } as const
    const without = reservationFor({ messages: [{ role: 'user', text }] }, model).input
    const request: ModelRequest = { messages: [{ role: 'user', text: 'shown', parts }] }
    expect(reservationFor(request, { ...model, files }).input).toBe(without + 1600 + 3 * 5000)
  })

  it('counts tools and schemas', () => {
    const plain: ModelRequest = { messages: [{ role: 'user', text: 'x' }] }
    const schema = { name: 'answer', schema: { description: 'y'.repeat(300) } }
    const tools = [{ name: 'find', description: 'z'.repeat(300), parameters: {} }]
    const { input } = reservationFor(plain, model)
    for (let twice = 0; twice < 2; twice++) {
      expect(reservationFor({ ...plain, schema }, model).input).toBeGreaterThan(input + 300)
      expect(reservationFor({ ...plain, tools }, model).input).toBeGreaterThan(input + 300)
    }
  })
})

describe('costOf', () => {
  const price = { input: 10, output: 20, cachedInput: 1 }

  it('prices cached input separately, and as input if it has no known price', () => {
    expect(costOf({ input: 1000, output: 100, cachedInput: 400 }, price)).toBeCloseTo(0.0084, 12)
    expect(costOf({ input: 1000, output: 100, cachedInput: 400 }, { input: 10, output: 20 })).toBeCloseTo(
      0.012,
      12,
    )
    expect(costOf({ input: 0, output: 0 }, price)).toBe(0)
  })

  it('does not guess', () => {
    expect(costOf({ input: 1000 }, price)).toBeUndefined()
    expect(costOf({ output: 1000 }, price)).toBeUndefined()
    expect(costOf({ input: 1, output: 1 }, undefined)).toBeUndefined()
  })
})
