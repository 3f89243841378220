import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readRows } from './rows.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function rows(name: string, text: string) {
  await writeFile(join(folder, name), text)
  return readRows(join(folder, name))
}

it('reads a TSV as a CSV, with tabs between', async () => {
  expect(await rows('a.tsv', 'id\ttext\n1\tone, two\n2\t"a\tb"\n')).toEqual([
    { fields: { id: '1', text: 'one, two' }, at: 'a.tsv, line 2', number: 2 },
    { fields: { id: '2', text: 'a\tb' }, at: 'a.tsv, line 3', number: 3 },
  ])
  await expect(rows('b.tsv', 'id\ttext\n1\n')).rejects.toThrow(/b\.tsv is not valid TSV/)
  await expect(rows('b.csv', 'id,text\n1\n')).rejects.toThrow(/b\.csv is not valid CSV/)
})

it('reads a list under `data`, and other objects line by line', async () => {
  const published = JSON.stringify({ version: '1.0', data: [{ id: 1 }, { id: 2 }] }, null, 2)
  expect((await rows('a.json', published)).map(({ at, fields }) => [at, fields.id])).toEqual([
    ['a.json, item 1', 1],
    ['a.json, item 2', 2],
  ])
  expect((await rows('b.json', '{"id":1,"data":"x"}\n{"id":2}')).map(({ at }) => at)).toEqual([
    'b.json, line 1',
    'b.json, line 2',
  ])
  await expect(rows('c.json', '{"data": [')).rejects.toThrow('c.json, line 1 is not valid JSON')
  await expect(rows('d.json', '{"data": [1]}')).rejects.toThrow('d.json, item 1 is not an object')
})

it('prints nothing of a YAML file, whose text could steer the terminal', async () => {
  const file = join(folder, 'tasks.yaml')
  await writeFile(file, '- question: a\n  answer: !!js/x \u001b]0;title\u0007\n- { { a: b }: c }\n')
  const warnings: Error[] = []
  const collect = (warning: Error) => void warnings.push(warning)
  process.on('warning', collect)
  try {
    expect(await readRows(file)).toHaveLength(2)
    // Node emits warnings asynchronously.
    await new Promise(setImmediate)
  } finally {
    process.off('warning', collect)
  }
  expect(warnings).toEqual([])
})
