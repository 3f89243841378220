import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { scoreContext } from '../../../test/score-context.js'
import { sleepBook, sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import type { ScoreContext } from '../../core/ports/environment.js'
import { said } from '../../testing/environment.js'
import type { SleepTask } from '../model/sleep-task.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'sleep-tasks-'))
})
afterEach(() => rm(baseDir, { recursive: true }))

const open = (path = 'tasks.json') => create(options.parse({ path }), { baseDir })

async function written(tasks: readonly SleepTask[], more: object = { reviewed: true }) {
  await writeFile(join(baseDir, 'tasks.json'), JSON.stringify({ ...sleepBook('shop', tasks), ...more }))
  return open()
}

async function refusal(work: Promise<unknown>): Promise<InputError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return error as InputError
}

const rubric = ['It is done.']
const checks = [{ op: 'regex', arg: '^done' }] as const

describe('the file that the documentation shows', () => {
  beforeEach(() =>
    copyFile(
      new URL('../../../test/fixtures/sleep-tasks/tasks.yaml', import.meta.url),
      join(baseDir, 'tasks.yaml'),
    ),
  )

  it('has a task for each example, in the split of its task', async () => {
    const environment = await open('tasks.yaml')
    expect(await environment.tasks('train')).toEqual([
      {
        id: 'write-release-notes.1',
        type: 'write-release-notes',
        prompt: expect.stringMatching(
          /^Write the notes of a release .*\n\nWhat is asked now, in the person's own words:\n\nrelease notes please, /,
        ),
        fields: { rubric: [expect.stringContaining('every change'), expect.stringContaining('Leaves out')] },
      },
      expect.objectContaining({
        id: 'write-release-notes.2',
        prompt: [
          'Write the notes of a release for its users, from the list of its commits.',
          'What was asked before, in the same session:',
          '> list the commits since the last tag',
          "What is asked now, in the person's own words:",
          'and now the notes, without the internal stuff',
        ].join('\n\n'),
      }),
    ])
    expect(await environment.tasks('val')).toMatchObject([{ id: 'name-a-branch.1', type: 'name-a-branch' }])
    expect(await environment.tasks('test')).toMatchObject([
      { id: 'explain-a-failing-test.1', prompt: 'Say why a test fails, and what would mend it.' },
    ])
    expect(environment).toMatchObject({ warnings: [], scoring: { judgeCalls: 3 } })
    expect(environment.judges).toHaveLength(1)
  })
})

describe('scoring', () => {
  /** A judge that records its prompts and accepts every answer. */
  function judge() {
    const asked: string[] = []
    const context: ScoreContext = {
      ...scoreContext,
      judge: async ({ messages }) => {
        asked.push(messages.map(({ text }) => text).join('\n'))
        return { text: '{"reason": "Fine.", "score": 1}', stop: 'stop', usage: {} }
      },
    }
    return { asked, context }
  }

  async function scored(task: SleepTask, answer: string, context = scoreContext) {
    const environment = await written([task])
    const [only] = await environment.tasks('train')
    if (only === undefined) throw new Error('There is no task.')
    return environment.score(only, said(answer), context)
  }

  it('uses the rubric if there is one, and ignores the checks', async () => {
    const { asked, context } = judge()
    const task = sleepTask('a', { rubric, checks: [{ op: 'contains', arg: 'magic' }] })
    expect(await scored(task, 'anything', context)).toMatchObject({ hard: 1, soft: 1 })
    expect(asked).toHaveLength(3)
    expect(asked[0]).toContain('It is done.')
    expect(asked[0]).not.toContain('magic')
  })

  it('uses the checks without a rubric, and calls no judge', async () => {
    const task = sleepTask('a', { checks: [...checks, { op: 'max_chars', arg: 6 }] })
    expect(await scored(task, 'done')).toMatchObject({ hard: 1, soft: 1 })
    expect(await scored(task, 'done at last')).toMatchObject({ hard: 0, soft: 0.5 })
    const environment = await written([task])
    expect(environment.scoring).toBeUndefined()
    expect(environment.judges).toBeUndefined()
  })

  it('does not show the agent’s original answer to the judge, since it may have been wrong', async () => {
    const { asked, context } = judge()
    await scored(sleepTask('a', { rubric, examples: [{ answer: 'the old answer' }] }), 'new', context)
    expect(asked.join('\n')).not.toContain('the old answer')
  })

  it('uses a judge only for tasks with a rubric', async () => {
    const environment = await written([
      sleepTask('a', { rubric }),
      sleepTask('b', { checks: [...checks], examples: [{ session: 'codex:2' }] }),
    ])
    const [withRubric, without] = await environment.tasks('train')
    const [only] = environment.judges ?? []
    if (withRubric === undefined || without === undefined || only === undefined)
      throw new Error('There is no judge.')
    const { context } = judge()
    expect(await only.score(withRubric, said('x'), context)).toMatchObject({ hard: 1 })
    expect(await refusal(only.score(without, said('x'), context))).toMatchObject({
      message: 'The task b.1 has no rubric: no judge is asked about it.',
    })
  })
})

