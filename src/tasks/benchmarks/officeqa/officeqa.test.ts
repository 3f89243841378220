import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { InputError, PausedError } from '../../../core/errors/errors.js'
import { create, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'officeqa-'))
  await write(
    'sources/a_1951_06.txt',
    'Receipts\n<table><tr><td>Item</td></tr><tr><td>Tea</td></tr></table>\n',
  )
  await write('sources/b_1952_06.txt', '\uFEFFOther\r\nlines\r\n')
})
afterEach(() => rm(baseDir, { recursive: true }))

async function write(path: string, content: string | Uint8Array) {
  await mkdir(dirname(join(baseDir, path)), { recursive: true })
  await writeFile(join(baseDir, path), content)
}

interface RawItem {
  readonly [field: string]: unknown
}
const item = (index: number, given: RawItem = {}): RawItem => ({
  uid: `UID${index}`,
  question: `How much was spent in year ${index}?`,
  answer: `${index}.5`,
  source_files: ['a_1951_06.txt'],
  source_docs: [`https://example.org/june-1951-7?page=${index}`],
  difficulty: 'easy',
  ...given,
})

async function open(items: readonly RawItem[], given: object = {}) {
  await write('all.json', JSON.stringify(items))
  const parsed = options.parse({ path: 'all.json', ratio: '1:1:1', sourcesDir: 'sources', ...given })
  return create(parsed, { baseDir })
}

async function taskNamed(environment: Awaited<ReturnType<typeof open>>, id: string) {
  for (const split of ['train', 'val', 'test'] as const) {
    const task = (await environment.tasks(split)).find(candidate => candidate.id === id)
    if (task !== undefined) return task
  }
  throw new Error(`no task ${id}`)
}

const three = [item(1), item(2), item(3)]

describe('officeqa', () => {
  it('asks with the sources listed, and lets the agent look into them', async () => {
    const environment = await open(three)
    const task = await taskNamed(environment, 'UID2')
    expect(environment.needs).toEqual(['chat', 'tools'])
    expect(task.type).toBe('easy')
    const session = await environment.open(task, scoreContext)
    expect(session.prompt).toBe(
      [
        'Question: How much was spent in year 2?',
        'Sources of this task:\n- a_1951_06.txt (4 lines)',
        'Published at:\n- https://example.org/june-1951-7?page=2',
      ].join('\n\n'),
    )
    expect(session.instructions).toContain('<answer>')
    expect(session.turnLimit).toBe(24)
    const tool = (name: string) => session.tools.find(candidate => candidate.name === name)
    const shown = await tool('read')?.call('{"path":"a_1951_06.txt"}', scoreContext.signal)
    expect(shown).toBe('Receipts\n| Item |\n| --- |\n| Tea |')
    // Another task's source is in the same folder but must not be accessible.
    expect(await tool('read')?.call('{"path":"b_1952_06.txt"}', scoreContext.signal)).toContain(
      'is not a source of this task',
    )
  })

  it('scores the last reply, and only if it was not a call of a tool', async () => {
    const environment = await open(three)
    const task = await taskNamed(environment, 'UID1')
    const said = { role: 'assistant', text: '<answer>$1.5 million</answer>' } as const
    const attempt = { messages: [said], answer: said.text, stop: 'answered' } as const
    expect(await environment.score(task, attempt, scoreContext)).toMatchObject({ hard: 1, soft: 1 })
    const calling = { ...said, toolCalls: [{ id: '1', name: 'read', arguments: '{}' }] }
    const cut = { messages: [calling], answer: said.text, stop: 'turn-limit' } as const
    expect(await environment.score(task, cut, scoreContext)).toEqual({
      hard: 0,
      soft: 0,
      feedback: 'Expected "1.5"; got no answer. The agent did not finish: turn-limit.',
    })
  })

  it('reads lists as CSV has them, and the other names of fields', async () => {
    const lists = [
      'a_1951_06.txt\nb_1952_06.txt',
      "['a_1951_06.txt', 'b_1952_06.txt']",
      './a_1951_06.txt, b_1952_06.txt;',
    ]
    const rows = lists.map((files, index) => {
      const { uid: id, answer, difficulty, ...rest } = item(index, { source_files: files, source_docs: '' })
      return { ...rest, id, ground_truth: answer, category: 'table' }
    })
    const environment = await open(rows)
    for (const index of [0, 1, 2]) {
      const task = await taskNamed(environment, `UID${index}`)
      expect(task).toMatchObject({ type: 'table', answer: `${index}.5`, documents: [] })
      expect(task.sources.map(({ path, lines }) => [path, lines])).toEqual([
        ['a_1951_06.txt', 4],
        ['b_1952_06.txt', 2],
      ])
    }
  })

  it('finds the texts in the folder that the published corpus has for them', async () => {
    await write('corpus/transformed/c.txt', 'c')
    const environment = await open(
      [1, 2, 3].map(index => item(index, { source_files: 'c.txt' })),
      { sourcesDir: 'corpus' },
    )
    expect((await taskNamed(environment, 'UID1')).sources).toMatchObject([{ path: 'c.txt', lines: 1 }])
  })

  it('treats the same question over another text as another task', async () => {
    const before = await taskNamed(await open(three), 'UID1')
    await write('sources/a_1951_06.txt', 'Receipts, revised')
    expect(await taskNamed(await open(three), 'UID1')).not.toEqual(before)
  })

  it('stops the run when a source has changed', async () => {
    const environment = await open(three)
    const read = async () => {
      const session = await environment.open(await taskNamed(environment, 'UID1'), scoreContext)
      return session.tools
        .find(({ name }) => name === 'read')
        ?.call('{"path":"a_1951_06.txt"}', scoreContext.signal)
    }
    await write('sources/a_1951_06.txt', 'changed')
    await expect(read()).rejects.toThrow(PausedError)
    await rm(join(baseDir, 'sources/a_1951_06.txt'))
    await symlink('/etc/hostname', join(baseDir, 'sources/a_1951_06.txt'))
    await expect(read()).rejects.toThrow('is a link to a place outside of the sources')
  })
})

