import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  eventsOf,
  jsonOf,
  key,
  modelConfig,
  ofType,
  parcelServer,
  resultOf,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

/** Invalid replies with status 200 never produce a score and never bypass a cap. */

type Json = Record<string, unknown>

/** What differs between the wire formats: where a reply has its text and its usage. */
interface WireFormat {
  readonly provider: string
  /** Replies without text that bill 20 output tokens, by the form of their content. */
  readonly empty: Readonly<Record<string, (reply: Json) => Json>>
  withUsage(reply: Json, input: number, output: number): Json
  /** The reply with usage that the provider does not tell. */
  withoutUsage(reply: Json): Json
  readonly model: Json
  /** Printed by every training: which other host gets the key. */
  readonly warning: string
}

const chatUsage = (input: number, output: number) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})

function withMessage(reply: Json, message: Json): Json {
  return {
    ...reply,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
  }
}

const chat: WireFormat = {
  provider: 'openai-compatible',
  empty: {
    'an empty text': reply => chat.withUsage(withMessage(reply, { content: '' }), 50, 20),
    null: reply => chat.withUsage(withMessage(reply, { content: null }), 50, 20),
    'no content': reply => chat.withUsage(withMessage(reply, {}), 50, 20),
  },
  withUsage: (reply, input, output) => ({ ...reply, usage: chatUsage(input, output) }),
  withoutUsage: ({ usage: _, ...reply }) => reply,
  model: { seed: true },
  warning: '',
}

const messages: WireFormat = {
  provider: 'anthropic',
  empty: {
    'an empty text': reply => messages.withUsage({ ...reply, content: [{ type: 'text', text: '' }] }, 50, 20),
    'no blocks': reply => messages.withUsage({ ...reply, content: [] }, 50, 20),
  },
  withUsage: (reply, input, output) => ({ ...reply, usage: { input_tokens: input, output_tokens: output } }),
  // The format requires usage; nobody generates a text from no tokens.
  withoutUsage: reply => messages.withUsage(reply, 0, 0),
  model: { seed: false },
  warning: 'not to api.anthropic.com.\n',
}

/** A server that passes requests on and changes the JSON of the replies. */
async function changingServer(target: string, change: (reply: Json) => Json) {
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await fetch(`${target}${request.url ?? ''}`, {
        method: request.method ?? 'POST',
        headers: forwarded(request),
        body: await textOf(request),
      })
      const reply = (await answer.json()) as Json
      const body = JSON.stringify(answer.ok ? change(reply) : reply)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body)
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise(resolve => server.close(resolve)) }
}

function forwarded({ headers }: IncomingMessage): Record<string, string> {
  const names = ['authorization', 'x-api-key', 'anthropic-version', 'content-type']
  return Object.fromEntries(
    names.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const])),
  )
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

describe.each([
  ['OpenAI chat', chat],
  ['Anthropic messages', messages],
])('%s', (_, format) => {
  let cwd: string
  let server: LoopbackServer
  let between: Awaited<ReturnType<typeof changingServer>>
  let change: (reply: Json) => Json = reply => reply
  const train = (out: string, ...more: string[]) =>
    skillopt(['train', '--out', out, '--yes', '--trust', ...more], { cwd, env: key })
  const run = (out: string) => join(cwd, out)
  const stderr = format.warning === '' ? '' : expect.stringMatching(`^warning: .*${format.warning}$`)
  const untroubled = { code: 0, stderr }

  beforeAll(async () => {
    cwd = await temporaryFolder()
    server = await parcelServer()
    between = await changingServer(server.url, reply => change(reply))
    const more = { retries: 3, concurrency: 8, ...format.model }
    const named = (name: string) => ({
      ...modelConfig(name, between.url, more),
      model: `${format.provider}/${name}`,
    })
    await writeProject(cwd, {
      config: { models: { target: named('target'), optimizer: named('optimizer') } as never },
    })
    expect(await train('untroubled')).toMatchObject(untroubled)
  })
  afterAll(() => between.close())

  it('ends with the same skill, verdicts and scores where one reply in four is empty', async () => {
    const forms = Object.values(format.empty)
    let [answered, faults] = [0, 0]
    change = reply => {
      answered += 1
      if (answered % 4 !== 1) return reply
      faults += 1
      return (forms[faults % forms.length] as (typeof forms)[number])(reply)
    }
    expect(await train('empty')).toMatchObject(untroubled)
    expect(await resultOf(run('empty'))).toEqual(await resultOf(run('untroubled')))
    const { trouble } = await jsonOf(run('empty'), 'summary.json')
    expect(trouble).toMatchObject({ failedTries: { malformed: faults }, failedAttempts: {} })
    expect(faults).toBeGreaterThan(20)
  })

  it.each(Object.entries(format.empty))(
    'pauses where every reply is empty (%s), and has scored nothing',
    async (form, empty) => {
      const out = `all-${form.replaceAll(' ', '-')}`
      change = empty
      const paused = await train(out)
      expect(paused.code).toBe(3)
      expect(paused.stderr).toMatch(/paused: .*reply is empty but bills 20 output tokens/i)
      expect(paused.stderr).toMatch(/emptyReplies: answer/)
      expect(ofType(await eventsOf(run(out)), 'attempt.finished')).toEqual([])
      if (form !== 'an empty text') return
      // The same command resumes once the provider answers.
      change = reply => reply
      expect(await train(out)).toMatchObject(untroubled)
      expect(await resultOf(run(out))).toEqual(await resultOf(run('untroubled')))
    },
  )

  it('allows as many calls under a cap as usage that is not told, where usage cannot be true', async () => {
    const capped = async (out: string, changed: (reply: Json) => Json) => {
      change = changed
      const before = server.counters.completions
      expect((await train(out, '--max-tokens', '60000')).stderr).toMatch(/cap of 60,000 tokens is reached/)
      const { spending } = await jsonOf(run(out), 'summary.json')
      return { calls: server.counters.completions - before, spending: spending.total }
    }
    const unknown = await capped('unknown', reply => format.withoutUsage(reply))
    expect(unknown.calls).toBeLessThan(40)
    const usages = {
      negative: [-1000, -1000],
      fractional: [0.5, 0.25],
      absurd: [1e12, 1e300],
      zero: [0, 0],
    } as Record<string, [number, number]>
    for (const [name, [input, output]] of Object.entries(usages)) {
      const { calls, spending } = await capped(name, reply => format.withUsage(reply, input, output))
      expect([name, calls]).toEqual([name, unknown.calls])
      expect(spending).toMatchObject({ input: 0, output: 0 })
    }
  })
})
