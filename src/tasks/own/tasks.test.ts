import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError } from '../../core/errors/errors.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'tasks-'))
})
afterEach(() => rm(baseDir, { recursive: true }))

async function write(files: Record<string, string | readonly object[]>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = join(baseDir, name)
    await mkdir(dirname(file), { recursive: true })
    const text = typeof content === 'string' ? content : content.map(item => JSON.stringify(item)).join('\n')
    await writeFile(file, text)
  }
}

const open = (given: object) => create(options.parse(given), { baseDir })

async function refusal(given: object): Promise<string> {
  try {
    await open(given)
  } catch (error) {
    if (error instanceof InputError) return `${error.message} ${error.hint ?? ''}`
    throw error
  }
  return 'not refused'
}

const numbered = (count: number, extra: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    question: `Question ${index}?`,
    answer: `a${index}`,
    ...extra,
  }))

describe('reading', () => {
  it('divides one file 2:1:7 with seed 42, as the reference does', async () => {
    await write({ 'all.jsonl': numbered(10).map((item, index) => ({ id: `i${index}`, ...item })) })
    const environment = await open({ path: 'all.jsonl' })
    const ids = async (split: 'train' | 'val' | 'test') =>
      (await environment.tasks(split)).map(({ id }) => id)
    expect(await ids('train')).toEqual(['i7', 'i3'])
    expect(await ids('val')).toEqual(['i2'])
    expect(await ids('test')).toEqual(['i8', 'i5', 'i6', 'i9', 'i4', 'i0', 'i1'])
  })

  it('reads JSON, JSONL and CSV, with a byte order mark and CRLF', async () => {
    await write({
      'a.json': `\uFEFF${JSON.stringify([{ id: 1, question: 'One?', answer: 1 }])}`,
      'b.jsonl': '{"id":"b","question":"Two?","answer":"2"}\r\n\r\n',
      'c.csv': '\uFEFFid,question,answer,type\r\nc,"Three, or\r\nfour?",3,odd\r\n',
    })
    const environment = await open({ train: 'a.json', val: 'b.jsonl', test: 'c.csv' })
    expect(await environment.tasks('train')).toMatchObject([{ id: '1', prompt: 'One?' }])
    expect(await environment.tasks('val')).toMatchObject([{ id: 'b', prompt: 'Two?' }])
    expect(await environment.tasks('test')).toMatchObject([
      { id: 'c', prompt: 'Three, or\r\nfour?', type: 'odd' },
    ])
  })

  it('reads YAML, where long questions are easy to write', async () => {
    await write({
      'a.yaml':
        '- {id: a, question: One?, answer: 1}\n- id: b\n  question: |\n    Two,\n    or three?\n  answer: [x, y]\n',
      'b.yml': '# nothing else\n- {id: c, question: C?, answer: x}\n',
      'c.yaml': '- {id: d, question: D?, answer: x}\n',
    })
    const environment = await open({ train: 'a.yaml', val: 'b.yml', test: 'c.yaml' })
    expect(await environment.tasks('train')).toMatchObject([
      { id: 'a', prompt: 'One?' },
      { id: 'b', prompt: 'Two,\nor three?\n', fields: { answer: ['x', 'y'] } },
    ])
    await write({ 'bad.yaml': '- {id: a', 'none.yaml': 'question: a' })
    expect(await refusal({ path: 'bad.yaml' })).toContain('not valid YAML')
    expect(await refusal({ path: 'none.yaml' })).toContain('not a list of tasks')
  })

  it('reads a split folder under either set of names', async () => {
    const [train, val, test] = [
      numbered(1),
      [{ question: 'V?', answer: 'v' }],
      [{ question: 'T?', answer: 't' }],
    ]
    await write({
      'd/train/items.json': JSON.stringify(train),
      'd/val/x.jsonl': val,
      'd/test/items.jsonl': test,
    })
    await write({ 'e/train/a.jsonl': train, 'e/valid_seen/a.jsonl': val, 'e/valid_unseen/a.jsonl': test })
    for (const splitDir of ['d', 'e']) {
      const environment = await open({ splitDir })
      expect(await environment.tasks('val')).toMatchObject([{ id: 'val-1', prompt: 'V?' }])
      expect(await environment.tasks('test')).toMatchObject([{ id: 'test-1', prompt: 'T?' }])
    }
  })

  it('makes ids out of the file and the line where there are none', async () => {
    await write({ 'all.jsonl': numbered(3) })
    const environment = await open({ path: 'all.jsonl', ratio: '1:1:1' })
    const all = [
      await environment.tasks('train'),
      await environment.tasks('val'),
      await environment.tasks('test'),
    ]
    expect(
      all
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['all-1', 'all-2', 'all-3'])
  })
})

