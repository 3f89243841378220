import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import type { Score } from '../../core/task/task.js'
import { create, options } from './index.js'

let baseDir = ''
let workspace = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'answer-file-'))
  workspace = join(baseDir, 'work')
  await mkdir(workspace)
})
afterEach(() => rm(baseDir, { recursive: true }))

const reply = { messages: [], answer: 'I wrote <answer>all of it</answer>', stop: 'answered' } as const

async function open(scorer: unknown, item: object = { answer: 'one two' }, answerFile = 'out/answer.md') {
  const items = [1, 2, 3].map(id => ({ id, question: `Q${id}?`, files: {}, ...item }))
  await writeFile(join(baseDir, 'tasks.json'), JSON.stringify(items))
  const given = { path: 'tasks.json', ratio: '1:1:1', workspace: 'files', answerFile, scorer }
  return create(options.parse(given), { baseDir })
}

/** The score of an agent that finished and left the files in the workspace. */
async function score(scorer: unknown, item?: object, context: object = { workspace }): Promise<Score> {
  const environment = await open(scorer, item)
  const [task] = await environment.tasks('train')
  if (task === undefined) throw new Error('no task')
  return environment.score(task, reply, { ...scoreContext, ...context })
}

async function leave(content: string | Uint8Array): Promise<void> {
  await mkdir(join(workspace, 'out'), { recursive: true })
  await writeFile(join(workspace, 'out', 'answer.md'), content)
}

describe('a file as the answer', () => {
  it('is scored whole, in place of the reply', async () => {
    await leave('\uFEFFOne\n two\n')
    expect(await score('exact')).toMatchObject({ hard: 1 })
    await leave('zero\none two\n')
    expect(await score('exact')).toMatchObject({ hard: 0 })
    expect(await score({ name: 'exact', extract: 'last-line' })).toMatchObject({ hard: 1 })
  })

  it.each<[string, unknown, object, string]>([
    ['numeric', 'numeric', { answer: 42 }, 'The sum is\n42\n'],
    [
      'rules',
      'rules',
      {
        checks: [
          { op: 'section_present', arg: 'Fixed' },
          { op: 'not_contains', arg: 'I wrote' },
        ],
      },
      '## Fixed\n',
    ],
    ['json-equal', 'json-equal', { answer: { a: [1] } }, '{"a": [1]}'],
    [
      'the parts of weighted',
      { name: 'weighted', parts: { all: { scorer: 'exact' }, one: { scorer: 'contains' } } },
      { answer: 'a b' },
      'a\nb\n',
    ],
  ])('works with %s', async (_, scorer, item, content) => {
    await leave(content)
    expect(await score(scorer, item)).toMatchObject({ hard: 1 })
    await leave('something else')
    expect(await score(scorer, item)).toMatchObject({ hard: 0 })
  })

  it('is what the judge of a rubric sees', async () => {
    await leave('The whole\nreport.')
    const asked: string[] = []
    const judge = async ({ messages }: { messages: readonly { text: string }[] }) => {
      asked.push(messages.map(({ text }) => text).join('\n'))
      return { text: '{"reason": "Good.", "score": 1}', stop: 'stop', usage: {} }
    }
    const rubric = { name: 'rubric', rubric: 'It is a report.', votes: 1 }
    expect(await score(rubric, {}, { workspace, judge })).toMatchObject({ hard: 1 })
    expect(asked[0]).toContain('The whole\nreport.')
    expect(asked[0]).not.toContain('I wrote')
  })

  it('is told to the agent, with the way to mark the answer only where that is asked for', async () => {
    const told = async (scorer: unknown) => {
      const environment = await open(scorer)
      const [task] = await environment.tasks('train')
      if (task === undefined) throw new Error('no task')
      const session = await environment.open(task, scoreContext)
      await session.close()
      return session.instructions
    }
    const where = 'Your answer is what the file out/answer.md in your folder holds when you are done.'
    expect(await told('exact')).toBe(where)
    expect(await told({ name: 'exact', extract: 'tag' })).toMatch(`${where} Put your final answer between`)
  })
})

describe('what is no answer', () => {
  const scored = () => score('exact')

  it('is a file that was not written', async () => {
    const missing = {
      hard: 0,
      soft: 0,
      feedback: 'The agent did not write the file out/answer.md. Expected "one two"; got no answer.',
    }
    expect(await scored()).toEqual(missing)
    await writeFile(join(workspace, 'out'), 'a file where a folder belongs')
    expect(await scored()).toEqual(missing)
  })

  it('is a link, at any step of the way', async () => {
    await mkdir(join(baseDir, 'elsewhere'))
    await writeFile(join(baseDir, 'elsewhere', 'answer.md'), 'one two')
    await symlink(join(baseDir, 'elsewhere'), join(workspace, 'out'))
    expect((await scored()).feedback).toMatch(/^out\/answer\.md is a link, and links are not followed\./)
    await rm(join(workspace, 'out'))
    await mkdir(join(workspace, 'out'))
    await symlink(join(baseDir, 'elsewhere', 'answer.md'), join(workspace, 'out', 'answer.md'))
    expect(await scored()).toMatchObject({ hard: 0, feedback: expect.stringContaining('is a link') })
  })

  it('is a folder, what is no text, and what is too large', async () => {
    await mkdir(join(workspace, 'out', 'answer.md'), { recursive: true })
    expect((await scored()).feedback).toMatch('out/answer.md is not a file.')
    await rm(join(workspace, 'out'), { recursive: true })
    await leave(Buffer.from([0x6f, 0xff, 0xfe]))
    expect((await scored()).feedback).toMatch('out/answer.md is not a text in UTF-8.')
    await leave('a\0b')
    expect((await scored()).feedback).toMatch('not a text')
    await leave('x'.repeat(1_000_001))
    expect((await scored()).feedback).toMatch(/is too large: .*; at most .* count\./)
  })

  it('never gives a score if there was no folder', async () => {
    await expect(score('exact', undefined, {})).rejects.toThrow('has no folder')
  })
})
