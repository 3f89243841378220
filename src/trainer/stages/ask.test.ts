import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fakeRun } from '../../../test/fake-run.js'
import { PausedError, WorldFailure } from '../../core/errors/errors.js'
import type { ModelReply } from '../../core/ports/model.js'
import { ask } from './ask.js'
import { loadPrompts } from './prompts.js'

const place = { stage: 'select', epoch: 1, step: 1 } as const
const schema = z.object({ reasoning: z.string().nullish(), value: z.number() })
const prompts = await loadPrompts()

function asking(replies: Partial<ModelReply>[]) {
  const run = fakeRun(() => replies.shift() ?? { text: 'no more replies' })
  return { run, answer: ask(run, prompts, { prompt: 'rank', content: 'choose', schema, scope: 'x', place }) }
}

describe('ask', () => {
  it('accepts plain JSON, JSON in a fence with surrounding prose, and JSON with small slips', async () => {
    for (const text of ['{"value": 3}', 'Sure!\n```json\n{"value": 3}\n```\nDone.', "{'value': 3,}"]) {
      const { run, answer } = asking([{ text }])
      expect(await answer).toEqual({ ok: true, value: { value: 3 } })
      expect(run.effects).toHaveLength(1)
    }
  })

  it('makes one corrective round that shows the bad reply and its error', async () => {
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

  it('does not repair a reply cut off at the output limit, since half an edit is worse than none', async () => {
    const { answer } = asking([{ text: '{"value": 3', stop: 'length' }, { text: '{"value": 4}' }])
    expect(await answer).toEqual({ ok: true, value: { value: 4 } })
  })

  it('redacts secrets that the skill does not hold, and leaves the passage that an edit is about', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const own = `ghp_${'c3D4'.repeat(9)}`
    const edits = z.array(z.object({ target: z.string(), content: z.string() }))
    const text = JSON.stringify({
      edits: [{ target: `Use ${own}.`, content: `Use ${token}, not ${own}.` }],
    })
    const question = { prompt: 'merge', content: 'x', schema: z.object({ edits }), scope: 'x' } as const
    const answer = await ask(
      fakeRun(() => ({ text })),
      prompts,
      { ...question, skill: `Use ${own}.`, place },
    )
    expect(answer).toEqual({
      ok: true,
      value: { edits: [{ target: `Use ${own}.`, content: `Use [redacted: github token], not ${own}.` }] },
    })
  })

  it('pauses the run when the optimizer fails for external reasons', async () => {
    const run = fakeRun(() => {
      throw new WorldFailure('server', 'overloaded', { retryable: true })
    })
    const question = { prompt: 'rank', content: 'choose', schema, scope: 'x' } as const
    await expect(ask(run, prompts, { ...question, place })).rejects.toBeInstanceOf(PausedError)
  })

  it('puts the instructions first and the changing part last', async () => {
    const { run, answer } = asking([{ text: '{"value": 3}' }])
    await answer
    const first = run.effects[0]
    expect(first?.kind === 'call' && first.request.messages[0]).toEqual({
      role: 'system',
      text: prompts.rank.text,
    })
  })

  it('sends the schema under a name that providers take, and the effort only where one is set', async () => {
    const requestWith = async (given: typeof prompts) => {
      const run = fakeRun(() => ({ text: '{"value": 3}' }))
      await ask(run, given, { prompt: 'slow-update', content: 'choose', schema, scope: 'x', place })
      const [effect] = run.effects
      return effect?.kind === 'call' ? effect.request : undefined
    }
    const request = await requestWith(prompts)
    expect(request?.schema).toMatchObject({
      name: 'slow_update',
      schema: { type: 'object', required: ['reasoning', 'value'] },
    })
    expect(request?.effort).toBeUndefined()
    const slow = { ...prompts['slow-update'], effort: 'high' } as const
    expect(await requestWith({ ...prompts, 'slow-update': slow })).toMatchObject({ effort: 'high' })
  })

  it('tells the model its mistake, and people what stayed wrong', async () => {
    const { run, answer } = asking([{ text: 'no' }, { text: 'still no' }])
    await answer
    const second = run.effects[1]
    const repair = second?.kind === 'call' ? second.request.messages[3]?.text : ''
    expect(repair).toContain('it holds no JSON object')
    expect(repair).not.toContain('{{')
    expect(run.emitted).toEqual([
      {
        type: 'optimizer.failed',
        key: 'rank:x',
        body: {
          ...place,
          message: 'The optimizer\'s reply to "rank" was unusable twice: it holds no JSON object',
        },
      },
    ])
  })

  it('says where it could not go on and what to do, with the cause, and hides no other error', async () => {
    const question = { prompt: 'rank', content: 'choose', schema, scope: 'x' } as const
    const failing = (error: Error) =>
      ask(
        fakeRun(() => {
          throw error
        }),
        prompts,
        { ...question, place },
      )
    const lost = new WorldFailure('server', 'overloaded', { retryable: true })
    await expect(failing(lost)).rejects.toMatchObject({
      message: 'The optimizer call failed during select: overloaded',
      hint: expect.stringContaining('Rerun the same command'),
      cause: lost,
    })
    const refused = new WorldFailure('login', 'refused', { retryable: false, hint: 'set the key' })
    await expect(failing(refused)).rejects.toMatchObject({ hint: 'set the key' })
    const bug = new TypeError('a bug')
    await expect(failing(bug)).rejects.toBe(bug)
  })
})
