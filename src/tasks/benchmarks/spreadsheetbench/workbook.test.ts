import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { utils, write } from '@e965/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workbookFolder } from '../../../../test/support/python-table.js'
import { workbookWith, zip } from '../../../../test/support/zip.js'
import { createReader, readWholeFile, readWorkbook } from './workbook.js'
import { WorkbookError } from './workbook-error.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-workbook-'))
})
afterAll(() => rm(folder, { recursive: true }))

const good = join(workbookFolder, 'cells.xlsx')
const limits = { fileBytes: 10_000_000, unpackedBytes: 10_000_000, memoryMegabytes: 500, seconds: 30 }

async function fileWith(content: Buffer | string): Promise<string> {
  const path = join(folder, 'made.xlsx')
  await writeFile(path, content)
  return path
}

/** The problem of a rejected read; it continues after the file's name. */
async function problemOf(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(WorkbookError)
  return (error as WorkbookError).message
}

describe('a workbook', () => {
  it('is read in a thread, one after the other', async () => {
    const [one, two] = await Promise.all([readWorkbook(good), readWorkbook(good)])
    expect(one.sheets.map(({ name }) => name)).toEqual(['texts & more', 'numbers', 'nothing'])
    expect(two).toEqual(one)
  })

  it('of 50,000 cells is read whole', async () => {
    const rows = Array.from({ length: 1000 }, (_, row) =>
      Array.from({ length: 50 }, (_, column) => row * column),
    )
    const book = utils.book_new()
    utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'large')
    const path = await fileWith(write(book, { type: 'buffer', bookType: 'xlsx', compression: true }))
    expect((await readWorkbook(path)).sheets[0]?.cells.size).toBe(50_000)
  })

  it('that stands alone is as large as its two cells, however far apart', async () => {
    const path = await fileWith(
      workbookWith(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>',
      ),
    )
    const [sheet] = (await readWorkbook(path)).sheets
    expect(sheet?.cells.size).toBe(2)
    expect(sheet?.used).toEqual({ top: 1, left: 1, bottom: 1_048_576, right: 16_384 })
  })
})

describe('a file that is no workbook', () => {
  it('is refused for what it is', async () => {
    const whole = await readFile(good)
    const damaged = Buffer.from(whole)
    damaged.fill(0, 300, 340)
    const cases: readonly (readonly [Buffer | string, RegExp])[] = [
      ['', /^is not an \.xlsx file$/],
      ['name,value\na,1\n', /^is not an \.xlsx file$/],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /^is not an \.xlsx file$/],
      ['PK', /^is damaged or cut short$/],
      [whole.subarray(0, whole.length - 100), /^is damaged or cut short$/],
      [whole.subarray(0, 2000), /^is damaged or cut short$/],
      [damaged, /^is damaged: /],
      [zip([{ name: 'readme.txt', content: Buffer.from('hello') }]), /^is a zip file, but not a workbook$/],
      [zip([{ name: 'xl/workbook.xml', content: Buffer.from('<workbook/>') }]), /^is damaged \(/],
    ]
    for (const [content, problem] of cases) {
      const path = await fileWith(content)
      expect(await problemOf(readWorkbook(path))).toMatch(problem)
    }
  })

  it('is refused when it is not there, or a folder', async () => {
    expect(await problemOf(readWorkbook(join(folder, 'none.xlsx')))).toBe('does not exist')
    expect(await problemOf(readWorkbook(folder))).toBe('cannot be read (it is a folder)')
  })

  it('is found by the check alone, without a thread', async () => {
    await copyFile(good, join(folder, 'copy.xlsx'))
    expect(await readWholeFile(join(folder, 'copy.xlsx'))).toEqual(await readFile(good))
    expect(await problemOf(readWholeFile(await fileWith('no')))).toBe('is not an .xlsx file')
  })
})

describe('a file that was made to do harm', () => {
  const bomb = Buffer.alloc(20_000_000)

  it('is not unpacked where it says itself that it is too large', async () => {
    const path = await fileWith(zip([{ name: '[Content_Types].xml', content: bomb }]))
    expect(await problemOf(createReader(limits)(path))).toBe('is too large when it is unpacked')
  })

  it('is unpacked no further than it says, where that is a lie', async () => {
    const path = await fileWith(zip([{ name: '[Content_Types].xml', content: bomb, declaredBytes: 100 }]))
    expect(await problemOf(createReader(limits)(path))).toMatch(/^is damaged: \[Content_Types\]\.xml/)
    const wrong = zip([{ name: '[Content_Types].xml', content: Buffer.from('<Types/>'), checksum: 1 }])
    expect(await problemOf(createReader(limits)(await fileWith(wrong)))).toMatch(/is not what was packed$/)
  })

  it('is given up when it takes too much memory, and the next file is read', async () => {
    // One line that covers seventeen billion cells.
    const link = '<hyperlinks><hyperlink ref="A1:XFD1048576" location="A1"/></hyperlinks>'
    const read = createReader({ ...limits, memoryMegabytes: 60 })
    const hostile = await fileWith(workbookWith(`</sheetData>${link}<sheetData>`))
    expect(await problemOf(read(hostile))).toBe('is too large')
    const small = await fileWith(workbookWith('<row r="1"><c r="A1"><v>1</v></c></row>'))
    expect((await read(small)).sheets).toHaveLength(1)
  })

  it('is given up when it takes too long', async () => {
    expect(await problemOf(createReader({ ...limits, seconds: 0.01 })(good))).toBe(
      'takes more than 0.01 seconds to read',
    )
  })

  it('is left at once when the run is stopped', async () => {
    const stop = new AbortController()
    const reading = createReader(limits)(good, stop.signal)
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await expect(reading).rejects.toThrow('stopped')
    await expect(readWorkbook(good, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })
})
