import { cp, mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { dataWorld } from '../../../../test/support/data-world.js'
import { png } from '../../../../test/support/pictures.js'
import { exitCodes } from '../../../core/errors/errors.js'

const { at, run, put, read } = dataWorld()

describe('files of items', () => {
  it('DocVQA: looks for images in the given folder and names the missing ones', async () => {
    const rows = ['questionId,question,answers,image_path']
    for (let index = 0; index < 10; index += 1)
      rows.push(`${index},What is ${index}?,"[""${index}""]",page-${index % 2}.png`)
    await put('copy/docvqa.csv', `${rows.join('\n')}\n`)
    await mkdir(at('pages'))
    await writeFile(at('pages/page-0.png'), png())
    const missing = await run('check', 'docvqa', '--from', 'copy', '--files', 'pages')
    expect(missing.code).toBe(exitCodes.badInput)
    expect(missing.out).toContain('not usable: 5 items')
    expect(missing.out).toContain('the file page-1.png does not exist')
    expect(missing.out).toContain('Pass the folder with the files as --files')
    await writeFile(at('pages/page-1.png'), png())
    const split = await run('split', 'docvqa', '--from', 'copy', '--files', 'pages', '--to', 'data')
    expect(split.out).toContain('    splitDir: data\n    imageRoot: pages\n')
  })

  it('LiveMathematicianBench: ids are the month and the number in it', async () => {
    const choice = (label: string) => ({ label, text: `Statement ${label}` })
    const question = (no: number) => ({
      no,
      mcq: {
        question: `Theorem ${no}?`,
        correct_choice: choice('A'),
        choices: ['B', 'C', 'D', 'E'].map(choice),
      },
    })
    await put('raw/202511/qa_202511_final.json', [1, 2, 3, 4, 5].map(question))
    await put('raw/202512/qa_202512_final.json', [1, 2, 3, 4, 5].map(question))
    await put('ids.json', { train: ['202512:2'], val: ['202511:2'], test: ['202511:5'] })
    const argv = ['split', 'livemath', '--from', 'raw', '--to', 'data', '--manifest', 'ids.json']
    expect((await run(...argv)).err).toBe('')
    expect((await read('data/train/items.json')).map(({ id }) => id)).toEqual(['202512:2'])
    await put('raw/202512/qa_202512_final.json', [{ no: 1, mcq: { question: 'Theorem?' } }])
    expect((await run('check', 'livemath', '--from', 'raw')).out).toContain(
      '202512/qa_202512_final.json, item 1',
    )
  })

  it('OfficeQA: finds the documents in a published copy', async () => {
    const rows = ['uid,question,answer,source_files']
    for (let index = 0; index < 10; index += 1)
      rows.push(`UID${index},What is ${index}?,${index},bulletin.txt`)
    await put('copy/officeqa_full.csv', `${rows.join('\n')}\n`)
    await put('copy/officeqa_pro.csv', rows.slice(0, 3).join('\n'))
    await mkdir(at('copy/treasury_bulletins_parsed/transformed'), { recursive: true })
    const missing = await run('check', 'officeqa', '--from', 'copy')
    expect(missing.out).toContain('the source bulletin.txt does not exist')
    await put('copy/treasury_bulletins_parsed/transformed/bulletin.txt', 'Figures.\n')
    const { out } = await run('split', 'officeqa', '--from', 'copy', '--to', 'data')
    expect(out).toContain('    sourcesDir: copy/treasury_bulletins_parsed\n')
  })

  it('SpreadsheetBench: checks the workbooks of every item', async () => {
    const question = (id: number) => ({
      id,
      instruction: `Add up column ${id}.`,
      answer_position: 'A1',
      spreadsheet_path: `spreadsheet/${id}`,
    })
    await put('copy/dataset.json', [1, 2, 3].map(question))
    await put('copy/spreadsheet/1/initial.xlsx', 'not a workbook')
    await put('copy/spreadsheet/1/golden.xlsx', 'not a workbook')
    await put('copy/spreadsheet/2/initial.xlsx', 'no gold')
    const { code, out } = await run('check', 'spreadsheetbench', '--from', 'copy')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toContain('not usable: 3 items')
    expect(out).toMatch(/dataset\.json, item 1 \(task 1\): the file spreadsheet\/1\/initial\.xlsx /)
    expect(out).toContain('dataset.json, item 2 (task 2): spreadsheet/2 has no file golden.xlsx.')
    expect(out).toContain('dataset.json, item 3 (task 3): there is no folder spreadsheet/3.')
    const split = await run('split', 'spreadsheetbench', '--from', 'copy', '--to', 'data', '--ratio', '1:1:1')
    expect(split.err).toContain('3 items cannot be used; nothing was written. dataset.json, item')
  })

  it('ALFWorld: games are divided by the paths of a manifest, which names them anew', async () => {
    const games = new URL('../../../../examples/alfworld/games/', import.meta.url)
    await cp(new URL('json_2.1.1/valid_seen', games), at('json_2.1.1/valid_seen'), { recursive: true })
    const found = await run('check', 'alfworld', '--from', 'json_2.1.1', '--json')
    expect(found.json()).toMatchObject({ form: 'release', items: 4, ok: true })
    expect((await run('split', 'alfworld', '--from', '.', '--to', 'all', '--ratio', '2:1:1')).code).toBe(0)
    const files = ['all/train/items.json', 'all/val/items.json']
    const [one, two, three] = (await Promise.all(files.map(read))).flat().map(({ id }) => id)
    await put('ids.json', {
      train: [{ id: 't:1', gamefile: one }],
      val: [{ id: 'v:1', gamefile: two }],
      test: [three],
    })
    const split = await run(
      'split',
      'alfworld',
      '--from',
      'json_2.1.1',
      '--to',
      'data',
      '--manifest',
      'ids.json',
    )
    expect(split.out).toContain(`    gamesDir: ${at()}\n`)
    expect(await read('data/train/items.json')).toEqual([{ id: 't:1', gamefile: one }])
    await writeFile(at(two ?? ''), '{"pddl_domain": "')
    const cut = await run('check', 'alfworld', '--from', 'data', '--files', '.')
    expect(cut.out).toContain('is cut short')
    expect((await run('check', 'alfworld', '--from', 'all')).out).toContain('does not exist')
  })
})
