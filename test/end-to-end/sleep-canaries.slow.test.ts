import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { listSources } from '../../src/agents/registry/transcript-sources.js'
import type { Transcript, TranscriptUser } from '../../src/core/transcript/transcript.js'
import type { Redacted } from '../../src/sleep/harvest/plan.js'
import { requestsOf } from '../../src/sleep/mining/requests.js'
import type { LoopbackServer } from '../../src/testing/index.js'
import { leaksIn, type Planted, plantCanaries } from '../support/sleep/planted.js'
import { forms, sourceOf } from '../support/sleep/world.js'
import { harvestArguments, type Machine, makeMachine, run, treeOf, writesTasks } from './sleep-support.js'
import { type Finished, filesOf, parcelServer } from './support.js'

/**
 * A person pasted secrets of every kind into sessions with every agent, and agents read and wrote them. None
 * may leak into any file, model request or output; only their presence is reported.
 */

let machine: Machine
let planted: Planted
let server: LoopbackServer
let before: Record<string, string>
const outputs: Record<string, Finished> = {}
const file = 'tasks.yaml'

async function perform(name: string, args: readonly string[]): Promise<void> {
  outputs[name] = await run(machine, args)
}

beforeAll(async () => {
  planted = plantCanaries()
  machine = await makeMachine({ add: planted.add })
  before = await treeOf(machine.home)
  server = await parcelServer({ respond: writesTasks, keepLog: true })
  await perform('dry run', ['sleep', 'harvest', '--days', '0', '--dry-run', '--audit'])
  await perform('heuristics', ['sleep', 'harvest', '--days', '0', '--json'])
  await perform('audit', harvestArguments(server.url, '--audit', '--output', file))
  await perform('json', harvestArguments(server.url, '--json', '--output', 'tasks.json'))
  const { tasks } = JSON.parse(outputs.json?.stdout ?? '') as { tasks: { id: string }[] }
  const [first, second] = tasks
  await Promise.all([
    perform('list', ['sleep', 'tasks']),
    perform('list json', ['sleep', 'tasks', 'list', '--json']),
    perform('show', ['sleep', 'tasks', 'show', first?.id ?? '']),
    perform('show json', ['sleep', 'tasks', 'show', second?.id ?? '', '--json']),
    perform('export', ['sleep', 'tasks', 'export', 'exported.json', '--json']),
  ])
})

