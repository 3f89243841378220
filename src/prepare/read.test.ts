import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import { options } from '../tasks/own/index.js'
import { withFilesFrom } from './files.js'
import { findTasks } from './find.js'
import { serialiseTasks, writeNewFiles } from './output.js'
import { readDivided, readDraft, readSplitFolder } from './read.js'
import { readSource } from './source.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-prepare-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
  } catch (error) {
    if (error instanceof InputError) return `${error.message} ${error.hint ?? ''}`
    throw error
  }
  return 'not refused'
}

const fieldsOf = async (name: string) =>
  (await readSource(join(folder, name), name)).rows.map(({ fields }) => fields)

describe('readSource', () => {
  it('reads a folder with a question and an answer file per task, in either form', async () => {
    await put({
      'cases/late.question.md': '\uFEFFWhere is it?\n',
      'cases/late.answer.txt': 'shipping\n',
      'cases/refunds/twice/question.txt': 'Charged twice.',
      'cases/refunds/twice/answer.json': '{"team": "billing"}',
      'cases/README.md': 'not a task',
    })
    expect(await fieldsOf('cases')).toEqual([
      { id: 'late', question: 'Where is it?', answer: 'shipping' },
      { id: 'refunds-twice', type: 'refunds', question: 'Charged twice.', answer: '{"team": "billing"}' },
    ])
  })

  it('reads the evals.json of an Agent Skill', async () => {
    const evals = [{ id: 1, prompt: 'Do it.', expected_output: 'It is done.', files: ['evals/files/a.txt'] }]
    await put({ 'evals/evals.json': JSON.stringify({ skill_name: 's', evals }) })
    const source = await readSource(join(folder, 'evals/evals.json'), 'evals.json')
    expect(source).toMatchObject({ kind: 'evals', stem: 'eval', folder, rows: [{ fields: evals[0] }] })
  })

  it('refuses missing, empty and incomplete sources', async () => {
    await put({ 'a/x.answer.md': 'A', 'b/x.question.md': 'Q', 'b/x.question.txt': 'Q', 'c/notes.txt': '' })
    await put({ 'empty.csv': 'question,answer\n', 'broken.json': '{"evals": [' })
    expect(await refusal(() => fieldsOf('gone.csv'))).toContain('gone.csv does not exist')
    expect(await refusal(() => fieldsOf('a'))).toContain('has no question beside it')
    expect(await refusal(() => fieldsOf('b'))).toContain('the same part of the same task')
    expect(await refusal(() => fieldsOf('c'))).toContain('c has no tasks')
    expect(await refusal(() => fieldsOf('empty.csv'))).toContain('empty.csv has no tasks')
    expect(await refusal(() => fieldsOf('broken.json'))).toContain('not valid JSON')
  })
})

describe('readDraft and readDivided', () => {
  it('report the problems of every task', async () => {
    await put({ 'a.csv': 'question,answer\nOne?,1\nTwo?,\n,3\nFour?,4\n' })
    const draft = await readDraft(join(folder, 'a.csv'), { shownAs: 'a.csv', columns: {} })
    expect(draft.tasks).toHaveLength(4)
    expect(draft.problems).toEqual([
      'a.csv, line 3 has an empty expected answer in "answer".',
      'a.csv, line 4 has an empty prompt.',
    ])
    const asText = await readDraft(join(folder, 'a.csv'), { shownAs: 'a.csv', columns: {}, scorer: 'choice' })
    expect(asText.problems).toHaveLength(4)
    expect(asText.scorer.reason).toBe('you said so')
  })

  it('read a project as its environment does, with its template and its own fields', async () => {
    const line = (city: string) => `${JSON.stringify({ city, capital: `${city}!`, kind: 'x' })}\n`
    await put({
      'train.jsonl': line('a'),
      'val.jsonl': line('b'),
      'test.jsonl': `${line('c')}{"city":"d"}\n`,
    })
    const given = options.parse({
      train: 'train.jsonl',
      val: 'val.jsonl',
      test: 'test.jsonl',
      type: 'kind',
      prompt: 'Where is {{city}}?',
      scorer: { name: 'exact', field: 'capital' },
    })
    const { splits, problems } = await readDivided(given, folder)
    expect(splits.train).toMatchObject([{ id: 'train-1', question: 'Where is a?', answer: 'a!', type: 'x' }])
    expect(splits.test).toHaveLength(1)
    expect(problems).toEqual([expect.stringContaining('test.jsonl, line 2')])
  })

  it('distinguish tasks by their workspace', async () => {
    const works = ['repos/a', 'repos/b', { 'a.md': '1' }, { 'a.md': '2' }]
    await put({
      'tasks.json': JSON.stringify(works.map(repo => ({ question: 'Mend it.', answer: 'x', repo }))),
    })
    const given = options.parse({ path: 'tasks.json', ratio: '2:1:1', workspace: 'repo' })
    const { splits, problems } = await readDivided(given, folder)
    const questions = [...splits.train, ...splits.val, ...splits.test].map(({ question }) => question)
    expect(new Set(questions).size).toBe(4)
    expect(questions).toContain('Mend it.\nrepos/a')
    expect(problems).toEqual([])
  })

  it('guess a scorer for splits without a config', async () => {
    const line = (number: number) => `${JSON.stringify({ question: `${number}?`, answer: number })}\n`
    await put({ 'd/train.jsonl': line(1), 'd/dev.jsonl': line(2), 'd/test.jsonl': line(3) })
    const { splits, files } = await findTasks(join(folder, 'd'))
    expect(files).toEqual([])
    if (splits === undefined) throw new Error('the splits were not found')
    const read = await readSplitFolder(splits, join(folder, 'd'), undefined)
    expect(read.scorer.scorer).toBe('numeric')
    expect(read.splits.val).toMatchObject([{ question: '2?', answer: '2' }])
  })
})

