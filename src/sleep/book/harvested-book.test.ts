import { describe, expect, it } from 'vitest'
import type { MinedTask } from '../mining/mine.js'
import { recurrences } from '../mining/recurrence.js'
import { matchTasks } from '../mining/task-matching.js'
import { planTasks } from '../mining/task-plan.js'
import type { SessionRequest } from '../model/session-request.js'
import { type TaskBook, taskBookSchema, tasksFormat } from '../model/sleep-task.js'
import { bookWith, wordsOf } from './harvested-book.js'

const now = new Date('2026-06-01T12:00:00Z')
const empty: TaskBook = taskBookSchema.parse({ format: tasksFormat, project: '/home/ada/shop', tasks: [] })
const sessions = [{ source: 'codex' }, { source: 'claude-code' }, { source: 'codex' }]

function asked(about: string): readonly SessionRequest[] {
  return [1, 2, 3].map(session => ({
    id: `${about}-${session}`,
    session: `codex:${about}${session}`,
    file: '/sessions/a.jsonl',
    project: '/home/ada/shop',
    branch: undefined,
    at: Date.UTC(2026, 4, session),
    text: `${about} number ${session}`,
    before: [],
    answer: undefined,
    tools: [],
    evidence: [],
    skills: [],
  }))
}

function plan(book: TaskBook, ...things: readonly string[]) {
  const clusters = things.map(about => {
    const requests = asked(about)
    const [central] = requests
    if (central === undefined) throw new Error('Nothing was asked.')
    return { id: `cluster-${about}`, central, requests }
  })
  const compared = new Set(clusters.flatMap(({ requests }) => requests.map(({ id }) => id)))
  return planTasks(book, matchTasks(book, recurrences(clusters), { compared, alike: new Map() }), {
    fractions: { val: 0.34, test: 0.2 },
    seed: 42,
    examples: 2,
    newTasks: 10,
    families: async items => items.map(({ id }) => [id]),
  })
}

const written = (intent: string): MinedTask => ({
  status: 'written',
  cluster: 'x',
  intent,
  rubric: ['It is short.'],
  checks: [],
  dropped: [],
})

/** The model's answers, one per task. */
const answers = (planned: readonly { readonly id: string }[], mined: readonly MinedTask[]) =>
  new Map(
    planned.flatMap(({ id }, index): [string, MinedTask][] => {
      const answer = mined[index]
      return answer === undefined ? [] : [[id, answer]]
    }),
  )

describe('a book after a harvest', () => {
  it('has new tasks with heuristic wording if no model is configured, marked as such', async () => {
    const planned = await plan(empty, 'write the changelog', 'fix the tests')
    const { book, change } = bookWith(empty, planned, wordsOf(planned, new Map(), undefined), sessions, now)
    expect(taskBookSchema.parse(book)).toEqual(book)
    expect(book.tasks.map(({ writtenBy, reviewed }) => [writtenBy, reviewed])).toEqual([
      ['heuristics', false],
      ['heuristics', false],
    ])
    expect(change.added).toEqual(book.tasks.map(({ id }) => id))
    expect(book).toMatchObject({ harvestedAt: now.toISOString(), sessions: { codex: 2, 'claude-code': 1 } })
  })

  it("has the model's wording and never falls back to heuristics", async () => {
    const planned = await plan(empty, 'a thing', 'b thing', 'c thing')
    const mined: MinedTask[] = [
      written('Do a thing.'),
      { status: 'skipped', cluster: 'x', reason: 'It has nothing in common.' },
      { status: 'failed', cluster: 'x', problem: 'no JSON' },
    ]
    const { book, change } = bookWith(
      empty,
      planned,
      wordsOf(planned, answers(planned, mined), 'openai/gpt'),
      sessions,
      now,
    )
    expect(book.tasks).toMatchObject([{ intent: 'Do a thing.', writtenBy: 'openai/gpt' }])
    expect(book.passedOver).toMatchObject([{ reason: 'It has nothing in common.', at: now.toISOString() }])
    expect(change.failed).toEqual([{ text: 'c thing number 1', problem: 'no JSON' }])
    const again = await plan(book, 'a thing', 'b thing', 'c thing')
    // The first task is known. The second was passed over and is not planned again; the third failed and is.
    expect(again.map(({ known, recurrence }) => [known?.intent, recurrence?.central.text])).toEqual([
      ['Do a thing.', 'a thing number 1'],
      [undefined, 'c thing number 1'],
    ])
  })

  it('keeps tasks written before a cap and asks for the rest next time', async () => {
    const planned = await plan(empty, 'a thing', 'b thing')
    const words = wordsOf(planned, answers(planned, [written('Do a thing.')]), 'openai/gpt')
    const { book } = bookWith(empty, planned, words, sessions, now)
    expect(book.tasks).toMatchObject([{ intent: 'Do a thing.' }])
    const again = await plan(book, 'a thing', 'b thing')
    expect(
      again.filter(({ known }) => known === undefined).map(({ recurrence }) => recurrence?.central.text),
    ).toEqual(['b thing number 1'])
  })

  it('keeps the wording of known tasks and rewrites heuristic ones', async () => {
    const planned = await plan(empty, 'a thing')
    const first = bookWith(empty, planned, wordsOf(planned, new Map(), undefined), sessions, now).book
    const again = await plan(first, 'a thing')
    const same = bookWith(first, again, new Map(), sessions, now)
    expect(same.book.tasks).toEqual(first.tasks)
    expect(same.change.updated).toEqual(first.tasks.map(({ id }) => id))
    const rewritten = bookWith(
      first,
      again,
      wordsOf(again, answers(again, [written('Better.')]), 'm/n'),
      sessions,
      now,
    )
    expect(rewritten.change).toMatchObject({ added: [], rewritten: [first.tasks[0]?.id] })
    expect(rewritten.book.tasks).toMatchObject([
      { id: first.tasks[0]?.id, intent: 'Better.', writtenBy: 'm/n' },
    ])
    const failed: MinedTask[] = [{ status: 'failed', cluster: 'x', problem: 'no JSON' }]
    const kept = bookWith(first, again, wordsOf(again, answers(again, failed), 'm/n'), sessions, now)
    expect(kept.book.tasks).toEqual(first.tasks)
    expect(kept.change.failed).toHaveLength(1)
  })

  it('keeps derived tasks', async () => {
    const planned = await plan(empty, 'a thing')
    const { book } = bookWith(empty, planned, wordsOf(planned, new Map(), undefined), sessions, now)
    const [task] = book.tasks
    if (task === undefined) throw new Error('No task.')
    const dream = { ...task, id: 'dream', origin: 'dream' as const, derivedFrom: task.id }
    const later = { ...book, tasks: [task, dream] }
    expect(bookWith(later, await plan(later), new Map(), sessions, now).book.tasks).toEqual([task, dream])
  })
})
