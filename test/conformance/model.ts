import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Model, ModelRequest } from '../../src/core/ports/model.js'
import { timeLimit } from '../support/time-limit.js'
import { type FakeProvider, loginHeaders, type Script, startFakeProvider } from './fake-provider.js'
import type { Dialect } from './wire-formats.js'

export interface ModelOptions {
  readonly seed?: boolean
  readonly extraBody?: Record<string, string | number | boolean>
}

/** Creates models of one kind against the suite's endpoint. */
export interface ModelSubject {
  readonly name: string
  readonly dialect: Dialect
  readonly key: string
  readonly maxOutputTokens: number
  /** True for models that support a JSON mode, but no schema. */
  readonly jsonMode?: boolean
  open(endpoint: string, options?: ModelOptions): Promise<Model>
}

export interface ModelCheck {
  readonly name: string
  /** Rejects if the model breaks the requirement. */
  run(subject: ModelSubject): Promise<void>
}

const question: ModelRequest = {
  messages: [
    { role: 'system', text: 'Rules first.' },
    { role: 'user', text: 'What is it?' },
  ],
}
const usage = { input: 120, output: 7 }
const patience = timeLimit(3000)

async function withProvider<T>(run: (provider: FakeProvider) => Promise<T>): Promise<T> {
  const provider = await startFakeProvider()
  try {
    return await run(provider)
  } finally {
    await provider.close()
  }
}

async function reply(subject: ModelSubject, script: Script, request = question, options?: ModelOptions) {
  return withProvider(async provider => {
    provider.script(script)
    const model = await subject.open(provider.url, options)
    const answer = await within(model.generate(request, new AbortController().signal))
    const seen = provider.requests[0]
    assert(seen !== undefined, 'the model made no request')
    return { answer, body: seen.body, headers: seen.headers }
  })
}

async function failure(subject: ModelSubject, script: Script): Promise<WorldFailure> {
  return withProvider(async provider => {
    provider.script(script)
    const model = await subject.open(provider.url)
    const outcome = await within(
      model.generate(question, new AbortController().signal).then(
        answer => assert.fail(`replied ${inspect(answer)} instead of failing`),
        (error: unknown) => error,
      ),
    )
    assert(outcome instanceof WorldFailure, `threw ${inspect(outcome)} instead of a WorldFailure`)
    assert.equal(provider.requests.length, 1, 'a failed call must be one request: retries are the pool’s')
    return outcome
  })
}

