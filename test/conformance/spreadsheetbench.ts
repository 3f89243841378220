import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import XLSX from '@e965/xlsx'
import * as spreadsheetbench from '../../src/tasks/benchmarks/spreadsheetbench/index.js'
import { scoreContext } from '../score-context.js'
import { realSandbox } from '../support/real-sandbox.js'
import { type EnvironmentSubject, said } from './environment.js'

const items = Array.from({ length: 3 }, (_, index) => ({
  id: `w${index}`,
  instruction: `Write ${index + 5} into the cell B1.`,
  answer_position: 'B1',
}))

function workbook(cells: (string | number)[][]): Buffer {
  const book = XLSX.utils.book_new()
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(cells), 'Data')
  return XLSX.write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer
}

export async function writeWorkbooks(folder: string): Promise<void> {
  await writeFile(join(folder, 'workbooks.json'), JSON.stringify(items))
  for (const [index, { id }] of items.entries()) {
    await mkdir(join(folder, 'spreadsheet', id), { recursive: true })
    await writeFile(join(folder, 'spreadsheet', id, 'initial.xlsx'), workbook([[id]]))
    await writeFile(join(folder, 'spreadsheet', id, 'golden.xlsx'), workbook([[id, index + 5]]))
  }
}

/** Three tiny workbooks, each solved by a program that takes its number from the instruction. */
export function spreadsheetSubject(
  baseDir: () => string,
): EnvironmentSubject<
  Awaited<ReturnType<Awaited<ReturnType<typeof spreadsheetbench.create>>['tasks']>>[number]
> {
  const given = spreadsheetbench.options.parse({ path: 'workbooks.json', ratio: '1:1:1' })
  return {
    create: () => spreadsheetbench.create(given, { baseDir: baseDir() }),
    solve: ({ instruction }) =>
      said(
        [
          '```python',
          'import openpyxl',
          'workbook = openpyxl.load_workbook(INPUT_PATH)',
          `workbook.active["B1"] = ${/\d+/.exec(instruction)?.[0]}`,
          'workbook.save(OUTPUT_PATH)',
          '```',
        ].join('\n'),
      ),
    context: { ...scoreContext, sandbox: realSandbox },
  }
}
