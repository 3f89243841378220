import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { InputError } from '../../../core/errors/errors.js'
import { create, options } from './index.js'
import { pagesNamed } from './parsed-documents.js'

describe('pagesNamed', () => {
  const two = ['x_1951_06.txt', 'sub/x_1952_12.txt']
  it.each<readonly [string, readonly string[], readonly string[], readonly (readonly [string, number])[]]>([
    [
      'by the issue in the address',
      ['https://e.org/december-1952-7?page=3'],
      two,
      [['sub/x_1952_12.txt', 3]],
    ],
    [
      'by its place in the list',
      ['https://e.org/a?page=1', 'https://e.org/b?x=1&page=2'],
      two,
      [
        ['x_1951_06.txt', 1],
        ['sub/x_1952_12.txt', 2],
      ],
    ],
    [
      'by being the only one',
      ['?page=1', '?page_id=2', '?pagenum=3'],
      ['x.txt'],
      [
        ['x.txt', 1],
        ['x.txt', 2],
        ['x.txt', 3],
      ],
    ],
    ['once', ['?page=1', 'june-1951?page=1'], ['x_1951_06.txt'], [['x_1951_06.txt', 1]]],
    ['not without a page', ['https://e.org/june-1951-7', '?page=', '?page=x', '?page=99999999999'], two, []],
    [
      'not without a source',
      ['?page=1', '?page=2', '?page=3'],
      two,
      [
        ['x_1951_06.txt', 1],
        ['sub/x_1952_12.txt', 2],
      ],
    ],
  ])('%s', (_, documents, sources, expected) => {
    expect(pagesNamed(documents, sources).map(({ source, page }) => [source, page])).toEqual(expected)
  })
})