describe('findTasks', () => {
  it('finds what has the fields of tasks, and leaves the rest alone', async () => {
    await put({
      'package.json': '{"name": "x"}',
      'prices.csv': 'item,price\na,1\n',
      'tickets.csv': 'question,answer\nWhat?,this\n',
      'evals/evals.json': JSON.stringify({ evals: [{ prompt: 'p', expected_output: 'o' }] }),
    })
    const { files, splits } = await findTasks(folder)
    expect(files).toEqual([join(folder, 'tickets.csv'), join(folder, 'evals', 'evals.json')])
    expect(splits).toBeUndefined()
  })

  it('finds three splits, as folders too', async () => {
    for (const split of ['train', 'val', 'test']) await put({ [`data/${split}/items.jsonl`]: '{}\n' })
    expect((await findTasks(folder)).splits).toEqual({ splitDir: join(folder, 'data') })
  })
})

describe('output', () => {
  const tasks = [
    { id: 'a', question: 'One,\n"two"?', answer: ['x', 'y'] },
    { id: 'b', question: ' z', extra: 7 },
  ]

  it.each(['.jsonl', '.json', '.yaml', '.csv'])('writes %s that is read back', async extension => {
    const file = join(folder, `t${extension}`)
    await writeFile(file, serialiseTasks(tasks, file))
    const read = (await readSource(file, 't')).rows.map(({ fields }) => fields)
    if (extension === '.csv') {
      expect(read).toEqual([
        { id: 'a', question: 'One,\n"two"?', answer: '["x","y"]', extra: '' },
        { id: 'b', question: ' z', answer: '', extra: '7' },
      ])
    } else expect(read).toEqual(tasks)
  })

  it('refuses a form that it does not know', () => {
    expect(() => serialiseTasks(tasks, 'tasks.txt')).toThrow(/\.jsonl, \.json, \.yaml or \.csv/)
  })

  it('writes all files or none', async () => {
    await put({ 'there.txt': 'old' })
    const files = ['new.txt', 'there.txt'].map(name => ({ file: join(folder, name), content: 'new' }))
    const said = await refusal(() => writeNewFiles(files, { force: false, shown: () => 'there.txt' }))
    expect(said).toContain('there.txt already exists; nothing was written')
    await expect(readFile(join(folder, 'new.txt'))).rejects.toThrow('ENOENT')
    await writeNewFiles(files, { force: true, shown: () => '' })
    expect(await readFile(join(folder, 'there.txt'), 'utf8')).toBe('new')
  })

  it('moves the paths of files with the tasks, as long as they stay above them', () => {
    expect(withFilesFrom({ files: 'a.png; sub/b.png' }, '/data/in', '/data')).toEqual({
      files: ['in/a.png', 'in/sub/b.png'],
    })
    expect(withFilesFrom({ question: 'q' }, '/data', '/elsewhere')).toEqual({ question: 'q' })
    expect(() => withFilesFrom({ files: ['a.png'] }, '/data', '/elsewhere')).toThrow(/in or below/)
  })
})
