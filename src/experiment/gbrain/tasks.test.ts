import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { splitProblems } from '../../sleep/model/sleep-splits.js'
import { checksProblem } from '../../tasks/scoring/rules.js'
import { type GbrainSkill, gbrainSkills, readGbrain } from './tasks.js'

const names = Object.keys(gbrainSkills) as GbrainSkill[]
const data = (path: string) => new URL(`data/${path}`, import.meta.url)

interface Line {
  readonly task_id: string
  readonly task: string
  readonly judge: { readonly checks: readonly object[] }
}

async function linesOf(name: GbrainSkill, file: string): Promise<Line[]> {
  const text = await readFile(data(`${name}/${file}`), 'utf8')
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
}

describe.each(names)('%s', name => {
  it('has every line of the data as a task, word for word and with its checks', async () => {
    const { tasks, skill } = await readGbrain(name, 1)
    const lines = [...(await linesOf(name, 'benchmark.jsonl')), ...(await linesOf(name, 'held-out.jsonl'))]
    expect(lines).toHaveLength(21)
    expect(tasks.map(({ id, intent, checks }) => ({ id, intent, checks }))).toEqual(
      lines.map(({ task_id, task, judge }) => ({
        id: `${name}-${task_id}`,
        intent: task,
        checks: judge.checks,
      })),
    )
    expect(tasks.flatMap(({ checks }) => checksProblem(checks) ?? [])).toEqual([])
    expect(skill).toMatch(/^---\nname: /)
  })

  it('keeps what is held out for the test, and lets nothing into two splits', async () => {
    const { tasks } = await readGbrain(name, 7)
    const inSplit = (split: string) => tasks.filter(task => task.split === split)
    expect(inSplit('test').map(({ id }) => id)).toEqual(
      (await linesOf(name, 'held-out.jsonl')).map(({ task_id }) => `${name}-${task_id}`),
    )
    expect([inSplit('train').length, inSplit('val').length]).toEqual([10, 5])
    expect(splitProblems(tasks)).toEqual([])
    expect(new Set(tasks.map(({ intent }) => intent)).size).toBe(tasks.length)
  })
})

it('draws the validation tasks by the seed', async () => {
  const validation = async (seed: number) =>
    (await readGbrain('advisor', seed)).tasks.filter(({ split }) => split === 'val').map(({ id }) => id)
  expect(await validation(3)).toEqual(await validation(3))
  expect(await validation(3)).not.toEqual(await validation(4))
})

describe('a set that was damaged', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gbrain-'))
    await cp(fileURLToPath(data('advisor')), folder, { recursive: true })
  })
  afterEach(() => rm(folder, { recursive: true }))

  const read = () => readGbrain('advisor', 1, pathToFileURL(`${folder}/`))
  const write = (file: string, text: string) => writeFile(join(folder, file), text)

  it.each([
    ['{"task_id":"bm-1","task":"Advise."}', /^benchmark\.jsonl, line 1 is no task: there is no "judge"/],
    ['{"task_id":"bm-1","task":"Advise.","judge":{"kind":"rule","checks":[]}}', /"judge\.checks" is empty/],
    [
      '{"task_id":"bm-1","task":"Advise.","judge":{"kind":"rule","checks":[{"op":"sings","arg":"x"}]}}',
      /must be one of contains, /,
    ],
    ['{"task_id":', /benchmark\.jsonl, line 1/],
  ])('says which line of it cannot be used: %s', async (line, problem) => {
    await write('benchmark.jsonl', `${line}\n`)
    await expect(read()).rejects.toThrow(problem)
  })
})
