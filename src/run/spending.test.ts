import { describe, expect, it } from 'vitest'
import type { EventBody, EventType, Reservation, RunEvent } from '../core/log/event.js'
import { SpendingFold, spendingOf, spentOf } from './spending.js'

const place = { stage: 'rollout', epoch: 1, step: 1, role: 'target' } as const
const reserved = { input: 100, output: 50, cost: 2 }
const unpriced = { input: 100, output: 50 }

class Log {
  readonly events: RunEvent[] = []
  at = 0
  add<T extends EventType>(type: T, body: EventBody<T>, key?: string): this {
    const event = { seq: this.events.length, at: this.at, type, body, ...(key === undefined ? {} : { key }) }
    this.events.push(event as RunEvent)
    return this
  }
  session = (at: number) => {
    this.at = at
    return this.add('session.started', { pid: 1, resumed: at > 0, limits: {} })
  }
  started = (key: string, reservation: Reservation = reserved) =>
    this.add('call.started', { ...place, try: 1, reserved: reservation }, key)
  failed = (key: string, charged?: Reservation) =>
    this.add(
      'call.failed',
      { ...place, try: 1, kind: 'server', message: '', ...(charged === undefined ? {} : { charged }) },
      key,
    )
  finished = (key: string, usage: EventBody<'call.finished'>['usage'], cost?: number) =>
    this.add(
      'call.finished',
      {
        ...place,
        model: 'm',
        messages: [],
        reply: { role: 'assistant' },
        stop: 'stop',
        usage,
        ms: 1,
        tries: 1,
        ...(cost === undefined ? {} : { cost }),
      },
      key,
    )
}

const nothing = { calls: 0, input: 0, output: 0, cost: 0 }

describe('spendingOf', () => {
  it('adds up what providers reported', async () => {
    const log = new Log().started('a').finished('a', { input: 10, output: 5, cachedInput: 4 }, 0.5)
    log.started('b').finished('b', { input: 1, output: 2 }, 0.25)
    expect(await spendingOf(log.events)).toMatchObject({
      calls: 2,
      replies: 2,
      input: 11,
      output: 7,
      cachedInput: 4,
      cost: 0.75,
      unknown: nothing,
      unpriced: {},
      lost: 0,
    })
  })

  it('counts every try, and charges failures that may have cost', async () => {
    const log = new Log().started('a').failed('a').started('a').failed('a', reserved)
    log.started('a').finished('a', { input: 10, output: 5 }, 0.5)
    const spending = await spendingOf(log.events)
    expect(spending).toMatchObject({ calls: 3, replies: 1, failures: { server: 2 }, lost: 0 })
    expect(spending.unknown).toEqual({ calls: 1, input: 100, output: 50, cost: 2 })
    expect(spentOf(spending, {})).toEqual({ calls: 3, tokens: 165, cost: 2.5, activeMs: 0 })
  })

  it('charges what a provider did not report as reserved, that part only', async () => {
    const log = new Log().started('a').finished('a', { output: 5 })
    expect(await spendingOf(log.events)).toMatchObject({
      output: 5,
      unknown: { calls: 1, input: 100, output: 0, cost: 2 },
    })
  })

  it('charges calls that were lost with their process, once each', async () => {
    const log = new Log()
      .session(0)
      .started('a')
      .started('b')
      .session(10)
      .started('a')
      .started('c')
      .started('c')
    const spending = await spendingOf(log.events)
    expect(spending).toMatchObject({
      calls: 5,
      lost: 5,
      unknown: { calls: 5, input: 500, output: 250, cost: 10 },
    })
  })

  it('prices tokens that were used without a price at the price of now', async () => {
    const log = new Log().started('a', unpriced).finished('a', { input: 10, output: 5 })
    log.started('b', unpriced).failed('b', unpriced).started('c', unpriced)
    const spending = await spendingOf(log.events)
    expect(spending.unpriced).toEqual({ target: { input: 210, output: 105 } })
    expect(spentOf(spending, { target: { price: { input: 1e6, output: 2e6 } } }).cost).toBe(420)
    expect(spentOf(spending, {}).cost).toBe(0)
  })

  it('adds up the active time of sessions, not the time between', async () => {
    const log = new Log().session(1_000)
    log.at = 4_000
    log.started('a').session(100_000)
    log.at = 100_500
    log.started('b')
    expect((await spendingOf(log.events)).activeMs).toBe(3_500)
  })
})

it('shows a run that is going on without calling its open calls lost', () => {
  const fold = new SpendingFold()
  for (const event of new Log().session(0).started('a').started('b').finished('a', { input: 1, output: 1 }, 1)
    .events) {
    fold.add(event)
  }
  expect(fold.total({ ended: false })).toMatchObject({ calls: 2, lost: 0, unknown: nothing })
  expect(fold.total({ ended: true })).toMatchObject({ calls: 2, lost: 1 })
})