describe('prompts and scores', () => {
  const three = (item: object) => [1, 2, 3].map(index => ({ n: index, ...item }))

  it('fills a template once, never what a field says', async () => {
    await write({ 'a.jsonl': three({ text: '{{n}}', answer: 'x' }) })
    const environment = await open({
      path: 'a.jsonl',
      ratio: '1:1:1',
      prompt: 'Say {{ text }} {{n}} times',
      id: 'n',
    })
    const tasks = await environment.tasks('train')
    expect(tasks[0]?.prompt).toBe(`Say {{n}} ${tasks[0]?.id} times`)
  })

  it('gives the agent one turn, the skill in the system prompt, and the way to answer', async () => {
    await write({ 'a.jsonl': numbered(3) })
    const environment = await open({ path: 'a.jsonl', ratio: '1:1:1' })
    const [task] = await environment.tasks('train')
    if (task === undefined) throw new Error('no task')
    const session = await environment.open(task, scoreContext)
    expect(session).toMatchObject({ prompt: task.prompt, skillAt: 'system', tools: [], turnLimit: 1 })
    expect(session.instructions).toContain('<answer>')
    const answer = task.prompt.replace(/\D/g, '')
    const attempt = { messages: [], answer: `<answer>A${answer}</answer>`, stop: 'answered' } as const
    expect(await environment.score(task, attempt, scoreContext)).toMatchObject({
      hard: 1,
    })
  })

  it('tells nothing by itself when the whole reply is scored, and lists the choices of a choice', async () => {
    await write({
      'r.jsonl': three({}).map(({ n }) => ({ prompt: `P${n}`, checks: [{ op: 'contains', arg: 'x' }] })),
    })
    const rules = await open({ path: 'r.jsonl', ratio: '1:1:1', scorer: 'rules' })
    const [rule] = await rules.tasks('train')
    if (rule !== undefined) expect((await rules.open(rule, scoreContext)).instructions).toBe('')
    await write({
      'c.jsonl': three({ choices: ['red', 'blue'], answer: 'A' }).map(item => ({
        ...item,
        question: `Q${item.n}?`,
      })),
    })
    const choice = await open({ path: 'c.jsonl', ratio: '1:1:1', scorer: 'choice' })
    expect((await choice.tasks('train'))[0]?.prompt).toMatch(/^Q\d\?\n\nA\. red\nB\. blue$/)
  })
})