describe('officeqa data that is refused, with its place', () => {
  it.each<readonly [string, RawItem, string]>([
    ['no uid', { uid: undefined }, 'all.json, item 2 has no `uid`.'],
    ['no answer', { answer: ' ' }, 'all.json, item 2 (task UID2) has no `answer`.'],
    ['no sources', { source_files: [] }, 'all.json, item 2 (task UID2) has no `source_files`.'],
    ['no question', { question: undefined }, 'all.json, item 2 is not an OfficeQA item'],
    ['sources of another kind', { source_files: 5 }, 'all.json, item 2 is not an OfficeQA item'],
    [
      'a missing source',
      { source_files: ['no.txt'] },
      'item 2 (task UID2): the source no.txt does not exist.',
    ],
    [
      'a step up',
      { source_files: ['../all.json'] },
      'the source ../all.json is not a path inside of the sources.',
    ],
    ['an absolute path', { source_files: ['/etc/hostname'] }, 'is not a path inside of the sources.'],
    ['a folder', { source_files: ['folder'] }, 'the source folder is not a file.'],
    ['a PDF', { source_files: ['scan.pdf'] }, 'the source scan.pdf is not text.'],
    [
      'a link that leads out',
      { source_files: ['link.txt'] },
      'the source link.txt is a link to a place outside of the sources.',
    ],
    [
      'a folder that is such a link',
      { source_files: ['out/hostname'] },
      'is a link to a place outside of the sources.',
    ],
  ])('%s', async (_, given, sentence) => {
    await mkdir(join(baseDir, 'sources', 'folder'))
    await write('sources/scan.pdf', new Uint8Array([37, 80, 68, 70, 0, 1]))
    await symlink('/etc/hostname', join(baseDir, 'sources', 'link.txt'))
    await symlink('/etc', join(baseDir, 'sources', 'out'))
    const refused = open([item(1), item(2, given), item(3)])
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(sentence)
  })

  it('a folder of sources that is not there', async () => {
    await expect(open(three, { sourcesDir: 'nowhere' })).rejects.toThrow(
      'which `sourcesDir` of the environment names',
    )
  })

  it('the same question over the same sources in two splits', async () => {
    await expect(open([item(1), { ...item(1), uid: 'again' }, item(3)])).rejects.toThrow('two splits')
    const other = { ...item(1), uid: 'again', source_files: ['b_1952_06.txt'] }
    await expect(open([item(1), other, item(3)])).resolves.toBeDefined()
  })

  it('follows links that stay inside', async () => {
    await symlink('a_1951_06.txt', join(baseDir, 'sources', 'same.txt'))
    await expect(open(three.map(one => ({ ...one, source_files: ['same.txt'] })))).resolves.toBeDefined()
  })
})
