import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workbookWith } from '../../../../test/support/zip.js'
import { InputError } from '../../../core/errors/errors.js'
import type { Sandbox } from '../../../core/ports/sandbox.js'
import { createSandbox } from '../../../sandbox/index.js'
import { cellAt } from './cells.js'
import { checkRecalculation, recalculated } from './recalculate.js'
import { readWorkbook } from './workbook.js'

const signal = new AbortController().signal
const sandbox = createSandbox('auto')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-recalculate-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function fileWith(rows: string): Promise<string> {
  const path = join(folder, 'made.xlsx')
  await writeFile(path, workbookWith(rows))
  return path
}

/** A sandbox with a stubbed LibreOffice. */
function sandboxWith(program: Pick<Sandbox, 'has' | 'run'>): Sandbox {
  return { id: 'fake', check: async () => undefined, ...program }
}

const formulas =
  '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f></c><c r="C1"><f>A1/0</f><v></v></c></row>' +
  '<row r="2"><c r="A2"><v>5</v></c><c r="B2"><f>A2*3</f><v>0</v></c><c r="C2" t="str"><f>"a"&amp;A2</f></c></row>'

const works = await checkRecalculation({ sandbox, signal }).then(
  () => true,
  (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The tests of recalculation need a sandbox with LibreOffice: ${reason}`
    if (process.env.CI !== undefined) throw new Error(message)
    process.stderr.write(`\n!!! SKIPPED: ${message}\n\n`)
    return false
  },
)

describe.runIf(works)('LibreOffice in the sandbox', () => {
  it('gives formulas the values that they have', async () => {
    const file = await fileWith(formulas)
    const workbook = await recalculated(await readWorkbook(file), file, { sandbox, signal })
    const [sheet] = workbook.sheets
    if (sheet === undefined) throw new Error('no sheet')
    expect(cellAt(sheet, 1, 2)).toMatchObject({ kind: 'number', value: 6, formula: 'A1*3' })
    expect(cellAt(sheet, 1, 3)).toMatchObject({ kind: 'error', value: '#DIV/0!' })
    expect(cellAt(sheet, 2, 2)).toMatchObject({ kind: 'number', value: 15 })
    expect(cellAt(sheet, 2, 3)).toMatchObject({ kind: 'text', value: 'a5' })
    expect(cellAt(sheet, 1, 1)).toEqual({ kind: 'number', value: 2 })
  })
})

describe('without LibreOffice', () => {
  it('is refused, with what to do', async () => {
    const bare = sandboxWith({ has: async () => false, run: sandbox.run })
    const check = checkRecalculation({ sandbox: bare, signal })
    await expect(check).rejects.toThrow(InputError)
    await expect(check).rejects.toMatchObject({ hint: expect.stringContaining('recalculate: false') })
  })

  const broken = sandboxWith({
    has: async () => true,
    run: async () => ({
      exitCode: 1,
      stdout: '',
      stderr: 'cannot open display',
      timedOut: false,
      truncated: false,
    }),
  })

  it('is rejected if it is installed but does not work', async () => {
    await expect(checkRecalculation({ sandbox: broken, signal })).rejects.toThrow(
      'LibreOffice does not work in the sandbox: cannot open display',
    )
  })

  it('leaves a workbook that it cannot open unchanged', async () => {
    const file = await fileWith(formulas)
    const workbook = await readWorkbook(file)
    expect(await recalculated(workbook, file, { sandbox: broken, signal })).toEqual(workbook)
  })

  it('is not needed for a workbook without formulas', async () => {
    const never = sandboxWith({
      has: async () => true,
      run: () => Promise.reject(new Error('nothing has to be run')),
    })
    const file = await fileWith('<row r="1"><c r="A1"><v>2</v></c></row>')
    const workbook = await readWorkbook(file)
    expect(await recalculated(workbook, file, { sandbox: never, signal })).toBe(workbook)
  })
})
