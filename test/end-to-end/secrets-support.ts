import {
  createServer,
  request as forward,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { LoopbackServer } from '../../src/testing/index.js'
import {
  type Finished,
  filesOf,
  modelConfig,
  parcelServer,
  put,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

export const canaries = {
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

/** Writes a reply that repeats the headers of the request. */
export type Refusal = (headers: string, response: ServerResponse) => void

/** A project whose models are behind a proxy that needs a password. */
export class ProxiedProject {
  cwd = ''
  /** Requests since the test began. */
  requests = 0
  /** Requests with the right key and password, since the file began. */
  passed = 0
  /** The proxy's reply in place of forwarding a request, by the request's number. */
  refuse: (number: number) => Refusal | undefined = () => undefined
  #server: LoopbackServer | undefined
  readonly #proxy: Server = createServer((incoming, response) => this.#relay(incoming, response))

  /** Registers set-up and clean-up with the test file that calls it. */
  constructor() {
    beforeAll(() => this.#setUp())
    afterAll(() => {
      this.#proxy.closeAllConnections()
      this.#proxy.close()
    })
    beforeEach(() => {
      this.requests = 0
      this.refuse = () => undefined
    })
  }

  async #setUp(): Promise<void> {
    // The proxy has already checked the keys.
    this.#server = await parcelServer()
    this.#server.setApiKey(undefined)
    await new Promise<void>(resolve => this.#proxy.listen(0, '127.0.0.1', resolve))
    this.cwd = await temporaryFolder()
    const endpoint = 'http://models.invalid'
    const models = {
      target: modelConfig('target', endpoint, { apiKeyEnv: 'CANARY_TARGET', retries: 2 }),
      optimizer: modelConfig('optimizer', endpoint, {
        apiKeyEnv: 'CANARY_OPTIMIZER_KEY',
        retries: 2,
        stream: true,
      }),
    }
    await writeProject(join(this.cwd, 'project'), { config: { models } })
    await put(this.cwd, 'project/.env', `CANARY_OPTIMIZER_KEY='${canaries.optimizer}'\n`)
    await put(this.cwd, '.env', `SOME_OTHER_SECRET=${canaries.unused}\n`)
  }

  #relay(incoming: IncomingMessage, response: ServerResponse): void {
    const { authorization = '', 'proxy-authorization': credentials = '' } = incoming.headers
    this.requests += 1
    const answer = this.refuse(this.requests)
    if (answer !== undefined) {
      incoming.resume()
      incoming.on('end', () => answer(`${authorization} via ${credentials} of ${canaries.proxy}`, response))
      return
    }
    if (
      credentials === basic &&
      [canaries.target, canaries.optimizer].some(key => authorization === `Bearer ${key}`)
    )
      this.passed += 1
    const { pathname } = new URL(incoming.url ?? '/', 'http://models.invalid')
    const options = { method: incoming.method ?? 'POST', headers: { 'content-type': 'application/json' } }
    incoming.pipe(
      forward(`${this.#server?.url}${pathname}`, options, reply => {
        response.writeHead(reply.statusCode ?? 500, reply.headers)
        reply.pipe(response)
      }),
    )
  }

  run(...args: string[]): Promise<Finished> {
    const { port } = this.#proxy.address() as AddressInfo
    const proxy = `http://someone:${encodeURIComponent(canaries.proxy)}@127.0.0.1:${port}`
    return skillopt([...args, ...trusting(args)], {
      cwd: this.cwd,
      env: { CANARY_TARGET: canaries.target, HTTP_PROXY: proxy, SKILLOPT_DEBUG: '1' },
    })
  }

  async expectNoTrace(directory: string, ...outputs: readonly Finished[]): Promise<void> {
    const files = await filesOf(join(this.cwd, directory))
    expect(Object.keys(files)).toContain('events.jsonl')
    expectSilence(...Object.values(files), ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr]))
  }
}

/** The models are on a host that is not the provider's own, which needs trust. */
const trusting = ([command = '']: readonly string[]) =>
  ['train', 'eval', 'doctor', 'try'].includes(command) ? ['--trust'] : []

/** Reports which secret leaked and its context rather than a whole log. */
export function expectSilence(...texts: readonly string[]): void {
  const around = (text: string, form: string) =>
    text.slice(Math.max(0, text.indexOf(form) - 200)).slice(0, 400)
  const leaks = texts.flatMap(text =>
    forms.filter(form => text.includes(form)).map(form => ({ form, around: around(text, form) })),
  )
  expect(leaks).toEqual([])
}
