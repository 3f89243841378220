import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as library from '../../src/app/index.js'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import { isAll } from '../support/all.js'
import { fakeIo } from '../support/fake-io.js'
import {
  eventsOf,
  type Finished,
  filesOf,
  modelConfig,
  ofType,
  parcelServer,
  put,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

/** Keys and passwords appear only on the wire: in no log, file or output, whatever the server replies. */

const canaries = {
  target: 'canary.target+key/with$signs=1',
  optimizer: 'sk-canary-optimizer-0123456789',
  unused: 'canary-of-nobody-in-particular',
  proxy: 'canary p@ss:word',
}
const basic = `Basic ${Buffer.from(`someone:${canaries.proxy}`).toString('base64')}`
const forms = [
  ...Object.values(canaries),
  encodeURIComponent(canaries.proxy),
  encodeURIComponent(canaries.target),
  basic.slice('Basic '.length),
]

let cwd: string
let server: LoopbackServer
let proxy: Server
/** The proxy's reply in place of forwarding a request, by the request's number. */
let refuse: (number: number) => ((headers: string, response: ServerResponse) => void) | undefined
let requests = 0
let passed = 0

function relay(incoming: IncomingMessage, response: ServerResponse): void {
  const { authorization = '', 'proxy-authorization': credentials = '' } = incoming.headers
  requests += 1
  const answer = refuse(requests)
  if (answer !== undefined) {
    incoming.resume()
    incoming.on('end', () => answer(`${authorization} via ${credentials} of ${canaries.proxy}`, response))
    return
  }
  if (
    credentials === basic &&
    [canaries.target, canaries.optimizer].some(key => authorization === `Bearer ${key}`)
  )
    passed += 1
  const { pathname } = new URL(incoming.url ?? '/', 'http://models.invalid')
  const options = { method: incoming.method ?? 'POST', headers: { 'content-type': 'application/json' } }
  incoming.pipe(
    forward(`${server.url}${pathname}`, options, reply => {
      response.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(response)
    }),
  )
}

beforeAll(async () => {
  // The proxy has already checked the keys.
  server = await parcelServer()
  server.setApiKey(undefined)
  proxy = createServer(relay)
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  cwd = await temporaryFolder()
  const endpoint = 'http://models.invalid'
  const models = {
    target: modelConfig('target', endpoint, { apiKeyEnv: 'CANARY_TARGET', retries: 2 }),
    optimizer: modelConfig('optimizer', endpoint, {
      apiKeyEnv: 'CANARY_OPTIMIZER_KEY',
      retries: 2,
      stream: true,
    }),
  }
  await writeProject(join(cwd, 'project'), { config: { models } })
  await put(cwd, 'project/.env', `CANARY_OPTIMIZER_KEY='${canaries.optimizer}'\n`)
  await put(cwd, '.env', `SOME_OTHER_SECRET=${canaries.unused}\n`)
})
afterAll(() => {
  proxy.closeAllConnections()
  proxy.close()
})
beforeEach(() => {
  requests = 0
  refuse = () => undefined
})

const proxyAddress = () =>
  `http://someone:${encodeURIComponent(canaries.proxy)}@127.0.0.1:${(proxy.address() as AddressInfo).port}`
const run = (...args: string[]) =>
  skillopt([...args, ...trusting(args)], {
    cwd,
    env: { CANARY_TARGET: canaries.target, HTTP_PROXY: proxyAddress(), SKILLOPT_DEBUG: '1' },
  })
/** The models are on a host that is not the provider's own, which needs trust. */
const trusting = ([command = '']: readonly string[]) =>
  ['train', 'eval', 'doctor', 'try'].includes(command) ? ['--trust'] : []

/** Reports which secret leaked and its context rather than a whole log. */
function expectSilence(...texts: readonly string[]): void {
  const around = (text: string, form: string) =>
    text.slice(Math.max(0, text.indexOf(form) - 200)).slice(0, 400)
  const leaks = texts.flatMap(text =>
    forms.filter(form => text.includes(form)).map(form => ({ form, around: around(text, form) })),
  )
  expect(leaks).toEqual([])
}

async function expectNoTrace(directory: string, ...outputs: readonly Finished[]): Promise<void> {
  const files = await filesOf(join(cwd, directory))
  expect(Object.keys(files)).toContain('events.jsonl')
  expectSilence(...Object.values(files), ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]))
}

it('uses keys from the environment and from .env, and the password of a proxy, without a trace', async () => {
  const trained = await run('train', 'project', '--out', 'clean', '--yes')
  expect(trained.code).toBe(0)
  expect(trained.stderr.trim().split('\n')).toEqual([
    'warning: CANARY_TARGET and all texts of the target go to http://models.invalid.',
    'warning: CANARY_OPTIMIZER_KEY and all texts of the optimizer go to http://models.invalid.',
  ])
  expect(passed).toBe(requests)
  expect(requests).toBeGreaterThan(100)
  const looks = [
    await run('show', 'clean', '--sources'),
    await run('show', 'clean', '--json'),
    await run('doctor', 'project', '--online'),
    await run('runs', '--dir', '.', '--json'),
  ]
  expect(looks.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(looks[2]?.stdout).toMatch(/HTTP_PROXY = http:\/\/\*\*\*@127\.0\.0\.1/)
  await expectNoTrace('clean', trained, ...looks)
})

const json = (status: number) => (headers: string, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  const message = `Incorrect API key provided: ${headers}.`
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }))
}
const page = (status: number) => (headers: string, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '0' })
  response.end(`<html><body><h1>Bad gateway</h1><p>You sent: ${headers}</p></body></html>`)
}
const garbage = (headers: string, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"choices": "${headers}`)
}
const stream = (headers: string, response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    `data: ${JSON.stringify({ error: { message: `You sent ${headers}`, type: 'server_error' } })}\n\n`,
  )
}
const redirect = (headers: string, response: ServerResponse) => {
  response.writeHead(302, { location: `http://elsewhere.invalid/?key=${encodeURIComponent(headers)}` })
  response.end()
}

