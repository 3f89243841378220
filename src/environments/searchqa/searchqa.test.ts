import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError } from '../../core/errors.js'
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
    await expect(refused).rejects.toThrow('all.jsonl, line 2 is not a SearchQA item')
  })

  it('takes the same question over other results for another task', async () => {
    const twins = [item(1), { ...item(2), question: item(1).question }, item(3)]
    await writeFile(join(baseDir, 'all.json'), JSON.stringify(twins))
    await expect(open({ path: 'all.json', ratio: '1:1:1' })).resolves.toBeDefined()
    await writeFile(join(baseDir, 'all.json'), JSON.stringify([item(1), { ...item(1), id: 2 }, item(3)]))
    await expect(open({ path: 'all.json', ratio: '1:1:1' })).rejects.toThrow('two splits')
  })
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
