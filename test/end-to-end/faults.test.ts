import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { FaultKind, LoopbackServer } from '../../src/testing/index.js'
import {
  eventsOf,
  jsonOf,
  key,
  modelConfig,
  ofType,
  parcelDesk,
  parcelServer,
  resultOf,
  skillopt,
  temporaryFolder,
  writeProject,
} from './support.js'

/**
 * An external failure is not a score: it is retried, counted and waited for, and does not change what is
 * learned.
 */

let cwd: string
let server: LoopbackServer
let port: number
let untroubled: Awaited<ReturnType<typeof resultOf>>
let untroubledRequests: number

/** Action to run once the server has answered this many requests since the last call of `after`. */
let onAnswer: { left: number; act: () => void } | undefined
function after(answers: number, act: () => void): void {
  onAnswer = { left: answers, act }
}

async function startServer(options: { port?: number } = {}): Promise<LoopbackServer> {
  return parcelServer({
    ...options,
    respond: async request => {
      if (onAnswer !== undefined) {
        onAnswer.left -= 1
        if (onAnswer.left === 0) onAnswer.act()
      }
      // Long enough for calls to be in flight when other calls fail.
      await sleep(5)
      return parcelDesk(request)
    },
  })
}

const train = (out: string, env = key) => skillopt(['train', '--out', out, '--yes'], { cwd, env })
const run = (out: string) => join(cwd, out)

beforeAll(async () => {
  cwd = await temporaryFolder()
  server = await startServer()
  port = server.port
  const model = { timeout: 1.5, retries: 3 }
  const models = {
    // Streamed, so that replies are cut in the middle of what looked like a valid one.
    target: modelConfig('target', server.url, { ...model, stream: true }),
    optimizer: modelConfig('optimizer', server.url, model),
  }
  await writeProject(cwd, { config: { models } })
  expect(await train('untroubled')).toMatchObject({ code: 0, stderr: '' })
  untroubled = await resultOf(run('untroubled'))
  untroubledRequests = server.counters.requests
})

describe('one call in ten meets a fault', () => {
  const kinds: readonly FaultKind[] = ['rate-limit', 'server-error', 'cut', 'garbage', 'silence']
  let stdout: string
  let faults: Readonly<Partial<Record<FaultKind, number>>>
  let requests: number

  beforeAll(async () => {
    const before = server.counters.requests
    server.setFaults(number =>
      (number - before) % 10 === 4 ? kinds[Math.floor((number - before) / 10) % 5] : undefined,
    )
    const finished = await train('troubled')
    server.setFaults(undefined)
    expect(finished).toMatchObject({ code: 0, stderr: '' })
    stdout = finished.stdout
    faults = server.counters.faults
    requests = server.counters.requests - before
  })

  it('ends with the same skill, verdicts and test scores', async () => {
    expect(Object.keys(faults)).toHaveLength(kinds.length)
    expect(await resultOf(run('troubled'))).toEqual(untroubled)
  })

  it('scores nothing for a fault', async () => {
    const events = await eventsOf(run('troubled'))
    const without = await eventsOf(run('untroubled'))
    expect(ofType(events, 'attempt.failed')).toEqual([])
    const scores = (of: typeof events) =>
      ofType(of, 'attempt.finished')
        .map(({ body }) => JSON.stringify([body.skill, body.task, body.stage, body.outcome]))
        .sort()
    expect(scores(events)).toEqual(scores(without))
  })

  it('counts them in the log, the summary, the report and show', async () => {
    const failed = ofType(await eventsOf(run('troubled')), 'call.failed')
    const summary = await jsonOf(run('troubled'), 'summary.json')
    const { transport = 0, malformed = 0, ...others } = summary.trouble.failedTries
    expect(others).toEqual({
      'rate-limit': faults['rate-limit'],
      server: faults['server-error'],
      timeout: faults.silence,
    })
    // A garbled stream is hard to distinguish from a truncated one.
    expect(transport + malformed).toBe((faults.cut ?? 0) + (faults.garbage ?? 0))
    expect(summary.trouble.failedAttempts).toEqual({})
    const total = Object.values(faults).reduce((sum, count) => sum + count, 0)
    expect(total).toBe(Math.floor((requests + 5) / 10))
    expect(failed).toHaveLength(total)
    expect(requests).toBe(untroubledRequests + total)
    expect(summary.spending.total.calls + total).toBe(requests)
    const { stdout: shown } = await skillopt(['show', 'troubled'], { cwd })
    for (const text of [stdout, shown]) {
      expect(text).toMatch(new RegExp(`failed calls, retried: ${total} \\(.*timeout ${faults.silence}`))
      expect(text).toMatch(/failed attempts, not scored: none/)
    }
  })
})

/** The run pauses with its own exit code and a message that says what to do. */
async function expectPause(env: typeof key, sentence: RegExp, advice: RegExp): Promise<void> {
  const paused = await train('paused', env)
  expect(paused.stderr).toMatch(sentence)
  expect(paused.stderr).toMatch(advice)
  expect(paused.stderr).not.toMatch(/^\s+at /m)
  expect(paused.code).toBe(3)
  expect(await jsonOf(run('paused'), 'summary.json')).toMatchObject({ outcome: 'paused' })
}

it('pauses until the problem is fixed, repeatedly, without losing or repaying anything', async () => {
  const before = server.counters.completions
  after(40, () => server.setApiKey('rotated'))
  const refused = [/paused: .*rejected the credentials.*401/i, /Check the key in E2E_KEY/] as const
  await expectPause(key, ...refused)
  await expectPause(key, ...refused)

  const rotated = { E2E_KEY: 'rotated' }
  after(20, () => server.setFaults(() => 'quota'))
  await expectPause(rotated, /paused: .*quota .*is used up/i, /Add credit/)
  server.setFaults(undefined)

  after(20, () => void server.close())
  const alone = /paused: no connection to the \w+ model .*ECONNREFUSED/i
  await expectPause(rotated, alone, /Check the endpoint/)
  const paid = server.counters.completions - before
  server = await startServer({ port })

  after(20, () => server.setFaults(() => 'model-not-found'))
  await expectPause(key, /does not know openai-compatible\/\w+ \(404\)/, /Check the model’s name/)
  const { stdout } = await skillopt(['runs', '--dir', '.'], { cwd })
  expect(stdout).toMatch(/paused\s+paused/)
  server.setFaults(undefined)

  expect(await train('paused')).toMatchObject({ code: 0, stderr: '' })
  expect(await resultOf(run('paused'))).toEqual(untroubled)
  expect(paid + server.counters.completions).toBe(untroubledRequests)
})
