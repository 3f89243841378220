import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { expectShown, linesBetween } from '../../../../test/support/shown-output.js'
import * as library from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { ChatRequest } from '../../../simulated/chat.js'
import { answerSimulated } from '../../../simulated/responder.js'
import { type LoopbackServer, startLoopbackServer } from '../../../simulated/server.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

let cwd: string
let server: LoopbackServer
/** Number of times each request was made; votes on the same answer differ by this count. */
let times: Map<string, number>
/** Scripted judge replies, keyed by a word in the request. */
let instead: Readonly<Record<string, string>>

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-doctor-judge-'))
  await writeFile(join(cwd, 'SKILL.md'), '# Desk\n')
  const tasks = orders.map(order => ({
    id: `t${order}`,
    question: `Order ${order} arrived broken. Reply.`,
    rubric: [`It offers a "refund".`, `It names order "${order}".`],
  }))
  await writeFile(join(cwd, 'tasks.jsonl'), tasks.map(task => JSON.stringify(task)).join('\n'))
})
beforeEach(async () => {
  instead = {}
  times = new Map()
  server = await startLoopbackServer({ respond, apiKey: 'the-key' })
  await writeConfig({ name: 'rubric' })
})
afterEach(async () => {
  await server.close()
  await rm(join(cwd, 'runs'), { recursive: true, force: true, maxRetries: 5 })
})
afterAll(() => rm(cwd, { recursive: true }))

const orders = [11, 12, 13, 14, 15, 16]

function respond(request: ChatRequest) {
  const text = JSON.stringify(request.messages)
  const [, reply] = Object.entries(instead).find(([word]) => text.includes(word)) ?? []
  if (reply !== undefined) return { content: reply }
  // Seeds also depend on the endpoint, whose port changes on every run; these fixed seeds give every test
  // run the same votes.
  const seed = times.get(text) ?? 0
  times.set(text, seed + 1)
  return answerSimulated({ ...request, seed })
}

async function writeConfig(scorer: object, models: object = {}): Promise<void> {
  const price = { input: 1, output: 1 }
  const judge = {
    model: 'openai-compatible/judge',
    endpoint: `${server.url}/v1`,
    apiKeyEnv: 'JUDGE_KEY',
    price,
    retries: 0,
  }
  const config = {
    name: 'desk',
    environment: { path: 'tasks.jsonl', ratio: '2:2:2', scorer },
    // The judge check calls neither model, so neither needs an API key.
    models: { target: 'openai/gpt-5-mini', optimizer: 'openai/gpt-5', judge, ...models },
  }
  await writeFile(join(cwd, 'skillopt.yaml'), stringify(config))
}

const good = (order: number) => `You get a refund for order ${order}.`
const bad = (order: number) => `Order ${order} stays paid.`

async function labels(rows: readonly (readonly [task: string, answer: string, label: unknown])[]) {
  const lines = rows.map(([task, answer, label]) => JSON.stringify({ task, answer, label }))
  await writeFile(join(cwd, 'labels.jsonl'), lines.join('\n'))
}

async function check(...flags: string[]) {
  const io = fakeIo<Library>({ cwd, env: { JUDGE_KEY: 'the-key' }, library })
  const code = await main(['doctor', '--judge', 'labels.jsonl', '--yes', ...flags], io)
  return { code, out: io.out(), err: io.err() }
}

const fair = orders.flatMap(order => [
  [`t${order}`, good(order), 1] as const,
  [`t${order}`, bad(order), 0] as const,
])