describe('a provider that repeats the key in what it says', () => {
  // All JSON refusals are parsed by the same code.
  type Refusal = readonly [name: string, answer: typeof redirect]
  const likeTheFirst: readonly Refusal[] = [
    ['has no such model', json(404)],
    ['rejects the request', json(400)],
  ]
  const refusals: readonly Refusal[] = [
    ['refuses the login', json(401)],
    ['refuses it with a page', page(403)],
    ['redirects', redirect],
    ...(isAll ? likeTheFirst : []),
  ]
  it.each(refusals)('%s', async (name, answer) => {
    refuse = number => (number > 20 ? answer : undefined)
    const directory = name.replaceAll(' ', '-')
    const stopped = await run('train', 'project', '--out', directory, '--yes')
    expect(stopped.code).toBe(3)
    const failed = ofType(await eventsOf(join(cwd, directory)), 'call.failed')
    expect(failed[0]?.body.message).toContain('[redacted]')
    await expectNoTrace(directory, stopped, await run('show', directory))
  })

  it('fails now and then', async () => {
    const answers = [json(500), page(502), garbage, page(429), stream]
    refuse = number => (number % 12 === 5 ? answers[Math.floor(number / 12) % answers.length] : undefined)
    const trained = await run('train', 'project', '--out', 'flaky', '--yes')
    expect(trained.code).toBe(0)
    const failed = ofType(await eventsOf(join(cwd, 'flaky')), 'call.failed')
    expect(failed.length).toBeGreaterThan(5)
    expect(failed.some(({ body }) => body.message.includes('[redacted]'))).toBe(true)
    await expectNoTrace('flaky', trained)
  })

  it('is asked by doctor and try', async () => {
    refuse = () => json(401)
    const doctor = await run('doctor', 'project', '--online')
    expect(doctor.stdout).toMatch(/rejected the credentials/)
    const attempt = await run('try', 'project', '--task', 'train-001')
    expect(attempt.code).toBe(3)
    const evaluation = await run('eval', 'project', '--split', 'test', '--yes', '--json')
    expect(evaluation.code).toBe(3)
    for (const { stdout, stderr } of [doctor, attempt, evaluation]) expectSilence(stdout, stderr)
    for (const text of Object.values(await filesOf(join(cwd, 'runs')))) expectSilence(text)
  })
})

describe('a secret in the wrong place is refused and not repeated', () => {
  const { unused } = canaries
  const train = ['train', 'project', '--out', 'never', '--yes']
  it.concurrent.each<[string, string[], Record<string, string>]>([
    ['a flag', [...train, '--set', `models.target.apiKey=${unused}`], {}],
    ['an option', [...train, '--cfg-options', `models.target.apiKey=${unused}`], {}],
    ['an option without a name', [...train, '--cfg-options', `=${unused}`], {}],
    ['the name of the key’s variable', [...train, '--set', `models.target.apiKeyEnv=${unused}`], {}],
    ['an endpoint', [...train, '--set', `models.target.endpoint=http://me:${unused}@127.0.0.1/v1`], {}],
    ['an extra field', [...train, '--set', `models.target.extraBody.api_key=${unused}`], {}],
    [
      'an environment variable',
      train,
      { SKILLOPT_MODELS_TARGET_ENDPOINT: `http://me:${unused}@127.0.0.1/v1` },
    ],
    ['the address of a proxy', train, { HTTP_PROXY: `someone:${unused}` }],
    ['a key with a line break', train, { CANARY_TARGET: `${unused}\nmore` }],
  ])('%s', async (_where, args, env) => {
    const before = await filesOf(cwd)
    const variables = { CANARY_TARGET: canaries.target, SKILLOPT_DEBUG: '1', ...env }
    const io = fakeIo<Library>({ cwd, env: variables, library })
    expect(await main(args, io)).toBe(2)
    expect(io.err()).toMatch(/^error: /)
    expectSilence(io.out(), io.err())
    expect(await filesOf(cwd)).toEqual(before)
    expect(requests).toBe(0)
  })

  it('a config of the Python package', async () => {
    await put(
      cwd,
      'theirs.yaml',
      `model: { target_backend: qwen_chat, qwen_chat_api_key: ${unused} }\nenv: { name: searchqa }\n`,
    )
    const refused = await run('train', '--config', 'theirs.yaml', '--out', 'never')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(/qwen_chat_api_key holds a secret/)
    expectSilence(refused.stdout, refused.stderr)
  })
})
