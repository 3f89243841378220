import { describe, expect, it } from 'vitest'
import type { SessionRequest } from '../model/session-request.js'
import { type SleepTask, sleepTaskSchema, type TaskBook } from '../model/sleep-task.js'
import { type Recurrence, recurrences } from './recurrence.js'
import { matchTasks } from './task-matching.js'
import { type PlannedTask, planTasks } from './task-plan.js'
import { heuristicWords, keepsItsWords, refreshed, taskOf } from './task-words.js'

const start = Date.UTC(2026, 4, 4, 9)
const day = 86_400_000

function request(id: string, session: string, fields: Partial<SessionRequest> = {}): SessionRequest {
  return {
    id,
    session,
    file: `/sessions/${session}.jsonl`,
    project: '/home/ada/shop',
    branch: 'main',
    at: start + Number(session.replace(/\D/g, '')) * day,
    text: `write the changelog for ${id}`,
    before: [],
    answer: 'Written.',
    tools: [{ name: 'bash', calls: 1, failures: 0 }],
    evidence: [],
    skills: [],
    ...fields,
  }
}

function recurring(id: string, requests: readonly SessionRequest[]): Recurrence {
  const [central] = requests
  if (central === undefined) throw new Error('Nothing was asked.')
  const [found] = recurrences([{ id, central, requests }])
  if (found === undefined) throw new Error('Nothing was found.')
  return found
}

const three = (id: string, sessions: readonly number[], fields: Partial<SessionRequest> = {}) =>
  recurring(
    id,
    sessions.map(session => request(`${id}-${session}`, `s${session}`, fields)),
  )

const options = {
  fractions: { val: 0.34, test: 0.2 },
  seed: 42,
  examples: 2,
  newTasks: 40,
  families: async (items: readonly { readonly id: string }[]) => items.map(({ id }) => [id]),
}

type Book = Pick<TaskBook, 'tasks' | 'dropped' | 'passedOver'>
const nothing: Book = { tasks: [], dropped: [], passedOver: [] }

async function plan(book: Book, found: readonly Recurrence[], changed: Partial<typeof options> = {}) {
  return planTasks(book, matchTasks(book, found, readNow(found)), { ...options, ...changed })
}

/** Nothing is remembered besides the requests read now. */
const readNow = (found: readonly Recurrence[]) => ({
  compared: new Set(found.flatMap(({ requests }) => requests.map(({ id }) => id))),
  alike: new Map(),
})

const written = (planned: readonly PlannedTask[]): SleepTask[] =>
  planned.map(one =>
    one.recurrence === undefined || one.known !== undefined
      ? refreshed(one as PlannedTask & { known: SleepTask })
      : taskOf(one, heuristicWords(one.recurrence), 'heuristics'),
  )