describe('pages in the prompt', () => {
  let baseDir = ''
  beforeEach(async () => {
    baseDir = await mkdtemp(join(tmpdir(), 'officeqa-pages-'))
    await mkdir(join(baseDir, 'corpus/transformed'), { recursive: true })
    await mkdir(join(baseDir, 'corpus/jsons'))
    await writeFile(join(baseDir, 'corpus/transformed/b_1951_06.txt'), 'text')
    await parsed({ document: { elements } })
  })
  afterEach(() => rm(baseDir, { recursive: true }))

  const elements = [
    { content: 'Tea &amp; coffee', bbox: [{ page_id: 1 }] },
    {
      content: '<table><tr><td>Item</td></tr><tr><td>A&amp;B</td></tr></table>',
      bbox: [{ page_id: 1, coord: [0] }],
    },
    { content: 'on both', bbox: [{ page_id: 1 }, { page_id: 2 }], type: 'text' },
    { content: '😀'.repeat(100), bbox: [{ page_id: 3 }] },
    { content: ' ', bbox: [{ page_id: 4 }] },
    { content: null, bbox: null },
    {},
  ]
  const parsed = (content: unknown) =>
    writeFile(
      join(baseDir, 'corpus/jsons/b_1951_06.json'),
      typeof content === 'string' ? content : JSON.stringify(content),
    )

  async function open(pages: readonly (readonly number[])[], given: object = {}) {
    const items = pages.map((numbers, index) => ({
      uid: `U${index}`,
      question: `Q${index}?`,
      answer: 'x',
      source_files: ['b_1951_06.txt'],
      source_docs: numbers.map(page => `https://example.org/june-1951-7?page=${page}`),
    }))
    await writeFile(join(baseDir, 'all.json'), JSON.stringify(items))
    const all = { path: 'all.json', ratio: '1:1:1', sourcesDir: 'corpus', mode: 'pages', ...given }
    const environment = await create(options.parse(all), { baseDir })
    const prompts = new Map<string, string>()
    for (const split of ['train', 'val', 'test'] as const) {
      for (const task of await environment.tasks(split)) {
        const { prompt } = await environment.open(task, scoreContext)
        prompts.set(task.id, String(prompt).split('Pages of the sources:\n\n')[1] ?? 'none')
      }
    }
    return { environment, prompts }
  }

  it('have entities and tables in readable form', async () => {
    const { environment, prompts } = await open([[1], [2], [2, 1]])
    expect(environment.needs).toEqual(['chat'])
    const first = '### b_1951_06.txt, page 1\n\nTea & coffee\n\n| Item |\n| --- |\n| A&B |\n\non both'
    const second = '### b_1951_06.txt, page 2\n\non both'
    expect([...prompts.entries()].sort()).toEqual([
      ['U0', first],
      ['U1', second],
      ['U2', `${second}\n\n${first}`],
    ])
    const [task] = await environment.tasks('train')
    if (task === undefined) throw new Error('no task')
    const session = await environment.open(task, scoreContext)
    expect([session.tools, session.turnLimit]).toEqual([[], 1])
    expect(session.instructions).not.toContain('grep')
  })

  it('are cut, each and all together, and say so', async () => {
    const { prompts } = await open([[3], [2, 3, 1], [1]], { pageCharacters: 10, pagesCharacters: 15 })
    const cut = '[The rest of this page does not fit here.]'
    expect(prompts.get('U0')).toBe(`### b_1951_06.txt, page 3\n\n${'😀'.repeat(10)}\n\n${cut}`)
    expect(prompts.get('U1')).toBe(
      [
        '### b_1951_06.txt, page 2\n\non both',
        `### b_1951_06.txt, page 3\n\n${'😀'.repeat(8)}\n\n${cut}`,
        '[There are more pages than fit here.]',
      ].join('\n\n'),
    )
  })

  it('stand beside tools, and may be missing there', async () => {
    const { environment, prompts } = await open([[1], [], [2, 9]], { mode: 'both' })
    expect(environment.needs).toEqual(['chat', 'tools'])
    expect(prompts.get('U1')).toBe('none')
    expect(prompts.get('U2')).toBe('### b_1951_06.txt, page 2\n\non both')
    expect(environment.warnings).toEqual([
      `Pages that these tasks name are not in ${join(baseDir, 'corpus', 'jsons')}, or are empty: U2.`,
    ])
  })

  it('make another task when they say something else', async () => {
    const tasks = async () => (await open([[1], [2], [3]])).environment.tasks('train')
    const before = await tasks()
    expect(await tasks()).toEqual(before)
    await parsed({ document: { elements: elements.map(one => ({ ...one, content: 'revised' })) } })
    expect(await tasks()).not.toEqual(before)
  })

  it.each([
    ['that are named nowhere', [[1], [], [2]], 'all.json, item 2 (task U1) names no page in `source_docs`'],
    ['that are not there', [[1], [9], [2]], 'all.json, item 2 (task U1) names no page that has a text'],
    ['that are empty', [[1], [4], [2]], 'all.json, item 2 (task U1) names no page that has a text'],
  ])('are needed without tools: tasks with pages %s are refused', async (_, pages, sentence) => {
    const refused = open(pages)
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(sentence)
  })

  it.each([
    ['{"document":', 'is not a parsed document'],
    [{ elements: [] }, 'b_1951_06.json is not a parsed document'],
    [{ document: { elements: [{ content: 5 }] } }, 'b_1951_06.json is not a parsed document'],
  ])('come from parsed documents: %j is refused', async (content, sentence) => {
    await parsed(content)
    await expect(open([[1], [2], [3]])).rejects.toThrow(sentence)
  })

  it('are looked for where `pagesDir` says, or in or beside the sources', async () => {
    await expect(open([[1], [2], [3]], { sourcesDir: 'corpus/transformed' })).resolves.toBeDefined()
    await expect(open([[1], [2], [3]], { pagesDir: 'corpus/jsons' })).resolves.toBeDefined()
    await expect(open([[1], [2], [3]], { pagesDir: 'nowhere' })).rejects.toThrow('`pagesDir`')
    await rm(join(baseDir, 'corpus/jsons'), { recursive: true })
    await expect(open([[1], [2], [3]])).rejects.toThrow('is a folder "jsons"')
  })
})
