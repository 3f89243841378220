import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { pdf, png } from '../../../../test/support/pictures.js'
import { InputError } from '../../../core/errors/errors.js'
import { limitProblem } from '../../../core/task/file-limits.js'
import { readAnswers } from './answers.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'docvqa-'))
  for (const [index, name] of ['one', 'two', 'three'].entries())
    await write(`scans/${name}.png`, png([index, 0, 0]))
})
afterEach(() => rm(baseDir, { recursive: true }))

async function write(name: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(baseDir, name)), { recursive: true })
  await writeFile(join(baseDir, name), content)
}

const item = (name: string) => ({
  id: name,
  question: `What is ${name}?`,
  answers: [name, `the ${name}`],
  image: `scans/${name}.png`,
})

const writeItems = (...items: readonly object[]) => write('all.json', JSON.stringify(items))

const open = (given: object = {}) =>
  create(options.parse({ path: 'all.json', ratio: '1:1:1', ...given }), { baseDir })

async function allTasks(given: object = {}) {
  const environment = await open(given)
  const splits = await Promise.all((['train', 'val', 'test'] as const).map(environment.tasks))
  return { environment, tasks: splits.flat().sort((one, other) => (one.id < other.id ? -1 : 1)) }
}

describe('docvqa', () => {
  it('asks with the question, then the image, and scores by ANLS', async () => {
    await writeItems(item('one'), item('two'), item('three'))
    const { environment, tasks } = await allTasks()
    const task = tasks[0]
    if (task === undefined) throw new Error('no task')
    const session = await environment.open(task, scoreContext)
    expect(session.prompt).toEqual([
      { type: 'text', text: 'Question about the document: What is one?' },
      { type: 'image', name: 'one.png', mediaType: 'image/png', data: png([0, 0, 0]).toString('base64') },
    ])
    const score = (answer: string) =>
      environment.score(task, { messages: [], answer, stop: 'answered' }, scoreContext)
    expect(await score('<answer>no <answer> THE  One </answer>')).toMatchObject({ hard: 1, soft: 1 })
    expect(await score('<answer>The ona</answer>')).toMatchObject({ hard: 0, soft: 1 - 1 / 7 })
    expect((await score('<answer>two</answer>')).feedback).toContain(
      'Expected "one" or "the one"; got "two".',
    )
  })

  it('reads tables as they are published: other names, lists in a text, paths from an image root', async () => {
    const rows = [
      'questionId\tquestion\tanswers\timage_path\tquestion_types',
      `7\tHow much?\t"['$1,200', ""it's 1,200""]"\tone.png\t['table/list', 'form']`,
      '8\tWhen?\t["1999"]\ttwo.png\t',
      '9\tWho?\tR. Roe\tthree.png\t[]',
    ]
    await write('tables/all.tsv', rows.join('\n'))
    const { tasks } = await allTasks({ path: 'tables/all.tsv', imageRoot: 'scans' })
    expect(
      tasks.map(({ id, type, answers, attachments }) => [id, type, answers, attachments[0]?.name]),
    ).toEqual([
      ['7', 'table/list', ['$1,200', "it's 1,200"], 'one.png'],
      ['8', undefined, ['1999'], 'two.png'],
      ['9', undefined, ['R. Roe'], 'three.png'],
    ])
  })

  it('reads the official file, with its items under `data`', async () => {
    const items = ['one', 'two', 'three'].map((name, index) => ({
      ...item(name),
      id: undefined,
      questionId: index,
    }))
    await write('all.json', JSON.stringify({ dataset_name: 'docvqa', data: items }, null, 2))
    expect((await allTasks()).tasks.map(({ id }) => id)).toEqual(['0', '1', '2'])
  })

  it('sends the detail that was asked for, and refuses models that do not let one choose', async () => {
    await writeItems(item('one'), item('two'), item('three'))
    const plain = await allTasks({ detail: 'auto' })
    expect(plain.tasks[0]?.attachments[0]).not.toHaveProperty('detail')
    const { environment, tasks } = await allTasks({ detail: 'high' })
    const [task] = tasks
    if (task === undefined) throw new Error('no task')
    const session = await environment.open(task, scoreContext)
    expect(session.prompt[1]).toMatchObject({ type: 'image', detail: 'high' })
    const problem = (detail: boolean) =>
      limitProblem(task.attachments, {
        id: 'maker/model',
        files: { image: { mediaTypes: ['image/png'], mostTokens: 1, detail } },
      })
    expect(problem(true)).toBeUndefined()
    expect(problem(false)).toBe(
      'one.png is to be looked at with detail "high", and maker/model does not let one choose',
    )
  })

  it.each([
    [{ image: 'scans/four.png' }, 'all.json, item 2 (task two): the file scans/four.png does not exist.'],
    [{ image: undefined }, 'all.json, item 2 is not a DocVQA item: the field "image" is not there.'],
    [{ image: 'iVBORw0KGgoAAAANSUhEUg' }, 'the field "image" holds the image itself.'],
    [{ image: 'scans/one.png;scans/two.png' }, 'does not name one image'],
    [{ image: 'note.txt' }, 'the file note.txt is no image'],
    [{ image: 'report.pdf' }, 'the file report.pdf is no image'],
    [{ image: '../one.png' }, 'lies outside of'],
    [{ question: '' }, 'the field "question" is not a text'],
    [{ id: undefined }, 'the field "id" is not there'],
    [{ answers: undefined }, '(question two): the field "answers" is not there.'],
    [{ answers: [] }, '(question two): the field "answers" holds no answer.'],
    [{ answers: "['a' 'b']" }, 'the field "answers" holds a list that cannot be read.'],
  ])('refuses bad items with their place: %j', async (bad, message) => {
    await write('note.txt', 'A page.')
    await write('report.pdf', pdf(1))
    await writeItems(item('one'), { ...item('two'), ...bad }, item('three'))
    const refused = open()
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(message)
  })

  it('treats another question about the same page as another task', async () => {
    await writeItems(item('one'), { ...item('two'), image: 'scans/one.png' }, item('three'))
    await expect(open()).resolves.toBeDefined()
    await writeItems(item('one'), { ...item('one'), id: 'again' }, item('three'))
    await expect(open()).rejects.toThrow('two splits')
  })
})

describe('readAnswers', () => {
  it.each([
    [
      ['a', 2],
      ['a', '2'],
    ],
    ['a, b', ['a, b']],
    ['["a", 2.50]', ['a', '2.5']],
    ["['it\\'s', \"b\"]", ["it's", 'b']],
    ["[ 'a' , 3.50, ]", ['a', '3.50']],
    ["['\\x41\\u00e9\\U0001F600\\n\\\\']", ['Aé😀\n\\']],
    ["['', 'a']", ['a']],
    ['[unclosed', ['[unclosed']],
    [7, ['7']],
  ])('%j', (value, answers) => {
    expect(readAnswers(value)).toEqual(answers)
  })

  it.each([
    [undefined, 'is not there'],
    [null, 'holds no answer'],
    ['', 'holds no answer'],
    ['[]', 'holds no answer'],
    ["['a', None]", 'holds a list that cannot be read'],
    ['[["a"]]', 'holds something other than text and numbers'],
    [{ a: 1 }, 'holds something other than text and numbers'],
  ])('%j %s', (value, problem) => {
    expect(readAnswers(value)).toEqual({ problem })
  })
})