describe('planning tasks from recurring requests', () => {
  it('plans tasks with examples from sessions that no other split uses', async () => {
    const planned = await plan(nothing, [
      three('a', [1, 2, 3]),
      three('b', [1, 2, 3, 4]),
      three('c', [3, 4, 5]),
    ])
    expect(planned.map(({ split }) => split)).toEqual(['divided', 'divided', 'divided'])
    const user = new Map<string, string>()
    for (const { examples } of planned) {
      expect(examples.length).toBeGreaterThan(0)
      for (const { session, split = '' } of examples) {
        expect(user.get(session) ?? split).toBe(split)
        user.set(session, split)
      }
    }
  })

  it('gives schema-valid tasks, and the same ones the next night', async () => {
    const found = [three('a', [1, 2, 3]), three('b', [4, 5, 6]), three('c', [7, 8, 9])]
    const tasks = written(await plan(nothing, found))
    for (const task of tasks) expect(sleepTaskSchema.parse(task)).toEqual(task)
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(3)
    const again = written(await plan({ ...nothing, tasks }, found))
    expect(again).toEqual(tasks)
  })

  it('recognises a task after its first requests are gone, keeping wording, split and examples', async () => {
    const [task] = written(await plan(nothing, [three('a', [1, 2, 3])]))
    if (task === undefined) throw new Error('No task.')
    const book = { ...nothing, tasks: [{ ...task, intent: 'Mine now', writtenBy: 'person' }] }
    const later = three('x', [2, 3, 4, 5])
    later.requests.slice(0, 2).forEach((_, index) => {
      Object.assign(later.requests[index] ?? {}, { id: `a-${index + 2}` })
    })
    const [again, ...others] = written(await plan(book, [later]))
    expect(others).toEqual([])
    expect(again).toMatchObject({ id: task.id, intent: 'Mine now', split: task.split, family: task.family })
    expect(again?.examples.slice(0, 3)).toEqual(task.examples)
    expect(again?.evidence).toMatchObject({ requests: 4, occasions: 4, firstAt: task.evidence.firstAt })
    expect(again?.evidence.requestIds).toContain('a-1')
  })

  it('keeps the evidence of a task when a later harvest sees less of it', async () => {
    const evidence = [{ kind: 'correction', text: 'No, shorter', at: start }] as const
    const tasks = written(await plan(nothing, [three('a', [1, 2, 3, 4], { evidence })]))
    const [again] = written(await plan({ ...nothing, tasks }, [three('a', [4, 5, 6])]))
    expect(again?.evidence).toMatchObject({ requests: 4, occasions: 4, days: 4, reworked: 4 })
    expect(again?.evidence.failures).toHaveLength(4)
    expect(again?.evidence.requestIds).toEqual(['a-6', 'a-5', 'a-4', 'a-3', 'a-2', 'a-1'])
  })

  it('does not restore tasks that a person dropped', async () => {
    const [task] = written(await plan(nothing, [three('a', [1, 2, 3])]))
    if (task === undefined) throw new Error('No task.')
    const { id, intent, evidence } = task
    const dropped = [{ id, intent, at: '2026-05-05T00:00:00Z', requestIds: evidence.requestIds, task }]
    const found = [three('a', [1, 2, 3, 4])]
    expect(await plan({ ...nothing, dropped }, found)).toEqual([])
    const pieces = [three('a', [1]), three('a', [2, 3])]
    expect(await plan({ ...nothing, dropped }, pieces)).toEqual([])
  })

  it('does not plan passed-over requests again', async () => {
    const passedOver = [
      { text: 'x', reason: 'y', at: '2026-05-05T00:00:00Z', requestIds: ['a-1', 'a-2', 'a-3'] },
    ]
    expect(await plan({ ...nothing, passedOver }, [three('a', [1, 2, 3, 4])])).toEqual([])
    expect(await plan({ ...nothing, passedOver }, [three('b', [1, 2, 3])])).toHaveLength(1)
  })

  it('keeps tasks that were not requested recently', async () => {
    const tasks = written(await plan(nothing, [three('a', [1, 2, 3])]))
    expect(written(await plan({ ...nothing, tasks }, []))).toEqual(tasks)
  })

  it('keeps a task apart that is related to one kept apart, and holds it back if also to another', async () => {
    const found = Array.from({ length: 6 }, (_, index) =>
      three(`t${index}`, [3 * index, 3 * index + 1, 3 * index + 2]),
    )
    const tasks = written(await plan(nothing, found))
    const near = (...ids: readonly (string | undefined)[]) => ({
      families: async (items: readonly { readonly id: string }[]) => [
        items.map(({ id }) => id).filter(id => ids.includes(id)),
        ...items
          .map(({ id }) => id)
          .filter(id => !ids.includes(id))
          .map(id => [id]),
      ],
    })
    const apart = tasks.find(({ split }) => split === 'test')
    const divided = tasks.find(({ split }) => split === 'divided')
    const more = [three('n', [97, 98, 99])]
    const book = { ...nothing, tasks }
    const one = (await plan(book, more, near(apart?.id, 'n'))).at(-1)
    expect(one).toMatchObject({ split: 'test', family: apart?.family })
    const other = (await plan(book, more, near(divided?.id, 'n'))).at(-1)
    expect(other).toMatchObject({ split: 'divided', family: divided?.family })
    const both = (await plan(book, more, near(apart?.id, divided?.id, 'n'))).at(-1)
    expect(both).toMatchObject({ split: 'held-back', family: 'n', examples: [] })
  })

  it('divides new occasions of a task that an earlier version put into one split', async () => {
    const [task] = written(await plan(nothing, [three('a', [1, 2])]))
    if (task === undefined) throw new Error('No task.')
    const examples = task.examples.map(({ split: _, ...example }) => example)
    const tasks = [{ ...task, split: 'val' as const, examples }]
    const [again] = await plan({ ...nothing, tasks }, [three('a', [1, 2, 3, 4])])
    expect(again?.split).toBe('divided')
    expect(again?.examples.map(({ split }) => split)).toEqual(['val', 'val', 'train', 'train'])
  })

  it('puts requests of one session into one split, whatever was requested', async () => {
    const planned = await plan(nothing, [three('a', [1, 2, 3]), three('b', [1, 2, 3])], { examples: 3 })
    const places = planned.map(({ examples }) =>
      examples.map(({ session, split }) => `${session} ${split}`).sort(),
    )
    expect(places[0]).toHaveLength(3)
    expect(places[1]).toEqual(places[0])
  })

  it('takes the most recurring, up to the limit', async () => {
    const found = [three('a', [1, 2, 3, 4, 5]), three('b', [6, 7, 8])]
    expect((await plan(nothing, found, { newTasks: 1 })).map(({ id }) => id)).toEqual(['a'])
  })

  it('keeps corrections as failure evidence, and the skill that was always used', async () => {
    const evidence = [
      { kind: 'correction', text: 'no, in German', at: start },
      { kind: 'praise', text: 'thanks', at: start },
    ] as const
    const [planned] = await plan(nothing, [three('a', [1, 2, 3], { evidence, skills: ['changelog'] })])
    expect(planned?.skill).toBe('changelog')
    expect(planned?.evidence.failures).toHaveLength(3)
    expect(planned?.evidence.failures[0]).toMatchObject({
      kind: 'correction',
      text: 'no, in German',
      session: 's3',
    })
    const mixed = recurring('m', [
      request('1', 's1', { skills: ['changelog'] }),
      request('2', 's2', { skills: ['commits'] }),
      request('3', 's3'),
    ])
    expect((await plan(nothing, [mixed]))[0]?.skill).toBeUndefined()
  })
})

