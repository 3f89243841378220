import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSource } from '../../src/agents/registry/transcript-sources.js'
import { createRedactor } from '../../src/core/redaction/redact.js'
import type { Transcript } from '../../src/core/transcript/transcript.js'
import { harvest } from '../../src/sleep/harvest/harvest.js'
import type { Harvest } from '../../src/sleep/harvest/plan.js'
import { wasReworked } from '../../src/sleep/model/session-request.js'
import { counted, read } from '../conformance/source-reading.js'
import { type Finished, skillopt } from '../end-to-end/support.js'
import { timeLimit } from '../support/time-limit.js'
import { answered, asked, beforeCall, type Evening, secrets, spendEvening, sum } from './evening.js'
import { kitOf, programOf } from './programs.js'
import { type Actor, filesIn } from './stage.js'
import { terminals } from './terminals.js'

/** The product reads the transcripts that the real program writes of a person's sessions. */
export async function testTranscripts(id: string): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  const title = `transcripts of ${kit.agent.title}`
  describe.skipIf(program === undefined)(title, { timeout: timeLimit(180_000) }, () => {
    transcriptSuite({ kit, program: program ?? '' })
  })
}

const never = new AbortController().signal
const redactor = createRedactor()
const redact = (text: string) => redactor.redact(text).text
const asKept = { ...asked, orders: asked.orders.replace(secrets.asked, '[redacted: github token]') }

function transcriptSuite(actor: Actor): void {
  const { id } = actor.kit.agent
  const cleanups: (() => Promise<void>)[] = []
  let evening: Evening
  let before: Harvest
  let printed: { readonly json: Finished; readonly audit: Finished }

  const harvestAll = () => {
    const { stage, env } = evening
    const user = { home: stage.home, env, platform: process.platform }
    const plan = { sources: [id], scope: { kind: 'all' }, patterns: [], user } as const
    return harvest(plan, { signal: never, workers: 1 })
  }
  beforeAll(async () => {
    evening = await spendEvening(actor, { onTestFinished: clean => void cleanups.push(clean) })
    before = await harvestAll()
    const { stage, project, env } = evening
    const print = (flag: string) =>
      skillopt(['sleep', 'harvest', '--dry-run', '--project', project, flag], { cwd: stage.home, env })
    const [json, audit] = await Promise.all([print('--json'), print('--audit')])
    printed = { json, audit }
  }, timeLimit(600_000))
  afterAll(async () => {
    for (const clean of cleanups) await clean()
  })

  it('hold what was asked and answered, the tools, the times and the folder', async () => {
    const { stage, project, elsewhere, from, to } = evening
    const source = await loadSource(id)
    const { transcripts, skipped } = await read({ source }, stage.home, { redact })
    const sessions = transcripts.toSorted((left, right) => Number(left.startedAt) - Number(right.startedAt))
    const [reads, writes] = toolsOf(actor)
    expect(sessions.map(session => ({ project: session.project, said: said(session) }))).toEqual([
      {
        project,
        said: [`> ${asked.fees}`, `< ${answered.fees}`, `> ${asked.euros}`, `< ${answered.euros}`],
      },
      {
        project,
        said: [
          `> ${asKept.orders}`,
          `< ${beforeCall}`,
          `tool ${reads}`,
          `< ${beforeCall}`,
          `tool ${writes}`,
          `< ${answered.orders}`,
        ],
      },
      { project: elsewhere, said: [`> ${asked.elsewhere}`, `< ${answered.elsewhere}`] },
    ])
    expect(new Set(sessions.map(session => session.id)).size).toBe(3)
    expectTimesWithin(sessions, from, to)
    expectTools(sessions[1])
    // Some agents record the same session twice, in two formats.
    expect(skipped.filter(({ reason }) => reason !== 'copy')).toMatchObject([
      { reason: 'own', count: 1, source: id },
    ])
  })

  it("are found where the agent's own variable has it write", async () => {
    const { stage, moved, elsewhere } = evening
    const user = { home: stage.home, env: moved, platform: process.platform }
    const { transcripts, skipped } = await read({ source: await loadSource(id) }, stage.home, {
      redact,
      user,
    })
    expect(transcripts.map(session => ({ project: session.project, said: said(session) }))).toEqual([
      { project: elsewhere, said: [`> ${asked.moved}`, `< ${answered.moved}`] },
    ])
    expect(skipped.filter(({ reason }) => reason !== 'copy')).toEqual([])
  })

  it('are counted at the command line, where those of other folders are left out', () => {
    const { project } = evening
    const { code, stdout, stderr } = printed.json
    expect(code, stderr).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toMatchObject({ outcome: 'dry-run', project, requests: 2 })
    expect(result.sessions).toMatchObject([
      { source: id, project, requests: 1 },
      { source: id, project, requests: 1 },
    ])
    expect(counted(result.skipped, 'other-project')).toBe(1)
    expect(counted(result.skipped, 'own')).toBe(1)
    for (const reason of ['record', 'unreadable'] as const) expect(counted(result.skipped, reason)).toBe(0)
  })

  it('show that a correction was one, of the request before it', () => {
    const [fees, orders, ...others] = before.requests
    expect(fees).toMatchObject({ text: asked.fees, answer: answered.euros, tools: [] })
    expect(fees?.evidence).toMatchObject([{ kind: 'correction', text: asked.euros }])
    expect(orders).toMatchObject({ text: asKept.orders, answer: answered.orders, evidence: [] })
    const used = [...new Set(toolsOf(actor))]
    const calls = used.length === 1 ? 2 : 1
    expect(orders?.tools).toEqual(used.map(name => ({ name, calls, failures: 0 })))
    expect(others.map(({ text }) => text)).toEqual([asked.elsewhere])
    expect(before.requests.map(wasReworked)).toEqual([true, false, false])
  })

  it('hold secrets that nobody gets to see', async () => {
    const written = await allOf(evening.stage.home)
    const shown = JSON.stringify([printed, before])
    for (const secret of Object.values(secrets)) {
      expect(written.includes(secret)).toBe(true)
      expect(shown).not.toContain(secret)
    }
    expect(printed.audit.code, printed.audit.stderr).toBe(0)
    for (const { stdout } of Object.values(printed))
      for (const kind of ['github token', 'shippo token']) expect(stdout).toContain(kind)
  })

  it('have nothing of our own attempts among them', async () => {
    const { stage } = evening
    const session = { prompt: asked.ofOurs, workspace: stage.workspace }
    // With the person's whole set-up inherited.
    const outcome = await stage.work(session, { inherit: true })
    expect(outcome).toMatchObject({ stop: 'answered', answer: answered.ofOurs })
    expect(await filesIn(stage.workspace)).toEqual({ 'order.txt': 'two pears' })
    expect(await stage.leftovers()).toEqual([])
    expect(before.sessions).toHaveLength(3)
    expect(await harvestAll()).toEqual(before)
  })
}

