import { describe, expect, it } from 'vitest'
import { LogBuilder } from '../../../../test/support/sample-run.js'
import type { EventBody } from '../../../core/log/event.js'
import { NotFoundError } from '../not-found.js'
import { type AttemptEvent, messagesAtOnce, messagesOf, moreText, saidIn } from './messages.js'

const place = { stage: 'rollout', epoch: 1, step: 1, skill: 'a'.repeat(16), task: 't1', sample: 0 } as const
const scored = (feedback = ''): EventBody<'attempt.finished'>['outcome'] => ({
  status: 'scored',
  score: { hard: 1, soft: 1, feedback },
  stop: 'answered',
})

function attempt(body: Partial<EventBody<'attempt.finished'>>, log = new LogBuilder()) {
  log.add('attempt.finished', { ...place, type: 'sum', messages: [], outcome: scored(), ...body })
  return { event: log.events.at(-1) as AttemptEvent, get: log.reader().get }
}

const failed = (message: string): AttemptEvent => {
  const log = new LogBuilder().add('attempt.failed', { ...place, kind: 'timeout', message })
  return log.events[0] as AttemptEvent
}

const nothing = async () => ''

describe('the details of an attempt', () => {
  it('include all messages, with tools and files by name', async () => {
    const log = new LogBuilder()
    const file = { name: 'plan.pdf', mediaType: 'application/pdf', bytes: 12, pages: 2 } as const
    const { event, get } = attempt(
      {
        messages: [
          { role: 'system', blob: log.put('Be kind.') },
          {
            role: 'user',
            parts: [
              { type: 'text', blob: log.put('Look at this:') },
              { type: 'document', ...file, blob: log.put('JVBERi0=') },
            ],
          },
          {
            role: 'assistant',
            text: 'I look.',
            toolCalls: [{ id: 'c1', name: 'open', arguments: '{"page":1}' }],
          },
          { role: 'tool', text: 'A plan.', toolCallId: 'c1' },
        ],
        outcome: {
          status: 'scored',
          stop: 'answered',
          score: { hard: 1, soft: 1, feedback: 'right', votes: [{ score: 1, reason: 'fits' }] },
        },
        hidden: log.put('the proof'),
        tokens: 5,
        ms: 7,
        reward: 0.5,
      },
      log,
    )
    const text = (said: string) => ({ text: said, length: said.length })
    expect(await saidIn(event, get)).toEqual({
      messages: [
        { role: 'system', text: text('Be kind.'), files: [], calls: [] },
        {
          role: 'user',
          text: text('Look at this:'),
          calls: [],
          files: [{ type: 'document', ...file }],
        },
        {
          role: 'assistant',
          text: text('I look.'),
          files: [],
          calls: [{ id: 'c1', name: 'open', arguments: text('{"page":1}') }],
        },
        { role: 'tool', text: text('A plan.'), files: [], calls: [], answers: 'c1' },
      ],
      messageCount: 4,
      feedback: text('right'),
      votes: [{ score: 1, reason: text('fits') }],
      hidden: text('the proof'),
      tokens: 5,
      ms: 7,
      reward: 0.5,
    })
  })

  it('of an external failure include the problem and the messages before it', async () => {
    const { event, get } = attempt({
      messages: [{ role: 'assistant', text: 'Hm.' }],
      outcome: { status: 'failed', failure: { kind: 'judge', message: 'The judge is gone.' } },
    })
    const shown = await saidIn(event, get)
    expect(shown).toMatchObject({ messageCount: 1, problem: { text: 'The judge is gone.' }, votes: [] })
    expect(shown).not.toHaveProperty('feedback')
    expect(await saidIn(failed('too late'), nothing)).toEqual({
      messages: [],
      messageCount: 0,
      votes: [],
      problem: { text: 'too late', length: 8 },
    })
  })

  it('include a hundred messages, and the next hundred on request', async () => {
    const messages = Array.from({ length: 250 }, (_, index) => ({
      role: 'assistant' as const,
      text: `m${index}`,
    }))
    const { event, get } = attempt({ messages })
    const { messages: first, messageCount } = await saidIn(event, get)
    expect({ count: first.length, messageCount }).toEqual({ count: messagesAtOnce, messageCount: 250 })
    const texts = async (from: number) =>
      (await messagesOf({ messages }, from, get)).map(({ text }) => text.text)
    expect(await texts(100)).toEqual(messages.slice(100, 200).map(({ text }) => text))
    expect(await texts(200)).toHaveLength(50)
    expect(await texts(250)).toEqual([])
  })
})

