import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HarvestProgress, harvest } from './harvest.js'
import type { HarvestPlan } from './plan.js'
import { readWithWorkers, type WorkerAnswer } from './workers.js'

const recordings = new URL('../../../test/fixtures/transcripts/home', import.meta.url).pathname
const sources = ['claude-code', 'codex', 'copilot', 'gemini', 'pi', 'qwen-code']

/** When run from source, each worker compiles the code first. */

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'harvest-'))
})
afterEach(() => rm(home, { recursive: true }))

const planAt = (folder: string, fields: Partial<HarvestPlan> = {}): HarvestPlan => ({
  sources,
  scope: { kind: 'all' },
  patterns: [],
  user: { home: folder, env: {}, platform: 'linux' },
  ...fields,
})
const { signal } = new AbortController()

async function put(file: string, lines: readonly (object | string)[]): Promise<string> {
  const path = join(home, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(
    path,
    lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}

/** A Claude Code record. */
const asked = (session: string, text: string, second: number, cwd = '/home/ada/shop') => ({
  type: 'user',
  sessionId: session,
  cwd,
  timestamp: new Date(Date.UTC(2026, 9, 1, 8, 0, second)),
  message: { role: 'user', content: text },
})
const claudeFile = (name: string) => `.claude/projects/shop/${name}.jsonl`

describe('the harvest', () => {
  it('reads all sources, with the same result for one worker and several', async () => {
    const one = await harvest(planAt(recordings), { signal, workers: 1 })
    expect(await harvest(planAt(recordings), { signal, workers: 3 })).toEqual(one)
    expect(new Set(one.sessions.map(({ source }) => source))).toEqual(new Set(sources))
    expect(one.sessions.map(({ startedAt }) => startedAt)).toEqual(
      one.sessions.map(({ startedAt }) => startedAt).sort(),
    )
    expect(one.requests).toHaveLength(one.sessions.reduce((sum, { requests }) => sum + requests, 0))
    expect(one.skipped.filter(({ reason }) => reason === 'sub-agent').length).toBeGreaterThan(1)
    expect(one.bytes).toBeGreaterThan(150_000)
  })

  it('is empty without any agent', async () => {
    expect(await harvest(planAt(home), { signal })).toEqual({
      sessions: [],
      requests: [],
      skipped: [],
      redacted: [],
      bytes: 0,
    })
  })

  it('reports progress for each source', async () => {
    const told: HarvestProgress[] = []
    await harvest(planAt(recordings, { sources: ['pi', 'copilot'] }), {
      signal,
      workers: 2,
      onProgress: progress => void told.push(progress),
    })
    const ofPi = told.filter(({ source }) => source === 'pi')
    expect(ofPi.map(({ files, filesDone }) => [files, filesDone])).toEqual([
      [2, 1],
      [2, 2],
    ])
    expect(ofPi.at(-1)?.bytes).toBe(6078 + 1841)
    expect(told.at(-1)?.filesDone).toBe(told.at(-1)?.files)
  })

  it('reads configured paths of a source, and only after a given time', async () => {
    const place = join(home, 'elsewhere')
    await cp(join(recordings, '.pi/agent/sessions'), place, { recursive: true })
    const plan = planAt(home, { places: { pi: [place] } })
    const { sessions } = await harvest(plan, { signal })
    expect(sessions.map(({ source }) => source)).toEqual(['pi', 'pi'])
    const after = sessions[0]?.endedAt ?? 0
    const later = await harvest({ ...plan, after }, { signal })
    expect(later.sessions.map(({ id }) => id)).toEqual([sessions[1]?.id])
    expect(later.skipped.map(({ reason }) => reason)).toContain('too-old')
  })

  it('reads only sessions of the wanted folder', async () => {
    await put(claudeFile('a'), [asked('a', 'write the release notes of May', 1, '/home/ada/shop/src')])
    await put(claudeFile('b'), [asked('b', 'write the release notes of June', 2, '/home/ada/shopping')])
    await put(claudeFile('c'), [asked('c', 'write the release notes of July', 3, '')])
    const scope = { kind: 'folders', folders: ['/home/ada/shop'] } as const
    const { sessions, skipped } = await harvest(planAt(home, { scope }), { signal })
    expect(sessions.map(({ session, project }) => [session, project])).toEqual([
      ['claude-code:a', '/home/ada/shop/src'],
    ])
    expect(skipped.map(({ reason }) => reason)).toEqual(['other-project', 'other-project'])
  })

  it('counts a request once if a continued session copied it', async () => {
    const first = asked('a', 'write the release notes of May', 1)
    await put(claudeFile('b'), [first, asked('b', 'now translate them into German', 5)])
    await put(claudeFile('a'), [first])
    const { sessions, requests } = await harvest(planAt(home), { signal, workers: 2 })
    expect(requests.map(({ text }) => text)).toEqual([
      'write the release notes of May',
      'now translate them into German',
    ])
    expect(sessions.map(({ file, requests: count }) => [file.slice(-7), count])).toEqual([
      ['a.jsonl', 1],
      ['b.jsonl', 1],
    ])
  })
})

describe('redaction', () => {
  it('is reported by kind, file and line', async () => {
    const key = `sk-ant-api03-${'Ab3x'.repeat(20)}`
    const file = await put(claudeFile('a'), [
      asked('a', 'write the release notes of May', 1),
      'x'.repeat(17_000_000),
      '',
      asked('a', `use the key ${key} for it, and ${key} for ACME-17`, 2),
    ])
    const patterns = [{ name: 'customer', pattern: 'ACME-\\d+' }]
    const { redacted, requests } = await harvest(planAt(home, { patterns }), { signal })
    expect(redacted).toEqual([
      { source: 'claude-code', file, record: 4, kind: 'anthropic key', count: 2 },
      { source: 'claude-code', file, record: 4, kind: 'customer', count: 1 },
    ])
    expect(requests[1]?.text).toBe(
      'use the key [redacted: anthropic key] for it, and [redacted: anthropic key] for [redacted: customer]',
    )
  })
})

describe('failures', () => {
  it('rejects an invalid plan before anything is read', async () => {
    await expect(harvest(planAt(home, { sources: ['claud-code'] }), { signal })).rejects.toThrow('claud-code')
    const scope = { kind: 'folders', folders: [''] } as const
    await expect(harvest(planAt(home, { scope }), { signal })).rejects.toThrow('is no full path')
    const patterns = [{ name: 'all', pattern: '(' }]
    await expect(harvest(planAt(home, { patterns }), { signal })).rejects.toThrow('no regular expression')
  })

  it('skips only the file that exhausts memory or whose source fails', async () => {
    const large = await put(claudeFile('large'), [`{"type":"user","x":[${'{},'.repeat(4_000_000)}{}]}`])
    const small = await put(claudeFile('small'), [asked('a', 'write the release notes of May', 1)])
    const files = [
      { source: 'claude-code', path: large, bytes: 3 },
      { source: 'nobody', path: '/nowhere', bytes: 2 },
      { source: 'claude-code', path: small, bytes: 1 },
    ]
    const answers: WorkerAnswer[] = []
    const workers = { count: 1, megabytes: 128 }
    await readWithWorkers(planAt(home), files, workers, signal, (_file, answer) => void answers.push(answer))
    expect(answers).toEqual([
      { problem: expect.stringMatching(/^reading it broke off \(SIG[A-Z]+\); it may take more memory/) },
      { problem: expect.stringContaining('nobody') },
      { gathered: expect.objectContaining({ sessions: [expect.objectContaining({ id: 'a' })] }) },
    ])
  })

  it.skipIf(process.platform !== 'linux')('is told of a file that is lost with its worker', async () => {
    await put(claudeFile('larger'), [asked('a', 'write the release notes of May', 1), '{}'])
    const smaller = await put(claudeFile('smaller'), [asked('b', 'write the release notes of June', 1)])
    const onProgress = () => {
      const ids = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').match(/\d+/g) ?? []
      for (const id of ids) process.kill(Number(id), 'SIGKILL')
    }
    const { sessions, skipped } = await harvest(planAt(home), { signal, workers: 1, onProgress })
    expect(sessions.map(({ id }) => id)).toEqual(['a'])
    expect(skipped.filter(({ reason }) => reason === 'unreadable')).toEqual([
      {
        source: 'claude-code',
        file: smaller,
        reason: 'unreadable',
        count: 1,
        detail: 'reading it broke off (SIGKILL); it may take more memory than there is for it',
      },
    ])
  })

  it('stops at once when aborted and leaves no worker', async () => {
    const workers = () => process.getActiveResourcesInfo().filter(name => name === 'ProcessWrap').length
    const before = workers()
    const stop = new AbortController()
    const reason = new Error('enough')
    let told = 0
    const onProgress = () => {
      told += 1
      stop.abort(reason)
    }
    const reading = harvest(planAt(recordings), { signal: stop.signal, workers: 2, onProgress })
    await expect(reading).rejects.toBe(reason)
    expect(told).toBe(1)
    await expect.poll(workers).toBe(before)
    await expect(harvest(planAt(recordings), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('stops while a worker is at work or being started', async () => {
    for (const milliseconds of [0, 5, 100, 400]) {
      const stop = AbortSignal.timeout(milliseconds)
      const large = Array.from({ length: 400 }, (_, index) =>
        asked('a', `${'key token '.repeat(9_000)}${index}`, 1),
      )
      await put(claudeFile('a'), large)
      await expect(harvest(planAt(home), { signal: stop, workers: 2 })).rejects.toThrow()
    }
  })
})