describe('splits', () => {
  it('exclude held-back tasks, even invalid ones', async () => {
    const environment = await written([
      sleepTask('a', { rubric }),
      sleepTask('b', { split: 'held-back', family: 'a' }),
    ])
    const all = await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
    expect(all.flat().map(({ id }) => id)).toEqual(['a.1'])
  })

  it.each<[string, readonly SleepTask[], string]>([
    [
      'a session in two of them',
      [
        sleepTask('a', { rubric, examples: [{ session: 'codex:1' }] }),
        sleepTask('b', { rubric, split: 'val', examples: [{ session: 'codex:1' }] }),
      ],
      'the task b cannot stay in its split: its session "codex:1" is in val, and with task "a" in train',
    ],
    [
      'a family in two of them',
      [sleepTask('a', { rubric }), sleepTask('b', { rubric, split: 'test', family: 'a' })],
      'its family "a" is in test, and with task "a" in train',
    ],
    [
      'a dream that measures',
      [sleepTask('a', { rubric, split: 'val', origin: 'dream' })],
      'it is dream, and in val',
    ],
    [
      'the same words in two of them',
      [
        sleepTask('a', { rubric, intent: 'Do it.', examples: [{ session: 's:1', text: 'go' }] }),
        sleepTask('b', {
          rubric,
          intent: 'Do it.',
          split: 'val',
          examples: [{ session: 's:2', text: 'Go ' }],
        }),
      ],
      'The same task stands in two splits under different ids: a.1 (train) = b.1 (val)',
    ],
    [
      'an id twice',
      [sleepTask('a', { rubric }), sleepTask('a', { rubric })],
      'Two tasks have the same id: a.1',
    ],
  ])('are refused with %s', async (_what, tasks, problem) => {
    expect((await refusal(written(tasks))).message).toContain(problem)
  })
})

describe('a warning', () => {
  it('names the validation tasks that a reply can pass by its form alone', async () => {
    const shape = [{ op: 'min_chars', arg: 3 }] as const
    const environment = await written([
      sleepTask('form', { checks: [...shape], split: 'val' }),
      sleepTask('judged', { rubric, checks: [...shape], split: 'val' }),
      sleepTask('trained', { checks: [...shape] }),
    ])
    expect(environment.warnings).toEqual([
      'Validation by form alone: form. A reply can pass without being right. Give each a rubric, or a check of the outcome.',
    ])
  })
})

describe('a file that cannot be used', () => {
  it('is one that nobody has reviewed', async () => {
    const error = await refusal(written([sleepTask('a', { rubric })], {}))
    expect(error.message).toBe('The tasks in tasks.json have not been reviewed.')
    expect(error.hint).toContain('`reviewed: true`')
  })

  it('is one with tasks that nothing can score, or a check that cannot be run', async () => {
    const unscored = await refusal(written([sleepTask('a'), sleepTask('b', { rubric })]))
    expect(unscored.message).toBe('tasks.json: nothing can score a.')
    const broken = await refusal(written([sleepTask('a', { checks: [{ op: 'regex', arg: '(' }] })]))
    expect(broken.message).toMatch(/^tasks\.json: the task a has a check with the malformed pattern \/\(\//)
  })

  it.each<[string, string, RegExp]>([
    ['missing.yaml', '', /^The data file .*missing\.yaml does not exist\.$/],
    [
      'tasks.csv',
      'a,b',
      /^environment\.path is tasks\.csv, and a file of tasks ends in \.yaml, \.yml or \.json\.$/,
    ],
    ['tasks.yaml', 'a: [', /^tasks\.yaml cannot be read: /],
    ['tasks.json', '[1]', /^tasks\.json is not a file of tasks: /],
    [
      'tasks.yaml',
      'name: shop',
      /^tasks\.yaml is not a file of tasks: .*there is no "project"; there is no "tasks"/,
    ],
  ])('is %s with "%s"', async (path, text, problem) => {
    if (text !== '') await writeFile(join(baseDir, path), text)
    expect((await refusal(open(path))).message).toMatch(problem)
  })

  it('is reported with only its first problems', async () => {
    const tasks = Array.from({ length: 40 }, () => ({ intent: 7 }))
    const head = { format: 'skillopt.sleep.tasks.v1', project: 'shop', reviewed: true }
    await writeFile(join(baseDir, 'tasks.yaml'), stringify({ ...head, tasks }))
    const { message } = await refusal(open('tasks.yaml'))
    expect(message).toContain('"tasks.0.intent" is not a text')
    expect(message.length).toBeLessThan(400)
  })
})
