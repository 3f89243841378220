import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../../test/score-context.js'
import { pythonTable, workbookFolder } from '../../../../test/support/python-table.js'
import { PausedError } from '../../../core/errors/errors.js'
import { readRows } from '../../loading/rows.js'
import type { CasePaths, SpreadsheetTask } from './items.js'
import { readItem } from './items.js'
import { parsePositions } from './positions.js'
import { checkCase, scoreOf } from './score.js'

const fixtures = fileURLToPath(new URL('../../../../test/fixtures/spreadsheetbench', import.meta.url))
const context = { ...scoreContext, recalculate: false }

/** Every bundled item, with its files. */
async function bundled(): Promise<readonly { task: SpreadsheetTask; paths: readonly CasePaths[] }[]> {
  const files = ['train', 'val', 'test', 'three_case_912'].map(name => join(fixtures, name, 'items.json'))
  const rows = await Promise.all(
    files.map(async file => {
      const root = file.includes('three_case_912') ? join(fixtures, 'three_case_912') : fixtures
      return (await readRows(file)).map(row => ({ ...row, fallbackId: '', folder: root, root }))
    }),
  )
  return Promise.all(
    rows.flat().map(async item => {
      const { task, folder } = await readItem(item)
      const paths = task.cases.map(({ number, input, gold }) => ({
        number,
        input: join(folder, input.name),
        gold: join(folder, gold.name),
      }))
      return { task, paths }
    }),
  )
}

const items = await bundled()

describe.each(items)('task $task.id', ({ task, paths }) => {
  it('passes with its reference files', async () => {
    const results = await Promise.all(
      paths.map(path => checkCase(task, path, { output: path.gold }, context)),
    )
    expect(scoreOf(results)).toMatchObject({ hard: 1, soft: 1 })
  })

  it('scores untouched inputs as the Python rules do', async () => {
    const results = await Promise.all(
      paths.map(path => checkCase(task, path, { output: path.input }, context)),
    )
    const found = results.map(result => ({
      passed: result.passed,
      wrong: 'wrong' in result ? result.wrong.map(({ cell }) => cell) : [],
    }))
    expect(found).toEqual(pythonTable.untouched[task.id])
  })
})

it('covers all 22 bundled tasks', () => {
  expect(items.map(({ task }) => task.id).sort()).toEqual(Object.keys(pythonTable.untouched).sort())
  expect(items).toHaveLength(22)
})

describe('a score', () => {
  const workbook = join(workbookFolder, 'cells.xlsx')
  const paths = { number: '1', input: workbook, gold: workbook }
  const taskAt = (position: string): SpreadsheetTask => ({
    id: 'own',
    instruction: 'x',
    answerPosition: position,
    cases: [],
    positions: parsePositions(position),
  })

  it('counts the cases that passed', () => {
    const right = { passed: true, wrong: [], missingSheets: [], unknownSheets: [] }
    const wrong = { passed: false, problem: 'The program failed.\nNameError' } as const
    expect(scoreOf([right, wrong, right])).toEqual({
      hard: 0,
      soft: 2 / 3,
      feedback: '2 of 3 cases passed.\nCase 2: The program failed.\nNameError',
    })
    expect(scoreOf([right])).toEqual({ hard: 1, soft: 1, feedback: 'The workbook is right.' })
  })

  it('says which cells are wrong, what belongs there and what was found', async () => {
    const [three] = items.filter(({ task }) => task.id === '42354')
    const [path] = three?.paths ?? []
    if (three === undefined || path === undefined) throw new Error('no such task')
    const result = await checkCase(three.task, path, { output: path.input }, context)
    expect(scoreOf([result]).feedback).toMatchInlineSnapshot(`
      "The workbook is wrong.
      2 cells are wrong:
      - Query!D6: expected "Completed", found nothing
      - Query!D7: expected 2019-09-05 (date), found nothing"
    `)
  })

  it('says that formulas without values count as nothing', () => {
    const cell = { kind: 'empty', formula: 'SUM(A1:A2)' } as const
    const wrong = Array.from({ length: 14 }, (_, index) => ({
      cell: `Sheet1!A${index + 1}`,
      expected: { kind: 'number', value: index } as const,
      found: cell,
    }))
    const { feedback } = scoreOf([{ passed: false, wrong, missingSheets: ['Other'], unknownSheets: [] }])
    expect(feedback).toContain('The sheet "Other" is missing.\n14 cells are wrong:\n')
    expect(feedback).toContain(
      '- Sheet1!A2: expected 1 (number), found the formula =SUM(A1:A2) without a value',
    )
    expect(feedback).toContain('- and 2 more\nAll of them hold formulas')
    expect(feedback).not.toContain('Sheet1!A13')
  })

  it('takes a file that cannot be read for the agent’s fault', async () => {
    const result = await checkCase(
      taskAt('A1'),
      paths,
      { output: join(workbookFolder, 'python.json') },
      context,
    )
    expect(result).toEqual({ passed: false, problem: 'the workbook that was made is not an .xlsx file' })
    expect(scoreOf([result]).feedback).toBe(
      'The workbook is wrong.\nThe workbook that was made is not an .xlsx file.',
    )
  })

  it('pauses the run if the reference file cannot be read', async () => {
    const broken = { ...paths, gold: join(workbookFolder, 'python.json') }
    await expect(checkCase(taskAt('A1'), broken, { output: workbook }, context)).rejects.toThrow(PausedError)
  })

  it('passes nothing where the reference file lacks the sheet itself', async () => {
    const result = await checkCase(taskAt('Nowhere!A1'), paths, { output: workbook }, context)
    expect(scoreOf([result])).toMatchObject({ hard: 0, soft: 0 })
    expect(scoreOf([result]).feedback).toContain('The reference file has no sheet "Nowhere" either')
  })
})
