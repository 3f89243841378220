import { cp, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { InputError, PausedError } from '../../../core/errors/errors.js'
import { type PlacedItem, readSplits } from '../../loading/data.js'
import { readItem, readItems } from './items.js'

const fixtures = fileURLToPath(new URL('../../../../test/fixtures/spreadsheetbench', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-items-'))
  await cp(join(fixtures, 'spreadsheet', '42354'), join(folder, 'spreadsheet', '42354'), { recursive: true })
  return () => rm(folder, { recursive: true })
})

const fields = {
  id: 42354,
  instruction: 'Fill the column.',
  spreadsheet_path: 'spreadsheet/42354',
  instruction_type: 'Cell-Level Manipulation',
  answer_position: 'D2:D8',
}

const item = (changed: object = {}): PlacedItem => ({
  fields: { ...fields, ...changed },
  at: 'items.json, item 3',
  fallbackId: 'train-3',
  folder,
  root: folder,
})

const refusal = async (changed: object) => {
  const error = await readItem(item(changed)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message
}

describe('the bundled items', () => {
  it('are read from their splits', async () => {
    const items = await readItems(
      await readSplits({ splitDir: '.', ratio: '2:1:7', seed: 42, limit: 0 }, fixtures),
    )
    const { train, val, test } = items.tasks
    expect([train.length, val.length, test.length]).toEqual([8, 4, 8])
    const [task] = train
    expect(task).toMatchObject({ id: '46646', type: 'cell_level', answerPosition: 'B11:M11' })
    expect(task?.cases).toHaveLength(1)
    if (task === undefined) throw new Error('no task')
    const [paths] = await items.casePaths(task)
    expect(paths).toMatchObject({ number: '1', input: join(fixtures, 'spreadsheet/46646/1_46646_init.xlsx') })
  })

  it('may have three cases, and an answer sheet of their own', async () => {
    const root = join(fixtures, 'three_case_912')
    const [first, second]: readonly object[] = JSON.parse(await readFile(join(root, 'items.json'), 'utf8'))
    const read = (given = {}) => readItem({ ...item(), fields: { ...given }, folder: root, root })
    expect((await read(first)).task).toMatchObject({ id: '516-46', type: 'sheet_level' })
    const { task } = await read(second)
    expect(task.answerPosition).toBe('Sheet3!B2:E6')
    expect(task.positions).toEqual([{ sheet: 'Sheet3', range: { top: 2, left: 2, bottom: 6, right: 5 } }])
    expect(task.cases.map(({ number }) => number)).toEqual(['1', '2', '3'])
  })
})

describe('an item', () => {
  it('finds its files below the folder that is named for them', async () => {
    const elsewhere = { ...item(), root: '/nowhere', folder: '/nowhere' }
    expect((await readItem(elsewhere, folder)).folder).toBe(join(folder, 'spreadsheet/42354'))
    await expect(readItem(elsewhere)).rejects.toThrow('there is no folder spreadsheet/42354')
  })

  it('needs no path where the folder is named by its id', async () => {
    expect((await readItem(item({ spreadsheet_path: null }))).task.cases).toHaveLength(1)
  })

  it('is another task with other files, wherever they are', async () => {
    const { task } = await readItem(item())
    expect(JSON.stringify(task)).not.toContain(folder)
    await cp(
      join(fixtures, 'spreadsheet/32255/1_32255_init.xlsx'),
      join(folder, 'spreadsheet/42354/1_42354_init.xlsx'),
    )
    expect((await readItem(item())).task).not.toEqual(task)
  })

  it('is refused in one sentence with its place and id', async () => {
    expect(await refusal({ answer_position: 'D2:' })).toBe(
      'items.json, item 3 (task 42354): the answer position "D2:" cannot be read: "D2:" is no cell or range.',
    )
    expect(await refusal({ spreadsheet_path: 'spreadsheet/1' })).toBe(
      'items.json, item 3 (task 42354): there is no folder spreadsheet/1.',
    )
    expect(await refusal({ spreadsheet_path: '../secret' })).toMatch(
      /\(task 42354\): the folder \.\.\/secret lies outside of /,
    )
    expect(await refusal({ instruction: 7 })).toMatch(
      /^items\.json, item 3 is not a SpreadsheetBench item: .*instruction/s,
    )
    expect(await refusal({ answer_position: undefined })).toMatch(/answer_position/)
  })

  it('is refused for a file that is missing or damaged', async () => {
    const gold = join(folder, 'spreadsheet/42354/1_42354_golden.xlsx')
    await truncate(gold, 3000)
    expect(await refusal({})).toBe(
      'items.json, item 3 (task 42354): the file spreadsheet/42354/1_42354_golden.xlsx is damaged or cut short.',
    )
    await rm(gold)
    expect(await refusal({})).toBe(
      'items.json, item 3 (task 42354): spreadsheet/42354 has 1_42354_init.xlsx, but not 1_42354_golden.xlsx.',
    )
  })
})

describe('all items', () => {
  it('are rejected together, so that they can be fixed together', async () => {
    const splits = {
      train: [item(), item({ id: 1, answer_position: '?' })],
      val: [item({ id: 2, spreadsheet_path: 'x' })],
      test: [],
    }
    await expect(readItems(splits)).rejects.toThrow(
      /\(task 1\): the answer position .*\n.*\(task 2\): there is no folder x\.$/,
    )
  })

  it('are rejected if one is in two splits', async () => {
    const copy = { train: [item()], val: [], test: [item({ id: 2 })] }
    await expect(readItems(copy)).rejects.toThrow('The same task stands in two splits under different ids')
  })

  it('detect a file that changes later', async () => {
    const { tasks, casePaths } = await readItems({ train: [item()], val: [], test: [] })
    const [task] = tasks.train
    if (task === undefined) throw new Error('no task')
    const input = join(folder, 'spreadsheet/42354/1_42354_init.xlsx')
    await writeFile(input, 'other')
    await expect(casePaths(task)).rejects.toThrow(/1_42354_init\.xlsx of task 42354 is not what it was\.$/)
    await rm(input)
    await expect(casePaths(task)).rejects.toThrow(PausedError)
  })
})
