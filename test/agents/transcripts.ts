import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/core/redaction.js'
import { wasReworked } from '../../src/core/session-request.js'
import type { Transcript } from '../../src/core/transcript.js'
import { harvest } from '../../src/harvest/harvest.js'
import type { Scope } from '../../src/harvest/plan.js'
import { loadSource } from '../../src/sources/registry.js'
import { counted, read } from '../conformance/source-reading.js'
import { skillopt } from '../end-to-end/support.js'
import { answered, asked, beforeCall, type Evening, secrets, spendEvening, sum } from './evening.js'
import { kitOf, programOf } from './programs.js'
import type { Actor } from './stage.js'
import { terminals } from './terminals.js'

/** What the real program writes down of a person's sessions, read by the product. */
export async function testTranscripts(id: string): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  const title = `transcripts of ${kit.agent.title}`
  describe.skipIf(program === undefined)(title, { timeout: 180_000 }, () => {
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
  beforeAll(async () => {
    evening = await spendEvening(actor, clean => void cleanups.push(clean))
  }, 600_000)
  afterAll(async () => {
    for (const clean of cleanups) await clean()
  })

  const harvestOf = (scope: Scope) => {
    const { stage, env } = evening
    const user = { home: stage.home, env, platform: process.platform }
    return harvest({ sources: [id], scope, patterns: [], user }, { signal: never, workers: 1 })
  }
  const atProject = (): Scope => ({ kind: 'folders', folders: [evening.project] })

  it('hold what was asked and answered, the tools, the times and the folder', async () => {
    const { stage, project, elsewhere, from, to } = evening
    const source = await loadSource(id)
    const { transcripts, skipped } = await read({ source }, stage.home, { redact })
    const sessions = transcripts.toSorted((left, right) => Number(left.startedAt) - Number(right.startedAt))
    expect(sessions.map(session => ({ project: session.project, said: said(session) }))).toEqual([
      {
        project,
        said: [...[`> ${asked.fees}`, `< ${answered.fees}`], ...[`> ${asked.euros}`, `< ${answered.euros}`]],
      },
      {
        project,
        said: [
          `> ${asKept.orders}`,
          ...[`< ${beforeCall}`, toolNames(actor).reads],
          ...[`< ${beforeCall}`, toolNames(actor).writes],
          `< ${answered.orders}`,
        ],
      },
      { project: elsewhere, said: [`> ${asked.elsewhere}`, `< ${answered.elsewhere}`] },
    ])
    expect(new Set(sessions.map(session => session.id)).size).toBe(3)
    expectTimesWithin(sessions, from, to)
    expectTools(sessions[1])
    // Some write the same down twice, in two forms.
    expect(skipped.filter(({ reason }) => reason !== 'copy')).toMatchObject([
      { reason: 'own', count: 1, source: id },
    ])
  })

  it('are counted at the command line, where those of other folders are left out', async () => {
    const { stage, project, env } = evening
    const printed = await skillopt(['sleep', 'harvest', '--dry-run', '--json', '--project', project], {
      cwd: stage.home,
      env,
    })
    expect(printed, printed.stderr).toMatchObject({ code: 0 })
    const result = JSON.parse(printed.stdout)
    expect(result).toMatchObject({ outcome: 'dry-run', project, requests: 2 })
    expect(result.sessions).toMatchObject([
      { source: id, project, requests: 1 },
      { source: id, project, requests: 1 },
    ])
    expect(counted(result.skipped, 'other-project')).toBe(1)
    expect(counted(result.skipped, 'own')).toBe(1)
  })

  it('show that a correction was one, of the request before it', async () => {
    const { requests } = await harvestOf(atProject())
    expect(requests.map(({ text, answer }) => ({ text, answer }))).toEqual([
      { text: asked.fees, answer: answered.euros },
      { text: asKept.orders, answer: answered.orders },
    ])
    expect(requests.map(wasReworked)).toEqual([true, false])
    expect(requests[0]?.evidence).toMatchObject([{ kind: 'correction', text: asked.euros }])
    const names = toolNames(actor)
    const calls = requests[1]?.tools.map(({ name, calls, failures }) => `${name} ${calls} ${failures}`)
    expect(calls).toEqual(
      names.reads === names.writes
        ? [`${nameOf(names.reads)} 2 0`]
        : [`${nameOf(names.reads)} 1 0`, `${nameOf(names.writes)} 1 0`],
    )
  })

  it('hold secrets that nobody gets to see', async () => {
    const { stage, project, env } = evening
    const written = await allOf(stage.home)
    for (const secret of Object.values(secrets)) expect(written.includes(secret)).toBe(true)
    const flags = ['--dry-run', '--project', project]
    const runs = [[...flags, '--json'], [...flags, '--audit'], flags].map(each =>
      skillopt(['sleep', 'harvest', ...each], { cwd: stage.home, env }),
    )
    const printed = await Promise.all(runs)
    const shown = JSON.stringify([printed, await harvestOf({ kind: 'all' })])
    for (const secret of Object.values(secrets)) expect(shown).not.toContain(secret)
    for (const { stdout } of printed.slice(0, 2)) expect(stdout).toContain('github token')
    expect(shown).toContain('shippo token')
  })

  it('have nothing of our own attempts among them', async () => {
    const { stage } = evening
    const before = await harvestOf({ kind: 'all' })
    expect(before.sessions).toHaveLength(3)
    const session = { prompt: asked.ofOurs, workspace: stage.workspace }
    for (const inherit of [false, true]) {
      const outcome = await stage.work(session, { inherit })
      expect(outcome).toMatchObject({ stop: 'answered', answer: answered.ofOurs })
    }
    expect(await stage.leftovers()).toEqual([])
    expect(await harvestOf({ kind: 'all' })).toEqual(before)
  })
}

function said({ entries }: Transcript): readonly string[] {
  return entries.map(entry => {
    if (entry.kind === 'tool') return `tool ${entry.name}`
    return `${{ prompt: '>', answer: '<', 'broken-off': 'x' }[entry.kind]} ${entry.text}`
  })
}

function toolNames({ kit }: Actor) {
  const reads = terminals[kit.agent.id]?.reads('').name
  return { reads: `tool ${reads}`, writes: `tool ${kit.writes('', '').name}` }
}

const nameOf = (tool: string) => tool.slice('tool '.length)

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

/** By whatever clock the agent goes: in order, and none before it was started or after it ended. */
function expectTimesWithin(sessions: readonly Transcript[], from: number, to: number): void {
  for (const { startedAt, endedAt, entries } of sessions) {
    const times = [startedAt, ...entries.map(({ at }) => at), endedAt].map(Number)
    expect(times).toEqual(times.toSorted((left, right) => left - right))
    expect(times[0]).toBeGreaterThanOrEqual(from)
    expect(times.at(-1)).toBeLessThanOrEqual(to)
  }
}

/** All that lies below a folder, whatever it is. */
async function allOf(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name)))),
  )
}