function said({ entries }: Transcript): readonly string[] {
  return entries.map(entry => {
    if (entry.kind === 'tool') return `tool ${entry.name}`
    return `${{ prompt: '>', answer: '<', 'broken-off': 'x' }[entry.kind]} ${entry.text}`
  })
}

/** Names of the tools that read the orders and write the sum. */
function toolsOf({ kit }: Actor): readonly [string | undefined, string] {
  return [terminals[kit.agent.id]?.reads('').name, kit.writes('', '').name]
}

function expectTools(session: Transcript | undefined): void {
  const tools = (session?.entries ?? []).flatMap(entry => (entry.kind === 'tool' ? [entry] : []))
  const [reading, writing] = tools
  expect(reading?.input).toContain('orders.txt')
  expect(reading?.output).toContain('plums 22')
  expect(reading?.output).toContain('[redacted: shippo token]')
  expect(writing?.input).toContain('total.txt')
  expect(writing?.input).toContain(sum)
  expect(writing?.output).toBeDefined()
  expect(tools.map(({ failed }) => failed === true)).toEqual([false, false])
}

/** Times are in order and between the agent's start and end, whatever clock it uses. */
function expectTimesWithin(sessions: readonly Transcript[], from: number, to: number): void {
  for (const { startedAt, endedAt, entries } of sessions) {
    const times = [startedAt, ...entries.map(({ at }) => at), endedAt].map(Number)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
    expect(times[0]).toBeGreaterThanOrEqual(from)
    expect(times.at(-1)).toBeLessThanOrEqual(to)
  }
}

/** Contents of everything below a folder. */
async function allOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  )
}