describe('refusals', () => {
  const files = { train: 'train.jsonl', val: 'val.jsonl', test: 'test.jsonl' }
  const good = {
    'train.jsonl': [{ id: 'a', question: 'A?', answer: 'x' }],
    'val.jsonl': [{ id: 'b', question: 'B?', answer: 'x' }],
    'test.jsonl': [{ id: 'c', question: 'C?', answer: 'x' }],
  }

  it.each<[string, Record<string, string | readonly object[]>, string]>([
    ['ids in two splits', { 'val.jsonl': [{ id: 'a', question: 'B?', answer: 'x' }] }, 'a (train and val)'],
    [
      'an id that stands twice in a split',
      {
        'val.jsonl': [
          { id: 'b', question: 'B?', answer: 'x' },
          { id: 'b', question: 'D?', answer: 'x' },
        ],
      },
      'b (val)',
    ],
    [
      'the same content in two splits',
      { 'test.jsonl': [{ id: 'c', question: ' a? ', answer: 'x' }] },
      'a (train) = c (test)',
    ],
    ['an empty split', { 'val.jsonl': '\n' }, '"val" is empty'],
    [
      'a malformed line',
      { 'val.jsonl': '{"id":"b","question":"B?","answer":"x"}\n{oops' },
      'val.jsonl, line 2 is not valid JSON',
    ],
    ['a line that is no object', { 'val.jsonl': '42' }, 'val.jsonl, line 1 is not an object'],
    [
      'a missing gold answer',
      { 'val.jsonl': [{ id: 'b', question: 'B?' }] },
      'val.jsonl, line 1 has no field "answer"',
    ],
    [
      'a missing question',
      { 'val.jsonl': [{ id: 'b', answer: 'x' }] },
      'neither a field "question" nor "prompt"',
    ],
    ['an empty question', { 'val.jsonl': [{ id: 'b', question: ' ', answer: 'x' }] }, 'empty prompt'],
    [
      'a missing id',
      { 'val.jsonl': [{ question: 'B?', answer: 'x' }] },
      'val.jsonl, line 1: there is no field "id"',
    ],
    ['an empty id', { 'val.jsonl': [{ id: ' ', question: 'B?', answer: 'x' }] }, 'empty id'],
  ])('refuses %s', async (_, changed, message) => {
    await write({ ...good, ...changed })
    expect(await refusal(files)).toContain(message)
  })

  it('refuses settings that name no data, two kinds of it, or half of it', async () => {
    await write(good)
    expect(await refusal({})).toContain('does not say where')
    expect(await refusal({ ...files, path: 'train.jsonl' })).toContain('two ways')
    expect(await refusal({ train: 'train.jsonl' })).toContain('none for "val"')
    expect(await refusal({ path: 'nowhere.jsonl' })).toContain('does not exist')
    expect(await refusal({ path: 'train.jsonl' })).toContain('none are left')
    expect(await refusal({ splitDir: '.' })).toContain('no folder "train"')
    expect(() => options.parse({ pth: 'x' })).toThrow()
  })

  it('refuses folders and files that it cannot make sense of', async () => {
    await write({
      'd/train/a.jsonl': '{}',
      'd/train/b.jsonl': '{}',
      'e/train/readme.txt': 'x',
      'x.txt': 'x',
      'x.json': '[1, 2',
    })
    expect(await refusal({ splitDir: 'd' })).toContain('several data files: a.jsonl, b.jsonl')
    expect(await refusal({ splitDir: 'e' })).toContain('has no data file')
    expect(await refusal({ path: 'x.txt' })).toContain('extension ".txt"')
    expect(await refusal({ path: 'x.json' })).toContain('not valid JSON')
    await write({ 'x.csv': 'id,question\na,b,c\n', 'y.json': '[1]' })
    expect(await refusal({ path: 'x.csv' })).toContain('not valid CSV')
    expect(await refusal({ path: 'y.json' })).toContain('y.json, item 1 is not an object')
  })

  it('refuses placeholders, fields and scorers that do not exist, with a suggestion', async () => {
    await write(good)
    expect(await refusal({ ...files, prompt: 'Do {{qestion}}' })).toContain('Did you mean "question"?')
    expect(await refusal({ ...files, prompt: 'text' })).toContain('no field "text"')
    expect(await refusal({ ...files, type: 'kind' })).toContain('no field "kind"')
    expect(await refusal({ ...files, scorer: 'exacts' })).toContain('Did you mean "exact"?')
    expect(await refusal({ ...files, scorer: { name: 'exact', feild: 'x' } })).toContain(
      'Did you mean "field"?',
    )
  })
})

describe('checks of the form alone', () => {
  const warned = async (scorer: object, checks: readonly object[]) => {
    await write({
      'all.jsonl': numbered(10, {
        checks,
        schema: { type: 'object', properties: { a: { type: 'string' } } },
      }),
    })
    return ((await open({ path: 'all.jsonl', scorer })).warnings ?? []).join('\n')
  }

  it('are warned about when nothing else decides', async () => {
    const shape = [
      { op: 'section_present', arg: 'Summary' },
      { op: 'max_chars', arg: 500 },
    ]
    const outcome = { op: 'contains', arg: '42' }
    expect(await warned({ name: 'rules' }, shape)).toContain('without being right')
    expect(await warned({ name: 'rules' }, [...shape, outcome])).toBe('')
    expect(await warned({ name: 'json-schema' }, shape)).toContain('without being right')
    const parts = { form: { scorer: { name: 'json-schema' } }, value: { scorer: 'exact' } }
    expect(await warned({ name: 'weighted', parts }, shape)).toBe('')
    expect(await warned({ name: 'weighted', parts: { form: parts.form } }, shape)).toContain(
      'without being right',
    )
  })
})
