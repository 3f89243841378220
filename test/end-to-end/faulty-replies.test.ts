import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ChatUsage } from '../../src/simulated/chat.js'
import type { ChatReply, LoopbackServer } from '../../src/testing/index.js'
import {
  eventsOf,
  jsonOf,
  key,
  ofType,
  parcelDesk,
  parcelServer,
  resultOf,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

/** Invalid replies with status 200 never produce a score and never bypass a cap. */

let cwd: string
let server: LoopbackServer
let change: (number: number, reply: ChatReply) => ChatReply = (_, reply) => reply
let answered = 0

const train = (out: string, ...more: string[]) =>
  skillopt(['train', '--out', out, '--yes', ...more], { cwd, env: key })
const run = (out: string) => join(cwd, out)
const tokens = (prompt: number, completion: number): ChatUsage => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: 0 },
})

beforeAll(async () => {
  cwd = await temporaryFolder()
  server = await parcelServer({
    respond: request => {
      answered += 1
      return change(answered, parcelDesk(request))
    },
  })
  await writeProject(cwd, { endpoint: server.url, model: { retries: 3, concurrency: 8 } })
  expect(await train('untroubled')).toMatchObject({ code: 0, stderr: '' })
})

const empty: ChatReply = { content: '', usage: tokens(50, 20) }

it('ends with the same skill, verdicts and scores where one reply in four is empty', async () => {
  let faults = 0
  change = (number, reply) => {
    if (number % 4 !== 1) return reply
    faults += 1
    return empty
  }
  expect(await train('empty')).toMatchObject({ code: 0, stderr: '' })
  expect(await resultOf(run('empty'))).toEqual(await resultOf(run('untroubled')))
  const { trouble } = await jsonOf(run('empty'), 'summary.json')
  expect(trouble).toMatchObject({ failedTries: { malformed: faults }, failedAttempts: {} })
  expect(faults).toBeGreaterThan(20)
})

it('pauses where every reply is empty, and has scored nothing', async () => {
  change = () => empty
  const paused = await train('all-empty')
  expect(paused.code).toBe(3)
  expect(paused.stderr).toMatch(/paused: .*reply is empty but bills 20 output tokens/i)
  expect(paused.stderr).toMatch(/emptyReplies: answer/)
  expect(ofType(await eventsOf(run('all-empty')), 'attempt.finished')).toEqual([])
  // The same command resumes once the provider answers.
  change = (_, reply) => reply
  expect(await train('all-empty')).toMatchObject({ code: 0, stderr: '' })
  expect(await resultOf(run('all-empty'))).toEqual(await resultOf(run('untroubled')))
})

describe('usage that cannot be true', () => {
  const cap = '60000'
  const capped = async (out: string, usage: ChatUsage | null) => {
    change = (_, reply) => ({ ...reply, usage })
    const before = server.counters.completions
    expect((await train(out, '--max-tokens', cap)).stderr).toMatch(/cap of 60,000 tokens is reached/)
    const { spending } = await jsonOf(run(out), 'summary.json')
    return { calls: server.counters.completions - before, spending: spending.total }
  }

  it('allows as many calls under a cap as usage that is not told', async () => {
    const unknown = await capped('unknown', null)
    expect(unknown.calls).toBeLessThan(40)
    for (const [name, usage] of [
      ['negative', tokens(-1000, -1000)],
      ['fractional', tokens(0.5, 0.25)],
      ['absurd', tokens(1e12, 1e300)],
      ['zero', tokens(0, 0)],
    ] as const) {
      const { calls, spending } = await capped(name, usage)
      expect([name, calls]).toEqual([name, unknown.calls])
      expect(spending).toMatchObject({ input: 0, output: 0 })
    }
  })
})