describe('wording without a model', () => {
  it('is the request, with corrections as the rubric', () => {
    const words = heuristicWords(
      recurring('a', [
        request('1', 's1', { text: 'write the changelog' }),
        request('2', 's2', { evidence: [{ kind: 'correction', text: 'no,\nin German', at: undefined }] }),
        request('3', 's3', { evidence: [{ kind: 'broken-off', text: 'interrupted', at: undefined }] }),
      ]),
    )
    expect(words.intent).toBe('write the changelog')
    expect(words.rubric).toHaveLength(2)
    expect(words.rubric[1]).toContain('“no, in German”')
    expect(words.checks).toEqual([])
  })

  it("is replaced by a model's, unless a person wrote or reviewed it", async () => {
    const [task] = written(await plan(nothing, [three('a', [1, 2, 3])]))
    if (task === undefined) throw new Error('No task.')
    expect(keepsItsWords(task, true)).toBe(false)
    expect(keepsItsWords(task, false)).toBe(true)
    expect(keepsItsWords({ ...task, reviewed: true }, true)).toBe(true)
    expect(keepsItsWords({ ...task, writtenBy: 'person' }, true)).toBe(true)
    expect(keepsItsWords({ ...task, writtenBy: 'openai/gpt-5.4' }, true)).toBe(true)
  })

  it('gives an id that can be typed', async () => {
    const [task] = written(
      await plan(nothing, [three('a', [1, 2, 3], { text: 'Übersetze das Änderungsprotokoll, bitte!' })]),
    )
    expect(task?.id).toMatch(/^ubersetze-das-anderungsprotokoll-bitte-[0-9a-f]{6}$/)
    const [foreign] = written(
      await plan(nothing, [three('b', [1, 2, 3], { text: '変更履歴を書いてください' })]),
    )
    expect(foreign?.id).toMatch(/^task-[0-9a-f]{6}$/)
  })
})
