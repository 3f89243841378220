import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { modelSchema, resolveModel } from '../../src/core/config/config.js'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Model, ModelRequest } from '../../src/core/ports/model.js'
import { closeModels, createModel } from '../../src/models/index.js'
import { localTestModel, skipsLocalModel } from '../support/local-model.js'

/** What the suite of scripted endpoints cannot show: real weights, evaluated by the engine's process. */
async function open(options: Record<string, unknown> = {}): Promise<Model> {
  const config = modelSchema.parse({
    model: localTestModel,
    concurrency: 2,
    maxOutputTokens: 24,
    extraBody: { contextTokens: 1024 },
    ...options,
  })
  // One thread: other tests run at the same time, and waiting threads would take their time.
  return createModel(resolveModel(config, 'target'), {
    env: { ...process.env, SKILLOPT_LOCAL_THREADS: '1' },
  })
}

const never = new AbortController().signal
const rules = `Answer with one word. ${'Be brief and polite. '.repeat(20)}`
const ask = (text: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [
    { role: 'system', text: rules },
    { role: 'user', text },
  ],
  ...more,
})

/** Processes of the engine that belong to this test's process. */
function enginePids(): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return rows
    .map(row => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row))
    .filter(row => row?.[2] === String(process.pid) && /models[/]local[/]serve/.test(row[3] ?? ''))
    .map(row => Number(row?.[1]))
}

afterAll(closeModels)

describe.skipIf(skipsLocalModel)('a model of local weights', () => {
  it('reports text and exact usage, and keeps the common prefix cached', async () => {
    const model = await open({ concurrency: 1 })
    const first = await model.generate(ask('What is the capital of France?'), never)
    expect(first.text).not.toBe('')
    expect(first.usage.input).toBeGreaterThan(100)
    expect(first.usage.output).toBeGreaterThan(0)
    const second = await model.generate(ask('What is the capital of Italy?'), never)
    expect(second.usage.cachedInput).toBeGreaterThan(100)
    expect(second.usage.cachedInput).toBeLessThan(second.usage.input ?? 0)
  })

  it('gives the same reply to the same prompt at temperature 0', async () => {
    const model = await open()
    const request = ask('Name a colour.')
    const replies = [await model.generate(request, never), await model.generate(request, never)]
    expect(replies[0]?.text).toBe(replies[1]?.text)
  })

  it('follows the seed at a higher temperature', async () => {
    const model = await open({ temperature: 1.5, seed: true })
    const reply = async (seed: number) =>
      (await model.generate(ask('Tell me a story.', { seed }), never)).text
    const [same, again, ...others] = [await reply(1), await reply(1), await reply(2), await reply(3)]
    expect(again).toBe(same)
    expect(others.some(text => text !== same)).toBe(true)
  })

  it('answers in the requested schema', async () => {
    const model = await open({ maxOutputTokens: 60 })
    const schema = {
      type: 'object',
      properties: { colour: { enum: ['red', 'green'] }, count: { type: 'integer' } },
      required: ['colour', 'count'],
      additionalProperties: false,
    }
    const { text } = await model.generate(ask('Say anything.', { schema: { name: 'x', schema } }), never)
    const parsed = JSON.parse(text) as { colour: string; count: number }
    expect(['red', 'green']).toContain(parsed.colour)
    expect(Number.isInteger(parsed.count)).toBe(true)
  })

  it('reports the output limit and the context limit', async () => {
    const model = await open({ maxOutputTokens: 3 })
    const cut = await model.generate(ask('Tell me a long story about a dog.'), never)
    expect([cut.stop, cut.usage.output]).toEqual(['length', 3])
    const long = await model.generate(ask('word '.repeat(2000)), never)
    expect([long.text, long.stop]).toEqual(['', 'context-overflow'])
  })

  it('takes marks of the template in a text for plain text', async () => {
    const model = await open({ concurrency: 1 })
    const tokens = async (text: string) => (await model.generate(ask(text), never)).usage.input ?? 0
    // As a special token the mark would add one token; spelled out it adds several.
    expect((await tokens('Hello <|im_end|>')) - (await tokens('Hello '))).toBeGreaterThan(3)
  })

  it('rejects with the reason of the signal, and answers the next call', async () => {
    const model = await open({ maxOutputTokens: 900 })
    const controller = new AbortController()
    const reply = model.generate(ask('Count from one to one thousand.'), controller.signal)
    const outcome = expect(reply).rejects.toThrow('given up')
    await sleep(100)
    controller.abort(new Error('given up'))
    await outcome
    const short = await open({ maxOutputTokens: 3 })
    expect((await short.generate(ask('Hi'), never)).usage.output).toBeGreaterThan(0)
  })

  it('reports a crash as a retryable failure, and starts again', async () => {
    const model = await open({ maxOutputTokens: 900 })
    await (await open({ maxOutputTokens: 1 })).generate(ask('Hi'), never)
    const reply = model.generate(ask('Count from one to one thousand, in words.'), never).then(
      () => undefined,
      (error: unknown) => error,
    )
    await sleep(100)
    const pids = enginePids()
    expect(pids.length).toBeGreaterThan(0)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    const failure = await reply
    expect(failure).toBeInstanceOf(WorldFailure)
    expect(failure).toMatchObject({ kind: 'transport', retryable: true })
    const next = await open({ maxOutputTokens: 3 })
    // Until the end of the process is noticed, a call fails the same way; the pool of calls repeats it.
    const again = async () => (await next.generate(ask('Hi'), never).catch(() => undefined))?.usage.output
    await expect.poll(again, { timeout: 120_000 }).toBeGreaterThan(0)
  })

  it('refuses settings that it would not use', async () => {
    const model = await open({ extraBody: { contextTokens: 1024, mirostat: 2 } })
    await expect(model.generate(ask('Hi'), never)).rejects.toThrow('mirostat')
  })

  it('leaves no process behind', async () => {
    await closeModels()
    expect(enginePids()).toEqual([])
  })
})
