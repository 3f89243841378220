import { appendFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDashboardWorld, openPage, writeRun } from '../../../../test/support/dashboard.js'
import {
  bestHash,
  finish,
  LogBuilder,
  sampleLog,
  seedHash,
  worseHash,
} from '../../../../test/support/sample-run.js'
import type { EventBody } from '../../../core/log/event.js'
import { skillHash } from '../../../core/skill/skill.js'
import { eventsFile } from '../../../store/disk.js'
import type {
  AttemptDetail,
  AttemptFacets,
  AttemptPage,
  MoreMessages,
  MoreText,
} from '../../contract/attempts.js'
import type { RunSummary } from '../../contract/runs.js'

const slowHash = 'd'.repeat(16)

/**
 * The sample log plus a rejected slow update, attempts without a skill, and a long one that failed for
 * external reasons.
 */
function variedLog(): LogBuilder {
  const log = sampleLog()
  log.attempt('gate', 2, 2, 'v1', 1, slowHash).attempt('gate', 2, 2, 'v2', 0, slowHash)
  log.add('gate.decided', {
    epoch: 2,
    step: 2,
    what: 'slow-update',
    candidate: slowHash,
    current: 0.75,
    score: 0.5,
    best: 0.75,
    action: 'reject',
    verdict: { decision: 'reject', complete: true, reason: 'lower' },
  })
  log.attempt('test', 0, 0, 'x1', 1, skillHash('')).attempt('test', 0, 0, 'x1', 0, 'f'.repeat(16))
  const messages = Array.from({ length: 130 }, (_, index) => ({
    role: 'assistant' as const,
    text: index === 0 ? `Zwölf ${'y'.repeat(25_000)}` : `turn ${index}`,
  }))
  log.add('attempt.finished', {
    stage: 'test',
    epoch: 0,
    step: 0,
    skill: bestHash,
    task: 'x1',
    type: 'long',
    sample: 0,
    messages,
    outcome: { status: 'failed', failure: { kind: 'judge', message: 'The judge is gone.' } },
  })
  return finish(log)
}

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let page: Awaited<ReturnType<typeof openPage>>
const log = variedLog()
const unexpected: unknown[] = []
let run = ''
beforeAll(async () => {
  world = await makeDashboardWorld()
  await writeRun(world.place('desk', 'runs', 'varied'), log)
  page = await openPage(await world.start({ onUnexpected: error => void unexpected.push(error) }))
  run = await idOf('varied')
})
afterAll(async () => {
  await world.end()
  expect(unexpected).toEqual([])
})

async function idOf(name: string): Promise<string> {
  const runs = JSON.parse((await page.get('/api/runs')).body) as readonly RunSummary[]
  return runs.find(({ directory }) => directory.endsWith(name))?.id ?? 'none'
}

async function ask<T>(path: string, of = run): Promise<T> {
  const { status, body } = await page.get(`/api/runs/${of}/attempts${path}`)
  if (status !== 200) throw new Error(`${status} ${body}`)
  return JSON.parse(body) as T
}
const list = (query: string) => ask<AttemptPage>(`?${query}`)
const counts = (query: string) => ask<AttemptFacets>(`/facets?${query}`)
const attempts = log.events.filter(({ type }) => type === 'attempt.finished')
const longSeq = attempts.at(-1)?.seq ?? 0

