import { describe, expect, it } from 'vitest'
import type { SessionRequest } from '../model/session-request.js'
import { sleepTaskSchema } from '../model/sleep-task.js'
import { clusterWithMemory } from './memory.js'
import { recurrences } from './recurrence.js'
import { matchTasks } from './task-matching.js'

const notes = (version: string) => [
  `Write the release notes for version ${version} from the commits since the last tag`,
  `Please draft release notes for ${version} out of the commits since the last tag`,
  `Release notes for version ${version}, from all commits since the last tag`,
]

/** One request per day, starting at day `from`. */
function asked(texts: readonly string[], from: number): readonly SessionRequest[] {
  return texts.map((text, index) => ({
    id: `r${from + index}`,
    session: `codex:${from + index}`,
    file: '/s.jsonl',
    project: '/shop',
    text,
    branch: undefined,
    at: (from + index) * 86_400_000,
    before: [],
    answer: undefined,
    tools: [],
    evidence: [],
    skills: [],
  }))
}

const once = asked(['Why does the login page flicker on Safari?', 'Make the Docker image smaller'], 90)

const task = sleepTaskSchema.parse({
  id: 'notes',
  intent: 'Write it.',
  writtenBy: 'person',
  split: 'val',
  family: 'notes',
  examples: asked(notes('1.4'), 1).map(({ id, session, text }) => ({ request: id, session, text })),
  evidence: {
    requests: 40,
    occasions: 40,
    days: 40,
    projects: 1,
    reworked: 0,
    wordings: 3,
    score: 60,
    requestIds: Array.from({ length: 40 }, (_, index) => `r${index + 1}`),
    sessions: [],
    failures: [],
    tools: [],
  },
})
const book = { tasks: [task], dropped: [], passedOver: [] }
const at = '2026-05-05T00:00:00Z'
const dropped = [{ id: task.id, intent: '', at, requestIds: task.evidence.requestIds, task }]
const passedOver = [{ text: notes('1.4')[0] ?? '', reason: 'no', at, requestIds: ['r1', 'r2'] }]

async function matched(known: Parameters<typeof clusterWithMemory>[1], read: readonly SessionRequest[]) {
  const { clusters, memory } = await clusterWithMemory(read, known)
  const found = recurrences(clusters).filter(({ isRecurring }) => isRecurring)
  return { clusters, ...matchTasks(known, found, memory) }
}

describe('clusterWithMemory', () => {
  const later = [...asked(notes('2.0'), 60), ...once]

  it('recognises a task although its old sessions are gone', async () => {
    const { known, fresh } = await matched(book, later)
    expect(known.get('notes')?.requests.map(({ id }) => id)).toEqual(['r60', 'r61', 'r62'])
    expect(fresh).toEqual([])
  })

  it.each([
    ['a person dropped', { ...book, tasks: [], dropped }],
    ['a model made no task of', { ...book, tasks: [], passedOver }],
  ])('does not bring back what %s', async (_, known) => {
    expect((await matched({ ...known, dropped: [], passedOver: [] }, later)).fresh).toHaveLength(1)
    expect((await matched(known, later)).fresh).toEqual([])
  })

  it('does not count remembered requests', async () => {
    const { clusters, known, fresh } = await matched(book, once)
    expect(clusters.map(({ requests }) => requests.map(({ id }) => id))).toEqual([['r90'], ['r91']])
    expect([known.size, fresh.length]).toEqual([0, 0])
    const without = await matched({ ...book, tasks: [] }, later)
    const beside = await matched(book, later)
    expect(beside.clusters.map(({ id, requests }) => ({ id, requests }))).toEqual(
      without.clusters.map(({ id, requests }) => ({ id, requests })),
    )
  })
})