describe('a long text', () => {
  it('is truncated, and continues where it was cut', async () => {
    const long = 'abcdefghij'.repeat(30_000)
    const { event, get } = attempt({ messages: [{ role: 'assistant', text: long }] })
    const [message] = (await saidIn(event, get)).messages
    expect(message?.text).toEqual({ text: long.slice(0, 20_000), length: 300_000 })
    let read = message?.text.text ?? ''
    while (read.length < long.length)
      read += (await moreText(event, { of: 'message.0', from: read.length }, get)).text
    expect(read).toBe(long)
  })

  it('comes in parts of bounded size', async () => {
    const { event, get } = attempt({ outcome: scored('x'.repeat(500_000)) })
    const part = await moreText(event, { of: 'feedback', from: 20_000 }, get)
    expect({ ...part, text: part.text.length }).toEqual({ from: 20_000, text: 200_000, length: 500_000 })
  })

  it('is never cut inside a surrogate pair', async () => {
    const long = `x${'😀'.repeat(15_000)}`
    const { event, get } = attempt({ outcome: scored(long) })
    const { feedback } = await saidIn(event, get)
    expect(feedback?.text).toHaveLength(19_999)
    // An unpaired surrogate cannot be encoded as UTF-8.
    expect(() => encodeURIComponent(feedback?.text ?? '')).not.toThrow()
    const rest = await moreText(event, { of: 'feedback', from: 19_999 }, get)
    expect(`${feedback?.text}${rest.text}`).toBe(long)
  })

  it('of exactly the maximum length is complete', async () => {
    const long = `${'x'.repeat(19_998)}😀`
    const { event, get } = attempt({ outcome: scored(long) })
    expect((await saidIn(event, get)).feedback?.text).toBe(long)
  })

  it.each([
    ['message.0', 'the question'],
    ['message.1', 'the answer'],
    ['call.1.1', '{"b":2}'],
    ['vote.1', 'second'],
    ['feedback', 'right'],
    ['hidden', 'the proof'],
  ])('is found as %s', async (of, text) => {
    const { event, get } = whole()
    expect(await moreText(event, { of, from: 0 }, get)).toEqual({ from: 0, text, length: text.length })
    const end = { of, from: text.length }
    expect((await moreText(event, end, get)).text).toBe('')
  })

  it.each(['message.2', 'call.0.0', 'call.1.2', 'call.9.0', 'vote.2', 'problem'])(
    'is not found as %s where there is none',
    async of => {
      const { event, get } = whole()
      await expect(moreText(event, { of, from: 0 }, get)).rejects.toThrow(NotFoundError)
    },
  )

  it('is not found past its end', async () => {
    const { event, get } = whole()
    await expect(moreText(event, { of: 'feedback', from: 6 }, get)).rejects.toThrow(NotFoundError)
  })

  it('of an attempt that never started is only the problem', async () => {
    const event = failed('too late')
    expect((await moreText(event, { of: 'problem', from: 4 }, nothing)).text).toBe('late')
    for (const of of ['message.0', 'feedback', 'hidden', 'vote.0'])
      await expect(moreText(event, { of, from: 0 }, nothing)).rejects.toThrow(NotFoundError)
  })

  function whole() {
    const log = new LogBuilder()
    const calls = ['{"a":1}', '{"b":2}'].map((given, index) => ({
      id: `c${index}`,
      name: 'do',
      arguments: given,
    }))
    const votes = ['first', 'second'].map(reason => ({ score: 1, reason }))
    return attempt(
      {
        messages: [
          { role: 'user', blob: log.put('the question') },
          { role: 'assistant', text: 'the answer', toolCalls: calls },
        ],
        outcome: {
          status: 'scored',
          stop: 'answered',
          score: { hard: 1, soft: 1, feedback: 'right', votes },
        },
        hidden: log.put('the proof'),
      },
      log,
    )
  }
})