describe('the list', () => {
  it('has the latest first, each with its skill by name', async () => {
    const { known, total, lines } = await list('limit=3')
    expect({ known, total, count: lines.length }).toEqual({
      known: attempts.length,
      total: attempts.length,
      count: 3,
    })
    const at = log.events[longSeq]?.at
    expect(lines[0]).toEqual({
      seq: longSeq,
      at,
      stage: 'test',
      epoch: 0,
      step: 0,
      task: 'x1',
      type: 'long',
      sample: 0,
      split: 'test',
      outcome: 'failed',
      failure: 'judge',
      isCached: false,
      skill: { id: 'v1', name: 'v1', hash: bestHash, hasText: true },
    })
    expect(lines.slice(1).map(({ skill }) => skill)).toEqual([
      { id: 'f'.repeat(16), name: 'ffffffff', hash: 'f'.repeat(16), hasText: false },
      { id: skillHash(''), name: 'no skill', hash: skillHash(''), hasText: false },
    ])
  })

  it('pages without gaps or duplicates', async () => {
    const seqs: number[] = []
    for (let offset = 0; offset < attempts.length; offset += 7) {
      const part = await list(`sort=time&offset=${offset}&limit=7&until=${attempts.length}`)
      expect(part.offset).toBe(offset)
      seqs.push(...part.lines.map(({ seq }) => seq))
    }
    expect(seqs).toEqual(attempts.map(({ seq }) => seq))
    expect((await list(`offset=${attempts.length}`)).lines).toEqual([])
  })

  it('filters by a skill’s number, name or hash', async () => {
    const found = await Promise.all(['v1', 'best', bestHash].map(async name => list(`skill=${name}`)))
    const tried = attempts.filter(({ body }) => (body as { skill?: string }).skill === bestHash)
    expect(found.map(({ total }) => total)).toEqual([tried.length, tried.length, tried.length])
    expect((await list('skill=c2')).lines.every(({ skill }) => skill.hash === worseHash)).toBe(true)
  })

  it('filters by skills without a text', async () => {
    const { lines } = await list(`skill=${slowHash}&sort=time`)
    expect(lines.map(({ task, skill }) => [task, skill.name, skill.hasText])).toEqual([
      ['v1', 'slow update 2', false],
      ['v2', 'slow update 2', false],
    ])
    expect((await list(`skill=${skillHash('')}`)).total).toBe(1)
    expect((await list(`skill=${'0'.repeat(16)}`)).total).toBe(0)
  })

  it('searches the messages, ignoring case', async () => {
    expect((await list(`q=${encodeURIComponent('zWÖLF')}`)).lines.map(({ seq }) => seq)).toEqual([longSeq])
    expect((await list('q=question%20t3')).total).toBe(2)
    expect((await list('q=question%20judge')).total).toBe(0)
  })

  it.each([
    ['skill=v9', 404, 'no skill of this name'],
    ['from=v0&to=v9', 404, 'no skill of this name'],
    ['from=v0', 400, 'go together'],
    ['sort=cost', 400, '`sort`'],
    ['limit=501', 400, 'must be 1 to 500'],
  ])('refuses %s', async (query, status, message) => {
    for (const path of [`?${query}`, ...(query.startsWith('from') ? [`/facets?${query}`] : [])]) {
      const answer = await page.get(`/api/runs/${run}/attempts${path}`)
      expect(answer.status).toBe(status)
      expect(JSON.parse(answer.body)).toEqual({
        error: expect.stringContaining(message),
        hint: expect.any(String),
      })
    }
  })
})

describe('the counts', () => {
  it('name the skills, and each value can be chosen', async () => {
    const { facets, total } = await counts('stage=gate')
    expect(facets.skill).toEqual([
      { value: 'v1', name: 'v1', count: 4 },
      { value: 'c2', name: 'step 2', count: 4 },
      { value: slowHash, name: 'slow update 2', count: 2 },
    ])
    expect(total).toBe(10)
    for (const [facet, values] of Object.entries(facets))
      for (const { value, count } of values) {
        const chosen = { stage: 'gate', [facet]: value }
        const { total: found } = await list(String(new URLSearchParams(chosen)))
        expect({ facet, value, found }).toEqual({ facet, value, found: count })
      }
  })

  it('list steps in ascending order', async () => {
    expect((await counts('')).facets.step.map(({ value }) => value)).toEqual(['0', '1', '2'])
  })

  it('of two skills say how many tasks changed', async () => {
    // With the seed only v1 is right; with the first candidate all are.
    expect((await counts('from=v0&to=v1')).changes).toEqual({ better: 3, worse: 0, same: 5 })
    expect((await counts('from=v1&to=v0')).changes).toEqual({ better: 0, worse: 3, same: 5 })
    const { lines } = await list('from=v0&to=v1&change=better&sort=task')
    expect(lines.map(({ task, skill }) => `${task} ${skill.name}`)).toEqual([
      'v2 v0',
      'v2 v1',
      'v3 v0',
      'v3 v1',
      'v4 v0',
      'v4 v1',
    ])
    expect(await counts('')).not.toHaveProperty('changes')
  })
})

