import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { InputError } from '../../../core/errors/errors.js'
import { data } from './data.js'
import { create, cutAtDocuments, options } from './index.js'

let baseDir = ''
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'searchqa-'))
})
afterEach(() => rm(baseDir, { recursive: true }))

const item = (index: number) => ({
  id: index,
  question: `Town number ${index}?`,
  context: `[DOC] Place${index} is a town. [DOC] ${'long '.repeat(20)}`,
  answers: [`Place${index}`],
})

const open = (given: object) => create(options.parse(given), { baseDir })

describe('searchqa', () => {
  it('asks with the results cut at a document, and scores by its own rules', async () => {
    await writeFile(join(baseDir, 'all.json'), JSON.stringify([1, 2, 3].map(item)))
    const environment = await open({ path: 'all.json', ratio: '1:1:1', contextLimit: 60 })
    const [task] = await environment.tasks('val')
    if (task === undefined) throw new Error('no task')
    const session = await environment.open(task, scoreContext)
    expect(session.prompt).toBe(
      `Search results:\n[DOC] Place${task.id} is a town.\n\nQuestion: Town number ${task.id}?`,
    )
    expect(session.instructions).toContain('<answer>')
    const attempt = {
      messages: [],
      answer: `<answer>the place${task.id}!</answer>`,
      stop: 'answered',
    } as const
    const score = await environment.score(task, attempt, scoreContext)
    expect(score).toMatchObject({ hard: 1, soft: 1 })
  })

  it('refuses items of another shape, with their place', async () => {
    await writeFile(
      join(baseDir, 'all.jsonl'),
      `${JSON.stringify(item(1))}\n{"id":"x","question":"Q?"}\n${JSON.stringify(item(3))}`,
    )
    const refused = open({ path: 'all.jsonl', ratio: '1:1:1' })
    await expect(refused).rejects.toThrow(InputError)
    await expect(refused).rejects.toThrow(
      'all.jsonl, line 2 is not a SearchQA item: there is no "context"; there is no "answers".',
    )
  })

  it('treats the same question over other results as another task', async () => {
    const twins = [item(1), { ...item(2), question: item(1).question }, item(3)]
    await writeFile(join(baseDir, 'all.json'), JSON.stringify(twins))
    await expect(open({ path: 'all.json', ratio: '1:1:1' })).resolves.toBeDefined()
    await writeFile(join(baseDir, 'all.json'), JSON.stringify([item(1), { ...item(1), id: 2 }, item(3)]))
    await expect(open({ path: 'all.json', ratio: '1:1:1' })).rejects.toThrow('two splits')
  })
})

describe('the data of SearchQA', () => {
  const published = {
    key: 'abc',
    question: 'Q?',
    context: '[DOC] a',
    answers: ['a'],
    labels: [{ start: [1] }],
  }
  const placed = (fields: Readonly<Record<string, unknown>>) => {
    return { fields, at: 'all.jsonl, line 1', fallbackId: 'all-1', folder: baseDir, root: baseDir }
  }

  it('has the id of a published item in `key`, and leaves out where the answer stands', () => {
    const { key, labels: _, ...others } = published
    expect(data.toItem(placed(published))).toEqual({ ...others, id: key })
    expect(data.toItem(placed(item(1)))).toEqual(item(1))
  })

  it('is read from a file or from all files of a folder, and refused where there is none', async () => {
    await writeFile(join(baseDir, 'train.jsonl'), JSON.stringify(published))
    await writeFile(join(baseDir, 'validation.jsonl'), JSON.stringify({ ...published, key: 'def' }))
    expect(await data.readRelease(join(baseDir, 'train.jsonl'))).toHaveLength(1)
    const all = await data.readRelease(baseDir)
    expect(all.map(({ fields, at }) => [fields.key, at])).toEqual([
      ['abc', 'train.jsonl, line 1'],
      ['def', 'validation.jsonl, line 1'],
    ])
    await mkdir(join(baseDir, 'empty'))
    await expect(data.readRelease(join(baseDir, 'empty'))).rejects.toThrow('has no data file')
  })

  it('is checked by the reader of the environment', async () => {
    const inspect = await data.inspector({ folder: baseDir })
    expect(() => inspect(placed(item(1)))).not.toThrow()
    expect(() => inspect(placed(published))).toThrow('all.jsonl, line 1 is not a SearchQA item')
  })
})

it('brings prompts for analysts that keep the contract', async () => {
  await writeFile(join(baseDir, 'all.json'), JSON.stringify([1, 2, 3].map(item)))
  const { prompts = {} } = await open({ path: 'all.json', ratio: '1:1:1' })
  expect(Object.keys(prompts)).toEqual(['analyst-failure', 'analyst-success'])
  expect(prompts['analyst-failure']).toMatch(/\{\{form\}\}[\s\S]*"failure_summary"/)
  expect(prompts['analyst-success']).toMatch(/\{\{form\}\}[\s\S]*"success_patterns"/)
})

describe('cutAtDocuments', () => {
  it.each([
    ['[DOC] a [DOC] b', 100, '[DOC] a [DOC] b'],
    ['[DOC] a [DOC] b', 14, '[DOC] a'],
    ['[DOC] a [DOC] b', 8, '[DOC] a'],
    ['[DOC] a [DOC] b [DOC] c', 18, '[DOC] a [DOC] b'],
    ['[DOC] abcdefgh', 9, '[DOC] abc'],
    ['no documents here', 5, 'no do'],
    ['😀😀😀', 2, '😀😀'],
  ])('%j at %i', (context, limit, cut) => {
    expect(cutAtDocuments(context, limit)).toBe(cut)
  })
})
