import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { diceOf } from '../../src/simulated/random.js'
import { countTokens, sendJson } from '../../src/simulated/wire.js'
import type { World } from '../worlds/world.js'
import type { Optimizer } from './optimizer.js'

/**
 * Serves a world as an OpenAI chat API on the loopback interface, with the models `target` and `optimizer`.
 * Every trainer uses only this server, so that calls, tokens and time are counted identically for all.
 */

export interface RoleCount {
  calls: number
  promptTokens: number
  completionTokens: number
}

/** A trainer's best skill and the time it became the best. */
export interface Note {
  /** Target calls of the training up to that point. */
  readonly calls: number
  readonly ms: number
  readonly skill: string
}

export interface ServerStats {
  /** Training only; calls for test tasks are counted in `test`. */
  readonly target: Readonly<RoleCount>
  readonly optimizer: Readonly<RoleCount>
  readonly test: Readonly<RoleCount>
  readonly notes: readonly Note[]
  /** Requests that could not be answered. Any such request invalidates the run. */
  readonly problems: readonly string[]
  readonly ms: number
}

export interface PeerServerOptions {
  readonly world: World
  readonly optimizer: Optimizer
  /** Median latency in milliseconds; 0 means no delay. */
  readonly latency?: { readonly target: number; readonly optimizer: number }
}

export interface PeerServer {
  /** Base URL for OpenAI clients, ending in `/v1`. */
  readonly url: string
  stats(): ServerStats
  close(): Promise<void>
}

type Role = 'target' | 'optimizer'

const usualLatency = { target: 20, optimizer: 100 } as const

export async function startPeerServer(options: PeerServerOptions): Promise<PeerServer> {
  const { world, optimizer, latency = usualLatency } = options
  const started = performance.now()
  const elapsed = () => Math.round(performance.now() - started)
  const counts = { target: newCount(), optimizer: newCount(), test: newCount() }
  const notes: Note[] = []
  const problems: string[] = []
  const repeats = new Map<string, number>()
  const testIds = new Set(world.tasks.test.map(({ id }) => id))
  const stats = (): ServerStats => ({ ...counts, notes, problems, ms: elapsed() })

  const complete = async (body: ChatBody): Promise<object> => {
    const role = roleOf(body.model)
    const messages = body.messages.map(message => ({ role: message.role, text: contentOf(message.content) }))
    const prompt = messages.map(({ text }) => text).join('\n\n')
    const hash = createHash('sha256').update(`${role}\u0000${prompt}`).digest('hex')
    const repeat = repeats.get(hash) ?? 0
    repeats.set(hash, repeat + 1)
    const sample = typeof body.seed === 'number' ? body.seed : repeat
    const of = (...roles: string[]) =>
      messages.flatMap(message => (roles.includes(message.role) ? [message.text] : [])).join('\n\n')
    const content =
      role === 'target'
        ? world.reply(prompt, sample)
        : optimizer(world, { system: of('system', 'developer'), user: of('user'), sample })
    const usage = {
      prompt_tokens: messages.reduce((sum, { text }) => sum + countTokens(text), 0),
      completion_tokens: countTokens(content),
    }
    const isTest = role === 'target' && testIds.has(world.task(prompt)?.id ?? '')
    const count = counts[isTest ? 'test' : role]
    count.calls += 1
    count.promptTokens += usage.prompt_tokens
    count.completionTokens += usage.completion_tokens
    const ms = latencyOf(latency[role], hash, repeat)
    if (ms > 0) await wait(ms)
    return {
      id: `chatcmpl-${hash.slice(0, 16)}-${repeat}`,
      object: 'chat.completion',
      created: 0,
      model: body.model,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
    }
  }

  const routes: Record<string, (body: string) => object | Promise<object>> = {
    'POST /v1/chat/completions': body => complete(readChat(body)),
    'POST /note': body => {
      const { skill } = JSON.parse(body) as { readonly skill?: unknown }
      if (typeof skill !== 'string') throw new Error('A note has no text in "skill".')
      notes.push({ calls: counts.target.calls, ms: elapsed(), skill })
      return { notes: notes.length }
    },
    'GET /stats': stats,
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = `${request.method} ${request.url?.split('?')[0] ?? ''}`
    const route = routes[path]
    if (route === undefined) {
      problems.push(`There is no ${path} here.`)
      sendJson(response, 404, { error: { message: `There is no ${path} here.` } })
      return
    }
    try {
      sendJson(response, 200, await route(await textOf(request)))
    } catch (error) {
      // Recorded, because trainers may retry or carry on without the reply.
      const message = error instanceof Error ? error.message : String(error)
      problems.push(message)
      sendJson(response, 400, { error: { message, type: 'invalid_request_error' } })
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  // Clients may keep idle connections for long; closing one would make its next request fail.
  server.keepAliveTimeout = 0
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    stats,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface ChatBody {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
  readonly seed?: unknown
}

/** The request fields that matter here. */
function readChat(text: string): ChatBody {
  const body = JSON.parse(text) as Partial<ChatBody> & { readonly stream?: unknown }
  if (typeof body.model !== 'string' || !Array.isArray(body.messages)) {
    throw new Error('A chat request needs "model" and "messages".')
  }
  if (body.stream === true) throw new Error('Streaming is not supported; send "stream": false.')
  return { model: body.model, messages: body.messages as ChatBody['messages'], seed: body.seed }
}

function roleOf(model: string): Role {
  const name = model.split('/').at(-1)
  if (name !== 'target' && name !== 'optimizer') {
    throw new Error(`There is no model "${model}" here: target, optimizer.`)
  }
  return name
}

function contentOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map(part => (part as { readonly text?: string }).text ?? '').join('')
}

const newCount = (): RoleCount => ({ calls: 0, promptTokens: 0, completionTokens: 0 })

const spread = 0.35
const slowShare = 0.02
const slowFactor = 3

/** Log-normal around the median, with one in fifty replies three times as slow; deterministic per request. */
function latencyOf(median: number, hash: string, repeat: number): number {
  const dice = diceOf('latency', hash, repeat)
  const normal = Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next())
  return median * Math.exp(spread * normal) * (dice.chance(slowShare) ? slowFactor : 1)
}