describe('one attempt', () => {
  it('has its messages, and the other attempts at the same task', async () => {
    const [first] = (await list('task=v1&sort=time')).lines
    const detail = await ask<AttemptDetail>(`/${first?.seq}`)
    expect(detail).toMatchObject({
      line: first,
      messageCount: 2,
      feedback: { text: 'right', length: 5 },
      votes: [],
      messages: [
        { role: 'user', text: { text: 'Question of v1' } },
        { role: 'assistant', text: { text: 'Answer of v1' } },
      ],
    })
    expect(detail.ofTask).toEqual((await list('task=v1&sort=time')).lines)
    expect(detail.ofTaskCount).toBe(4)
  })

  it('gives the rest of its messages and of a long text on request', async () => {
    const detail = await ask<AttemptDetail>(`/${longSeq}`)
    expect(detail).toMatchObject({ messageCount: 130, problem: { text: 'The judge is gone.' } })
    expect(detail.messages).toHaveLength(100)
    const { from, messages } = await ask<MoreMessages>(`/${longSeq}/messages?from=100`)
    expect({ from, texts: messages.map(({ text }) => text.text) }).toEqual({
      from: 100,
      texts: Array.from({ length: 30 }, (_, index) => `turn ${index + 100}`),
    })
    const cut = detail.messages[0]?.text.text ?? ''
    const more = await ask<MoreText>(`/${longSeq}/text?of=message.0&from=${cut.length}`)
    expect(cut + more.text).toBe(`Zwölf ${'y'.repeat(25_000)}`)
  })

  it('is listed even in the middle of very many at its task', async () => {
    const many = new LogBuilder().start()
    for (let index = 0; index < 450; index += 1) many.attempt('rollout', 1, 1, 't1', 0)
    await writeRun(world.place('desk', 'runs', 'many'), many)
    const id = await idOf('many')
    for (const seq of [2, 250, 451]) {
      const { ofTask, ofTaskCount } = await ask<AttemptDetail>(`/${seq}`, id)
      expect(ofTaskCount).toBe(450)
      expect(ofTask.length).toBeLessThanOrEqual(200)
      expect(ofTask.map(line => line.seq)).toContain(seq)
    }
  })

  it.each([
    ['0', 404],
    ['999999', 404],
    ['-1', 400],
    ['1.5', 400],
    ['x', 400],
  ])('is not at %s', async (seq, status) => {
    for (const path of ['', '/messages?from=0', '/text?of=feedback&from=0'])
      expect((await page.get(`/api/runs/${run}/attempts/${seq}${path}`)).status).toBe(status)
  })

  it('has no text where there is none', async () => {
    const answer = await page.get(`/api/runs/${run}/attempts/${longSeq}/text?of=feedback&from=0`)
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body).error).toBe('The attempt has no such text.')
  })

  it('that failed at once for external reasons has no messages', async () => {
    const short = new LogBuilder().start()
    short.add('attempt.failed', {
      stage: 'rollout',
      epoch: 1,
      step: 1,
      skill: seedHash,
      task: 't1',
      sample: 0,
      kind: 'timeout',
      message: 'too late',
    })
    await writeRun(world.place('desk', 'runs', 'short'), short)
    const id = await idOf('short')
    expect(await ask<MoreMessages>('/2/messages?from=0', id)).toEqual({ from: 0, messages: [] })
    expect(await ask<AttemptDetail>('/2', id)).toMatchObject({
      line: { outcome: 'failed', failure: 'timeout' },
      problem: { text: 'too late' },
    })
  })
})

describe('the split of an attempt', () => {
  const file = () => world.place('desk', 'runs', 'measured', eventsFile)
  const measured = new LogBuilder().start({ kind: 'eval' })
  const rows = ['a', 'b'].map(task => JSON.stringify({ task, type: '', sample: 0, hard: 1, soft: 1 }))
  const finished: EventBody<'evaluation.finished'> = {
    stage: 'test',
    epoch: 0,
    step: 0,
    skill: seedHash,
    split: 'val',
    rows: measured.put(rows.join('\n')),
    hard: 1,
    soft: 1,
    scored: 2,
    failed: 0,
    score: 1,
  }
  measured.attempt('test', 0, 0, 'a', 1).attempt('test', 0, 0, 'b', 1)

  it('of an evaluation is known once the split is done, even if requested before', async () => {
    await writeRun(world.place('desk', 'runs', 'measured'), measured)
    const id = await idOf('measured')
    expect((await ask<AttemptFacets>('/facets', id)).facets.split).toEqual([])
    const line = new LogBuilder()
    line.events.push(...measured.events)
    line.add('evaluation.finished', finished)
    await appendFile(file(), `${JSON.stringify(line.events.at(-1))}\n`)
    expect((await ask<AttemptFacets>('/facets', id)).facets.split).toEqual([{ value: 'val', count: 2 }])
    expect((await ask<AttemptPage>('?split=val', id)).total).toBe(2)
  })
})

it('is not cached across a replaced log', async () => {
  await writeRun(world.place('desk', 'runs', 'replaced'), sampleLog())
  const id = await idOf('replaced')
  const before = await ask<AttemptFacets>('/facets', id)
  const other = sampleLog()
  const events = other.events.map(event =>
    event.type === 'attempt.finished' ? { ...event, body: { ...event.body, type: 'other' } } : event,
  )
  const path = world.place('desk', 'runs', 'replaced', eventsFile)
  await writeFile(path, events.map(event => `${JSON.stringify(event)}\n`).join(''))
  const after = await ask<AttemptFacets>('/facets', id)
  expect(before.facets.type.map(({ value }) => value)).toEqual(['sum'])
  expect(after.facets.type.map(({ value }) => value)).toEqual(['other'])
})
