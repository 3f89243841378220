import { expect, it } from 'vitest'
import { PausedError } from '../core/errors/errors.js'
import type { Model, ModelReply, ModelRequest } from '../core/ports/model.js'
import { Budget, type Limits } from './budget.js'
import { CallPool } from './pool.js'

const reply: ModelReply = { text: 'yes', stop: 'stop', usage: {} }

/** A model that is answered externally: requests are collected, and `close` rejects all of them. */
function byHand(answers: ReadonlySet<string>, limits: Limits = {}, concurrency = 100) {
  const asked: string[] = []
  const started: string[] = []
  const waiting: ((reason: unknown) => void)[] = []
  const textOf = ({ messages }: ModelRequest) => messages[0]?.text ?? ''
  const model: Model = {
    id: 'handoff/agent',
    parameters: {},
    maxOutputTokens: 10,
    price: { input: 0, output: 0 },
    handoff: {
      place: '/made/up',
      answered: (request, signal) => {
        if (answers.has(textOf(request))) return Promise.resolve()
        asked.push(textOf(request))
        return new Promise((_resolve, reject) => {
          waiting.push(reject)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      },
      kept: async () => undefined,
    },
    generate: async () => ({ ...reply, cost: 0 }),
  }
  const budget = new Budget(limits)
  const role = { model, concurrency, retries: 3, timeoutMs: 20 }
  const pool = new CallPool({ roles: { target: role }, budget })
  const signal = new AbortController().signal
  const call = (text: string) =>
    pool
      .call(
        'target',
        { messages: [{ role: 'user', text }] },
        {
          hooks: {
            started: async () => void started.push(text),
            failed: async () => void started.push('failed'),
          },
          signal,
        },
      )
      .then(
        result => result.reply.text,
        (error: unknown) => error,
      )
  const close = (reason: unknown) => {
    for (const reject of waiting) reject(reason)
  }
  return { call, close, budget, asked, started }
}

const rest = () => new Promise(resolve => setTimeout(resolve, 40))
const questions = Array.from({ length: 30 }, (_, number) => `Question ${number}`)

it('asks for all that is wanted, and makes no call of what is not answered', async () => {
  const { call, close, budget, asked, started } = byHand(new Set(questions.slice(0, 2)))
  const calls = questions.map(call)
  // Longer than a model's timeout.
  await rest()
  expect(asked).toHaveLength(28)
  const pause = new PausedError('28 prompts wait.')
  close(pause)
  const results = await Promise.all(calls)
  expect(results).toEqual(['yes', 'yes', ...Array.from({ length: 28 }, () => pause)])
  expect(started).toEqual(questions.slice(0, 2))
  expect(budget.spent).toMatchObject({ calls: 2, cost: 0 })
  expect(await call('later')).toBe(pause)
})

it.each<[string, Limits]>([
  ['maxCalls', { maxCalls: 5 }],
  ['maxTokens', { maxTokens: 5 * 120 }],
])('asks for no more than %s leaves', async (_cap, limits) => {
  const { call, close, budget, asked } = byHand(new Set(), limits)
  const calls = questions.map(call)
  await rest()
  expect(asked).toHaveLength(5)
  const pause = new PausedError('5 prompts wait.')
  close(pause)
  expect(new Set(await Promise.all(calls))).toEqual(new Set([pause]))
  await rest()
  expect(asked).toHaveLength(5)
  expect(budget.spent).toMatchObject({ calls: 0, tokens: 0 })
})

it('counts what was answered, up to the cap', async () => {
  const { call, budget } = byHand(new Set(questions), { maxCalls: 5 })
  const results = await Promise.all(questions.map(call))
  expect(results.filter(result => result === 'yes')).toHaveLength(5)
  expect(results.at(-1)).toMatchObject({ cap: 'maxCalls' })
  expect(budget.spent.calls).toBe(5)
})