/** A model that hangs must fail its check, not the whole suite. */
async function within<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened within ${patience} ms`)), patience)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const check = (name: string, run: ModelCheck['run']): ModelCheck => ({ name, run })

const replies: readonly ModelCheck[] = [
  check('gives the text and the usage', async subject => {
    const { answer } = await reply(subject, { reply: { text: 'It is a cat.', usage } })
    assert.equal(answer.text, 'It is a cat.')
    assert.equal(answer.stop, 'stop')
    assert.equal(answer.toolCalls, undefined)
    assert.equal(answer.usage.input, 120)
    assert.equal(answer.usage.output, 7)
    assert.equal(answer.usage.cachedInput, undefined, 'nothing was said of a cache')
  }),
  check('leaves unknown usage unknown', async subject => {
    // Anthropic's and Bedrock's replies always report usage; a reply without it is malformed.
    if (['messages', 'converse'].includes(subject.dialect)) return
    const { answer } = await reply(subject, { reply: { text: 'x', usage: null } })
    assert.deepEqual(
      Object.values(answer.usage).filter(value => value !== undefined),
      [],
    )
  }),
  check('tells cached input', async subject => {
    const { answer } = await reply(subject, { reply: { text: 'x', usage: { ...usage, cached: 100 } } })
    assert.equal(answer.usage.input, 120)
    assert.equal(answer.usage.cachedInput, 100)
  }),
  check('tells a reply that reached the output limit', async subject => {
    const { answer } = await reply(subject, { reply: { text: 'It is', stop: 'length', usage } })
    assert.deepEqual([answer.text, answer.stop], ['It is', 'length'])
  }),
  check('tells a reply that was filtered', async subject => {
    const { answer } = await reply(subject, { reply: { text: '', stop: 'filter', usage } })
    assert.equal(answer.stop, 'content-filter')
  }),
  check('tells a refusal, with the model’s words', async subject => {
    const { answer } = await reply(subject, { reply: { refusal: 'I will not.', usage } })
    assert.deepEqual([answer.text, answer.stop], ['I will not.', 'content-filter'])
    assert.equal(answer.usage.output, 7)
  }),
  check('gives tool calls', async subject => {
    const toolCall = { id: 'call_1', name: 'look_up', arguments: '{"word":"cat"}' }
    const parameters = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
    const request = { ...question, tools: [{ name: 'look_up', description: 'Looks up.', parameters }] }
    const { answer, body } = await reply(subject, { reply: { toolCall, usage } }, request)
    assert.equal(answer.stop, 'tool-calls')
    const [call, ...more] = answer.toolCalls ?? []
    assert.deepEqual([call?.id, call?.name, more.length], ['call_1', 'look_up', 0])
    assert.deepEqual(JSON.parse(call?.arguments ?? ''), { word: 'cat' })
    assert.match(JSON.stringify(body.tools ?? body.toolConfig), /look_up/)
  }),
  check('takes a prompt that does not fit as the agent’s failure', async subject => {
    const message = 'prompt is too long: This model’s maximum context length is 8192 tokens'
    const { answer } = await reply(subject, { status: 400, message, code: 'context_length_exceeded' })
    assert.deepEqual([answer.text, answer.stop], ['', 'context-overflow'])
  }),
]

/** Some APIs nest limits and other settings in an object of their own. */
function settingsIn(body: Record<string, unknown>): Record<string, unknown> {
  return { ...body, ...(body.generationConfig as object), ...(body.inferenceConfig as object) }
}

const requests: readonly ModelCheck[] = [
  check('sends the messages in order, the stable part first', async subject => {
    const call = { id: 'call_1', name: 'look_up', arguments: '{"word":"cat"}' }
    const request: ModelRequest = {
      messages: [
        { role: 'system', text: 'part-one' },
        { role: 'user', text: 'part-two' },
        { role: 'assistant', text: 'part-three', toolCalls: [call] },
        { role: 'tool', text: 'part-four', toolCallId: 'call_1' },
      ],
      tools: [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object', properties: {} } }],
    }
    const { body } = await reply(subject, { reply: { text: 'x' } }, request)
    // The library chooses the field order in the body: the system prompt may be outside the messages.
    const wire = JSON.stringify([
      body.system ?? body.systemInstruction,
      body.messages ?? body.input ?? body.contents,
    ])
    const places = ['part-one', 'part-two', 'part-three', 'look_up', 'part-four'].map(part =>
      wire.indexOf(part),
    )
    assert(!places.includes(-1), `not all messages were sent: ${wire}`)
    assert.deepEqual(
      places,
      [...places].sort((a, b) => a - b),
    )
  }),
  check('sends the output limit', async subject => {
    const { body } = await reply(subject, { reply: { text: 'x' } })
    const settings = settingsIn(body)
    const names = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens', 'maxTokens']
    const limits = names.flatMap(name => settings[name] ?? [])
    assert.deepEqual(limits, [subject.maxOutputTokens])
  }),
  check('sends the JSON schema', async subject => {
    const schema = {
      type: 'object',
      properties: { mark: { type: 'string' } },
      required: ['mark'],
      additionalProperties: false,
    }
    const { body } = await reply(
      subject,
      { reply: { text: '{}' } },
      { ...question, schema: { name: 'verdict', schema } },
    )
    if (subject.jsonMode === true) return assert.match(JSON.stringify(body), /"json_object"/)
    assert.match(JSON.stringify(body), /"(json_schema|responseSchema)"/)
    assert.match(JSON.stringify(body), /"mark"/)
  }),
  check('sends a seed only if asked to', async subject => {
    const without = await reply(subject, { reply: { text: 'x' } }, { ...question, seed: 77 })
    assert.doesNotMatch(JSON.stringify(without.body), /77/)
    if (!['chat', 'gemini'].includes(subject.dialect)) {
      await assert.rejects(subject.open('http://127.0.0.1:9', { seed: true }), /seed/)
      return
    }
    const { body } = await reply(subject, { reply: { text: 'x' } }, { ...question, seed: 77 }, { seed: true })
    assert.equal(settingsIn(body).seed, 77)
  }),
  check('sends the extra body', async subject => {
    const { body } = await reply(subject, { reply: { text: 'x' } }, question, {
      extraBody: { custom_field: 'yes' },
    })
    assert.equal(body.custom_field, 'yes')
  }),
  check('logs in', async subject => {
    const { headers } = await reply(subject, { reply: { text: 'x' } })
    assert(
      loginHeaders.some(name => String(headers[name]).endsWith(subject.key)),
      'the key was not sent',
    )
    assert.match(headers['user-agent'] ?? '', /^skillopt\//)
  }),
]

interface Expected {
  readonly kind: WorldFailure['kind']
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

const answers: readonly (readonly [string, Script, Expected])[] = [
  ['401', { status: 401, message: 'bad key' }, { kind: 'login', retryable: false }],
  ['403', { status: 403, message: 'not yours' }, { kind: 'login', retryable: false }],
  ['402', { status: 402, message: 'Insufficient Balance' }, { kind: 'quota', retryable: false }],
  ['404', { status: 404, message: 'no such model' }, { kind: 'not-found', retryable: false }],
  ['400', { status: 400, message: 'strange field' }, { kind: 'rejected', retryable: false }],
  ['408', { status: 408 }, { kind: 'server', retryable: true }],
  ['500', { status: 500 }, { kind: 'server', retryable: true }],
  [
    '503',
    { status: 503, headers: { 'retry-after': '2' } },
    { kind: 'server', retryable: true, retryAfterMs: 2000 },
  ],
  ['529', { status: 529, code: 'overloaded_error' }, { kind: 'server', retryable: true }],
  [
    '429',
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 7000 },
  ],
  [
    '429 with milliseconds',
    { status: 429, headers: { 'retry-after-ms': '250', 'retry-after': '1' } },
    { kind: 'rate-limit', retryable: true, retryAfterMs: 250 },
  ],
  [
    '429 without quota left',
    { status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
    { kind: 'quota', retryable: false },
  ],
]

/** Faults with status 200 that contain no answer. */
const emptyBodies: readonly (readonly [string, Script])[] = [
  ['an empty body', { body: '' }],
  ['null', { body: 'null' }],
  ['an empty object', { body: '{}' }],
  ['an empty list', { body: '[]' }],
  ['a text', { body: '"It is a cat."' }],
  ['a page of a gateway', { body: '<html><body>It is a cat.</body></html>', type: 'text/html' }],
  ['half of a reply', { body: '{"id": "1", "choices": [{"message": {"content": "It is' }],
  ['no choices', { body: '{"id": "1", "choices": [], "candidates": [], "content": [], "output": []}' }],
  ['choices of nothing', { body: '{"id": "1", "choices": [null], "candidates": [null], "output": [null]}' }],
  ['an error', { body: '{"error": {"message": "upstream said no", "code": "bad_gateway"}}' }],
  ['an error as text', { body: '{"error": "upstream said no"}' }],
  ['an error in a stream', { body: 'data: {"error": {"message": "no"}}\n\n', type: 'text/event-stream' }],
  ['a stream that only ends', { body: 'data: [DONE]\n\n', type: 'text/event-stream' }],
  ['an empty stream', { body: '', type: 'text/event-stream' }],
]

const failures: readonly ModelCheck[] = [
  ...emptyBodies.map(([name, script]) =>
    check(`takes ${name} with status 200 for a failure that may have cost`, async subject => {
      const { kind, retryable, mayHaveCost } = await failure(subject, script)
      // One library reports an error at the start of a stream with the status of a server failure.
      assert.deepEqual([retryable, mayHaveCost || kind === 'server'], [true, true])
    }),
  ),
  check('takes a reply without content for malformed', async subject => {
    for (const told of [usage, { input: 120, output: 0 }]) {
      const { kind, retryable } = await failure(subject, { reply: { text: '', usage: told } })
      assert.deepEqual({ kind, retryable }, { kind: 'malformed', retryable: true })
    }
  }),
  ...answers.map(([name, script, expected]) =>
    check(`tells ${name} as ${expected.kind}`, async subject => {
      const { kind, retryable, retryAfterMs } = await failure(subject, script)
      assert.deepEqual({ kind, retryable, retryAfterMs }, { retryAfterMs: undefined, ...expected })
    }),
  ),
  check('repeats the provider’s own words', async subject => {
    const { message } = await failure(subject, { status: 400, message: 'the field frobnicate is unknown' })
    assert.match(message, /the field frobnicate is unknown/)
  }),
  check('waits until the date in Retry-After', async subject => {
    const date = new Date(Date.now() + 60_000).toUTCString()
    const { retryAfterMs } = await failure(subject, { status: 429, headers: { 'retry-after': date } })
    assert(retryAfterMs !== undefined && retryAfterMs > 50_000 && retryAfterMs <= 60_000, `${retryAfterMs}`)
  }),
  check('tells a cut reply as transport that may have cost', async subject => {
    const { kind, retryable, mayHaveCost } = await failure(subject, 'cut')
    assert.deepEqual(
      { kind, retryable, mayHaveCost },
      { kind: 'transport', retryable: true, mayHaveCost: true },
    )
  }),
  check('tells garbage as malformed that may have cost', async subject => {
    const { kind, retryable, mayHaveCost } = await failure(subject, 'garbage')
    assert.deepEqual(
      { kind, retryable, mayHaveCost },
      { kind: 'malformed', retryable: true, mayHaveCost: true },
    )
  }),
  check('tells an endpoint that is not there as transport', async subject => {
    const url = await withProvider(async provider => provider.url)
    const model = await subject.open(url)
    await assert.rejects(within(model.generate(question, new AbortController().signal)), (error: unknown) => {
      assert(error instanceof WorldFailure)
      assert.deepEqual([error.kind, error.retryable, error.mayHaveCost], ['transport', true, false])
      return true
    })
  }),
  check('rejects with the reason of the signal when aborted', subject =>
    withProvider(async provider => {
      provider.script('silence')
      const model = await subject.open(provider.url)
      const controller = new AbortController()
      const reason = new Error('given up')
      const outcome = model.generate(question, controller.signal).then(
        () => assert.fail('replied'),
        (error: unknown) => error,
      )
      await provider.arrival()
      controller.abort(reason)
      assert.equal(await within(outcome), reason)
    }),
  ),
  check('makes no call once aborted', subject =>
    withProvider(async provider => {
      const model = await subject.open(provider.url)
      const reason = new Error('too late')
      await assert.rejects(model.generate(question, AbortSignal.abort(reason)), error => error === reason)
      assert.equal(provider.requests.length, 0)
    }),
  ),
  check('never shows the key', async subject => {
    for (const status of [400, 401, 404, 429, 500]) {
      const error = await failure(subject, { status, message: 'refused', echoLogin: true })
      assert.doesNotMatch(inspect(error, { depth: 9 }), new RegExp(subject.key))
    }
    const model = await subject.open('http://127.0.0.1:9')
    assert.doesNotMatch(inspect(model, { depth: 9 }), new RegExp(subject.key))
  }),
]

/** Requirements of every model, whatever its provider. */
export const modelChecks: readonly ModelCheck[] = [...replies, ...requests, ...failures]