describe('doctor --judge', () => {
  it('has the judge vote on every answer, and says how far it agrees with the labels', async () => {
    await labels([...fair, ['t11', 'Yes. Refund it is.', 1]])
    const { code, out } = await check()
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('openai-compatible/judge against 13 labels; answers pass at 0.70 or more')
    expect(out).toMatch(/accuracy \(pass or not\) +92\.3% +66\.7% to 98\.6%/)
    expect(out).toMatch(/Cohen's kappa +0\.85/)
    expect(out).toMatch(/label passes +6 +1\n *label fails +0 +6/)
    expect(out).toMatch(/t11 {2}label 1\.00, judge 0\.\d\d: .*It lacks "11"\.\n +Yes\. Refund it is\./)
    expect(out).toContain('Only 13 labels: use')
    expect(out).toMatch(/judge +\d\d/)
    const shown = linesBetween(out, /^agreement/, /^disagreements/)
    expectShown('docs/your-own-tasks.md', 'judge-check', shown.join('\n').trimEnd())
    // Three votes per answer, plus an occasional repair call.
    expect(server.counters.completions).toBeGreaterThanOrEqual(39)
  })

  it('asked again, it reads the log; with other labels, it pays for those only in a run of their own', async () => {
    await labels(fair)
    const first = await check('--json')
    const paid = server.counters.completions
    const again = await check('--json')
    expect(server.counters.completions).toBe(paid)
    const read = (text: string) => JSON.parse(text) as { agreement: unknown; answers: unknown[] }
    expect(read(again.out).agreement).toEqual(read(first.out).agreement)
    expect(read(again.out).answers).toHaveLength(12)
    await labels(fair.slice(0, 4))
    await check('--quiet')
    expect(server.counters.completions).toBeGreaterThan(paid)
    expect(await readdir(join(cwd, 'runs'))).toHaveLength(2)
  })

  it('counts judge failures separately, never as a score', async () => {
    await labels(fair)
    instead = { 'order 13': 'I would rather not say.' }
    const { code, out } = await check()
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('against 11 labels')
    expect(out).toMatch(/1 answer not judged and not counted\n {2}t13 {2}The judge's reply stayed unusable/)
    expect(out).toContain('accuracy (pass or not)  100.0%')
  })

  it('pauses when the judge fails everything', async () => {
    await labels(fair)
    instead = { Order: '{"reason": "fine", "score": 11}' }
    const { code, err, out } = await check()
    expect(code).toBe(exitCodes.paused)
    expect(err).toContain('could not score one of 12 answers')
    expect(out).not.toContain('accuracy')
  })

  it('stops before a cap and resumes without paying twice', async () => {
    await labels(fair)
    expect((await check('--max-calls', '10')).code).toBe(exitCodes.capReached)
    expect(server.counters.completions).toBe(10)
    expect((await check()).code).toBe(exitCodes.ok)
    const whole = server.counters.completions
    await rm(join(cwd, 'runs'), { recursive: true })
    times = new Map()
    await check()
    expect(server.counters.completions - whole).toBe(whole)
  })

  it('asks before paying', async () => {
    await labels(fair)
    const io = fakeIo<Library>({ cwd, env: { JUDGE_KEY: 'the-key' }, library })
    expect(await main(['doctor', '--judge', 'labels.jsonl'], io)).toBe(exitCodes.badInput)
    expect(io.err()).toContain('at least 36 judge calls')
    expect(server.counters.requests).toBe(0)
  })

  it('uses the named part when there are several rubrics', async () => {
    await labels(fair)
    const part = (rubric: string) => ({ scorer: { name: 'rubric', rubric, votes: 1 } })
    await writeConfig({ name: 'weighted', parts: { tone: part('It is "polite".'), deed: part('It pays.') } })
    expect((await check()).err).toContain('Choose one with --part: tone, deed.')
    expect((await check('--part', 'tune')).err).toContain('No part "tune"')
    expect(server.counters.requests).toBe(0)
    expect((await check('--part', 'deed')).out).toContain('one vote per answer')
  })

  it.each([
    ['no such task', [['t99', 'x', 1]], 'the project has no task "t99"'],
    ['a label out of range', [['t11', 'x', 2]], 'has an invalid label "2"'],
    ['no label', [['t11', 'x', undefined]], 'has no "label"'],
    ['no answer', [['t11', ' ', 1]], 'no text in "answer"'],
    [
      'an answer twice',
      [
        ['t11', 'x', 1],
        ['t11', 'x', 0],
      ],
      'line 2 repeats the answer of labels.jsonl, line 1',
    ],
    ['nothing', [], 'has no rows'],
  ] as const)('refuses labels with %s before anything is paid', async (_, rows, message) => {
    await labels(rows)
    const { code, err } = await check()
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
    expect(server.counters.requests).toBe(0)
  })

  it('refuses a project without a rubric, without a judge, and labels that are not there', async () => {
    await labels(fair)
    await writeConfig({ name: 'rubric' }, { judge: undefined })
    expect((await check()).err).toMatch(/names no judge model\.\n.*`judge: provider\/model`/)
    await writeConfig({ name: 'rules', checks: [{ op: 'no_refusal' }] })
    expect((await check()).err).toContain('there is no rubric to check')
    await writeConfig({ name: 'rubric' })
    await rm(join(cwd, 'labels.jsonl'))
    expect((await check()).err).toContain('Cannot read the labels')
  })
})
