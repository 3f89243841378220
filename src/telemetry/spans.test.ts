import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { LogBuilder } from '../../test/support/sample-run.js'
import type { EventBody, RunEvent } from '../core/log/event.js'
import { SpanReader } from './spans.js'
import type { Said } from './texts.js'

const rollout = { stage: 'rollout', epoch: 1, step: 1 } as const
const reserved = { input: 10, output: 20 }
const finished: EventBody<'call.finished'> = {
  ...rollout,
  role: 'target',
  model: 'azure/my-deployment',
  messages: [{ role: 'user', blob: 'a'.repeat(32) }],
  reply: { role: 'assistant', text: 'the secret answer' },
  stop: 'tool-calls',
  usage: { input: 100, output: 7, cachedInput: 60, reasoning: 3 },
  cost: 0.02,
  ms: 40,
  tries: 1,
}

/** One step with calls that end in every possible way. */
function log(): LogBuilder {
  return new LogBuilder()
    .start()
    .add('step.started', { epoch: 1, step: 1, budget: 4, tasks: ['t1', 't2'], skill: 'h1' })
    .add('stage.started', { ...rollout, total: 2 })
    .add('call.started', { ...rollout, role: 'target', try: 1, reserved }, { key: 'good' })
    .add('call.started', { ...rollout, role: 'target', try: 1, reserved }, { key: 'bad' })
    .add(
      'call.failed',
      { ...rollout, role: 'target', try: 1, kind: 'server', message: 'said: my prompt', retryInMs: 5 },
      { key: 'bad' },
    )
    .add('call.finished', finished, { key: 'good' })
    .add('attempt.finished', {
      ...rollout,
      skill: 'h1',
      task: 't1',
      type: '',
      sample: 0,
      messages: [],
      outcome: {
        status: 'scored',
        score: { hard: 1, soft: 0.5, feedback: 'expected: the secret answer' },
        stop: 'answered',
      },
    })
    .add('call.started', { ...rollout, role: 'target', try: 2, reserved }, { key: 'bad' })
    .add(
      'call.failed',
      { ...rollout, role: 'target', try: 2, kind: 'login', message: 'said: my prompt' },
      { key: 'bad' },
    )
    .add('attempt.failed', { ...rollout, skill: 'h1', task: 't2', sample: 0, kind: 'login', message: 'no' })
    .add('optimizer.failed', { stage: 'reflect', epoch: 1, step: 1, message: 'not JSON: my reply' })
    .add('step.finished', { epoch: 1, step: 1, outcome: 'optimizer-failed', skill: 'h1' })
}

function spansOf(events: readonly RunEvent[], options: { texts?: boolean; said?: Said } = {}) {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const reader = new SpanReader({
    tracer: provider.getTracer('test'),
    run: 'sample-run',
    models: { target: 'azure/my-deployment' },
    texts: options.texts ?? false,
    redact: text => text.replaceAll('sk-secret', '[redacted]'),
  })
  for (const event of events) reader.event(event, options.said)
  void reader.close()
  return exporter.getFinishedSpans()
}

/** `run > epoch > …` of each span, in order of their start. */
function paths(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map(span => [span.spanContext().spanId, span]))
  const path = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? '')
    return parent === undefined ? span.name : `${path(parent)} > ${span.name}`
  }
  return spans.map(path).sort()
}

const named = (spans: readonly ReadableSpan[], name: string) => spans.filter(span => span.name === name)
const ms = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6