describe('secrets of every kind, in every form of every agent', () => {
  it('were read: every command did what it should, and every agent has requests that recur', async () => {
    const codes = Object.fromEntries(Object.entries(outputs).map(([name, { code }]) => [name, code]))
    expect(codes).toEqual(Object.fromEntries(Object.keys(outputs).map(name => [name, 0])))
    const sources = (await listSources()).map(({ id }) => id)
    expect(new Set(Object.keys(forms).map(sourceOf))).toEqual(new Set(sources))
    expect(sources.length).toBeGreaterThanOrEqual(10)
    const { tasks } = JSON.parse(await readFile(join(machine.project, 'tasks.json'), 'utf8'))
    expect(tasks.length).toBeGreaterThanOrEqual(4)
    const sessions = new Set(
      tasks.flatMap(({ evidence }: { evidence: { sessions: string[] } }) => evidence.sessions),
    )
    expect(new Set([...sessions].map(session => String(session).split(':')[0]))).toEqual(new Set(sources))
    expect(server.counters.requests).toBeGreaterThanOrEqual(4)
  })

  it('are in no file that was written', async () => {
    const kept = await filesOf(machine.kept)
    const names = Object.keys(kept)
    expect(names.some(name => name.endsWith('/tasks.json'))).toBe(true)
    expect(names.some(name => name.endsWith('/events.jsonl'))).toBe(true)
    expect(Object.values(kept).join()).toMatch(/\[redacted: /)
    const written = await filesOf(machine.project)
    expect(Object.keys(written)).toEqual(['exported.json', 'tasks.json', file])
    expect(leaksIn({ ...kept, ...written }, planted.canaries)).toEqual([])
  })

  it('are in no request to a model', () => {
    const requests = server.log.map(record => JSON.stringify(record))
    expect(requests).toHaveLength(server.counters.requests)
    const kinds = new Set(requests.join().match(/\[redacted: [^\]]+\]/g))
    expect(kinds.size).toBeGreaterThanOrEqual(20)
    const named = Object.fromEntries(requests.map((text, index) => [`request ${index}`, text]))
    expect(leaksIn(named, planted.canaries)).toEqual([])
  })

  it('are in no output', () => {
    const texts = Object.entries(outputs).map(([name, { stdout, stderr }]) => [name, `${stdout}\n${stderr}`])
    expect(leaksIn(Object.fromEntries(texts), planted.canaries)).toEqual([])
  })

  it('are reported by kind, file and record', async () => {
    const kinds = new Set(planted.canaries.map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThanOrEqual(40)
    const { redacted } = JSON.parse(outputs.json?.stdout ?? '') as { redacted: Redacted[] }
    for (const source of new Set(Object.keys(forms).map(sourceOf))) {
      const told = redacted.filter(one => one.source === source)
      expect([source, [...kinds].filter(kind => !told.some(one => one.kind === kind))]).toEqual([source, []])
    }
    // In line-based formats, the reported line must contain such a secret.
    const lines = new Map<string, string[]>()
    const misled: Redacted[] = []
    for (const one of redacted) {
      // A file whose name is redacted cannot be opened by the reported name.
      if (!one.file.endsWith('.jsonl') || one.file.includes('[redacted:') || one.record === undefined)
        continue
      const all = lines.get(one.file) ?? (await readFile(one.file, 'utf8')).split('\n')
      lines.set(one.file, all)
      const line = all[one.record - 1] ?? ''
      const ofKind = planted.canaries.filter(({ kind }) => kind === one.kind)
      if (!ofKind.some(({ secret }) => line.includes(JSON.stringify(secret).slice(1, -1)))) misled.push(one)
    }
    expect(lines.size).toBeGreaterThan(20)
    expect(redacted.some(({ file }) => file.includes('[redacted:'))).toBe(true)
    expect(misled).toEqual([])
    const audit = outputs.audit?.stdout ?? ''
    for (const kind of kinds) expect(audit).toMatch(new RegExp(`^${kind} +\\d+ +~/\\S+:\\d+$`, 'm'))
  })

  it('would be everywhere if nothing hid them', async () => {
    const user: TranscriptUser = { home: machine.home, env: {}, platform: process.platform }
    const transcripts: Transcript[] = []
    const query = { user, isWanted: () => true, skip: () => undefined, signal: new AbortController().signal }
    for (const source of await listSources())
      for await (const one of source.read({ ...query, redact: text => text })) transcripts.push(one)
    for (const form of Object.keys(forms)) {
      const read = transcripts.filter(({ source }) => source === sourceOf(form))
      const spoken = planted.spokenIn(form)
      expect([form, spoken.size]).toEqual([form, planted.canaries.length])
      const text = read
        .flatMap(({ entries }) => entries.map(entry => ('text' in entry ? entry.text : '')))
        .join('\n')
      expect([form, [...spoken].filter(({ secret }) => !text.includes(secret))]).toEqual([form, []])
    }
    const requests = JSON.stringify(transcripts.flatMap(requestsOf))
    const kinds = new Set(leaksIn({ requests }, planted.canaries).map(({ kind }) => kind))
    expect(kinds.size).toBeGreaterThanOrEqual(40)
    const names = transcripts.map(({ branch, skills }) => [branch, ...skills].join(' ')).join(' ')
    expect(leaksIn({ names }, planted.canaries).length).toBeGreaterThan(40)
  })

  it('leave the transcripts as they were', async () => {
    expect(await treeOf(machine.home)).toEqual(before)
  })
})
