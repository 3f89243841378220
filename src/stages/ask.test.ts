import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fakeRun } from '../../test/fake-run.js'
import { PausedError, WorldFailure } from '../core/errors.js'
import type { ModelReply } from '../core/ports.js'
import { ask, parseJson, wireSchema } from './ask.js'
import { failureAnalysis } from './contracts.js'
import { loadPrompts } from './prompts.js'

const place = { stage: 'select', epoch: 1, step: 1 } as const
const schema = z.object({ reasoning: z.string().nullish(), value: z.number() })
const prompts = await loadPrompts()

function asking(replies: Partial<ModelReply>[]) {
  const run = fakeRun(() => replies.shift() ?? { text: 'no more replies' })
  return { run, answer: ask(run, prompts, { prompt: 'rank', content: 'choose', schema, scope: 'x' }, place) }
}

describe('ask', () => {
  it('takes plain JSON, JSON in a fence with words around it, and JSON with small slips', async () => {
    for (const text of ['{"value": 3}', 'Sure!\n```json\n{"value": 3}\n```\nDone.', "{'value': 3,}"]) {
      const { run, answer } = asking([{ text }])
      expect(await answer).toEqual({ ok: true, value: { value: 3 } })
      expect(run.effects).toHaveLength(1)
    }
  })

  it('gives one corrective round that shows the bad reply and says what is wrong with it', async () => {
    const { run, answer } = asking([{ text: '{"value": "three"}' }, { text: '{"value": 3}' }])
    expect(await answer).toEqual({ ok: true, value: { value: 3 } })
    const second = run.effects[1]
    const messages = second?.kind === 'call' ? second.request.messages : []
    expect(messages.map(message => message.role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(messages[2]?.text).toBe('{"value": "three"}')
    expect(messages[3]?.text).toContain('"value"')
    expect(run.emitted).toEqual([])
  })

  it('reports a reply that stays unusable', async () => {
    const { run, answer } = asking([{ text: 'no' }, { text: 'still no' }])
    expect(await answer).toMatchObject({ ok: false })
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed', body: { stage: 'select' } }])
    expect(run.effects).toHaveLength(2)
  })

  it('does not mend what was cut off at the output limit: half an edit is worse than none', async () => {
    const { answer } = asking([{ text: '{"value": 3', stop: 'length' }, { text: '{"value": 4}' }])
    expect(await answer).toEqual({ ok: true, value: { value: 4 } })
  })

  it('pauses the run when the world fails the optimizer', async () => {
    const run = fakeRun(() => {
      throw new WorldFailure('server', 'overloaded', { retryable: true })
    })
    const question = { prompt: 'rank', content: 'choose', schema, scope: 'x' } as const
    await expect(ask(run, prompts, question, place)).rejects.toBeInstanceOf(PausedError)
  })

  it('puts the instructions first and the changing part last', async () => {
    const { run, answer } = asking([{ text: '{"value": 3}' }])
    await answer
    const first = run.effects[0]
    expect(first?.kind === 'call' && first.request.messages[0]).toEqual({
      role: 'system',
      text: prompts.rank,
    })
  })
})

describe('parseJson', () => {
  it('finds no object in prose', () => {
    expect(parseJson('there is nothing here')).toMatchObject({ ok: false })
  })
})

describe('wireSchema', () => {
  it('asks for every property and for no others, at every depth', () => {
    const check = (node: unknown): void => {
      if (node === null || typeof node !== 'object') return
      const object = node as {
        type?: unknown
        properties?: object
        required?: string[]
        additionalProperties?: unknown
      }
      if (object.properties !== undefined) {
        expect(object.required?.toSorted()).toEqual(Object.keys(object.properties).toSorted())
        expect(object.additionalProperties).toBe(false)
      }
      for (const inner of Object.values(node)) check(inner)
    }
    const wire = wireSchema(failureAnalysis)
    expect(wire.properties).toHaveProperty('patch')
    check(wire)
  })
})