describe('spans', () => {
  it('are the tree of the run', () => {
    const spans = spansOf(log().events)
    const step = 'run sample-run > epoch 1 > step 1'
    expect(paths(spans)).toEqual([
      'run sample-run',
      'run sample-run > epoch 1',
      step,
      `${step} > reflect`,
      `${step} > rollout`,
      `${step} > rollout > attempt t1`,
      `${step} > rollout > attempt t2`,
      `${step} > rollout > chat my-deployment`,
      `${step} > rollout > chat my-deployment`,
    ])
    expect(new Set(spans.map(span => span.spanContext().traceId)).size).toBe(1)
  })

  it('have the times of the events', () => {
    const { events } = log()
    const at = (type: RunEvent['type']) => events.find(event => event.type === type)?.at
    const spans = spansOf(events)
    const [run] = named(spans, 'run sample-run')
    expect(run && [ms(run.startTime), ms(run.endTime)]).toEqual([at('run.started'), at('step.finished')])
    const [call] = named(spans, 'chat my-deployment').filter(span => span.status.code === 0)
    expect(call && [ms(call.startTime), ms(call.endTime)]).toEqual([at('call.started'), at('call.finished')])
    const [stage] = named(spans, 'rollout')
    expect(stage && [ms(stage.startTime), ms(stage.endTime)]).toEqual([
      at('stage.started'),
      at('attempt.failed'),
    ])
  })

  it('describe model calls by the conventions', () => {
    const [call] = named(spansOf(log().events), 'chat my-deployment').filter(span => span.status.code === 0)
    expect(call?.kind).toBe(2)
    expect(call?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'azure.ai.openai',
      'gen_ai.request.model': 'my-deployment',
      'gen_ai.response.finish_reasons': ['tool_calls'],
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.reasoning.output_tokens': 3,
      'skillopt.role': 'target',
      'skillopt.stage': 'rollout',
      'skillopt.cost': 0.02,
    })
    // The provider did not report it: 0 would be a claim.
    expect(call?.attributes).not.toHaveProperty('gen_ai.usage.cache_creation.input_tokens')
  })

  it('report failures with their kind', () => {
    const spans = spansOf(log().events)
    const [failed] = named(spans, 'chat my-deployment').filter(span => span.status.code === 2)
    expect(failed?.attributes).toMatchObject({ 'error.type': 'login' })
    expect(failed?.status).toEqual({ code: 2, message: 'login' })
    expect(failed?.events.map(event => [event.name, event.attributes?.['error.type']])).toEqual([
      ['try failed', 'server'],
      ['try failed', 'login'],
    ])
    expect(named(spans, 'attempt t2')[0]?.status).toEqual({ code: 2, message: 'login' })
    expect(named(spans, 'reflect')[0]?.status).toEqual({ code: 2, message: 'optimizer' })
    expect(named(spans, 'attempt t1')[0]?.attributes).toMatchObject({
      'skillopt.outcome.status': 'scored',
      'skillopt.outcome.score.soft': 0.5,
    })
  })

  it('hold no texts unless asked', () => {
    const said: Said = {
      prompt: [{ role: 'user', text: 'my prompt, sk-secret' }],
      reply: { role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'look_up', arguments: '{}' }] },
    }
    const secret = /my prompt|my reply|secret/
    const everything = (spans: readonly ReadableSpan[]) =>
      JSON.stringify(spans.map(({ name, attributes, events, status }) => [name, attributes, events, status]))
    expect(everything(spansOf(log().events, { said }))).not.toMatch(secret)
    const [call] = named(spansOf(log().events, { texts: true, said }), 'chat my-deployment').filter(
      span => span.status.code === 0,
    )
    expect(call?.attributes['gen_ai.input.messages']).toBe(
      '[{"role":"user","parts":[{"type":"text","content":"my prompt, [redacted]"}]}]',
    )
    expect(call?.attributes['gen_ai.output.messages']).toBe(
      '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"look_up","arguments":"{}"}]}]',
    )
  })

  it('of a step end when the next one begins, and take what comes late', () => {
    const events = log()
      .add('step.started', { epoch: 2, step: 2, budget: 4, tasks: [], skill: 'h1' })
      .add('call.started', { ...rollout, role: 'target', try: 1, reserved }, { key: 'late' }).events
    const spans = spansOf(events)
    const late = named(spans, 'chat my-deployment').find(
      span => span.attributes['error.type'] === 'unfinished',
    )
    expect(late?.parentSpanContext?.spanId).toBe(named(spans, 'rollout')[0]?.spanContext().spanId)
    const order = spans.map(span => span.name)
    expect(order.indexOf('step 1')).toBeLessThan(order.indexOf('step 2'))
    expect(named(spans, 'rollout')).toHaveLength(1)
  })

  it('of a resumed run are those of its new events, under parts that open with the first of them', () => {
    const { events } = log()
    const from = events.findIndex(({ key, type }) => key === 'bad' && type === 'call.failed')
    const session = events[1]
    const spans = spansOf([...(session === undefined ? [] : [session]), ...events.slice(from)])
    expect(paths(spans)).toContain('run sample-run > epoch 1 > step 1 > rollout > chat my-deployment')
    const done = named(spans, 'chat my-deployment').filter(span => span.status.code === 0)
    // Its start is not among the events, so it is derived from the call's duration.
    expect(done.map(span => ms(span.endTime) - ms(span.startTime))).toEqual([40])
  })

  it('say how the run ended', () => {
    const end = (event: EventBody<'run.stopped'>['reason']) =>
      named(spansOf(log().add('run.stopped', { reason: event, message: 'x' }).events), 'run sample-run')[0]
    expect(end('paused')?.status.code).toBe(2)
    expect(end('cap')?.status.code).toBe(0)
    expect(end('cap')?.attributes['skillopt.outcome']).toBe('cap')
  })
})
