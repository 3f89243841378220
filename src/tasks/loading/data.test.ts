import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { dataOptions, readSplits } from './data.js'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-data-'))
  const items = Array.from({ length: 20 }, (_, index) => JSON.stringify({ id: `q${index}` }))
  await writeFile(join(folder, 'all.jsonl'), items.join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const options = z.strictObject(dataOptions)

async function ids(given: z.input<typeof options>) {
  const { train, val, test } = await readSplits(options.parse(given), folder)
  return [train, val, test].map(items => items.map(({ fields }) => fields.id))
}

it('a limit leaves the first tasks of each split, and the others where they were', async () => {
  const whole = await ids({ path: 'all.jsonl' })
  expect(whole.map(split => split.length)).toEqual([4, 2, 14])
  expect(await ids({ path: 'all.jsonl', limit: 3 })).toEqual(whole.map(split => split.slice(0, 3)))
  expect(await ids({ path: 'all.jsonl', limit: 0 })).toEqual(whole)
  expect(() => options.parse({ path: 'all.jsonl', limit: -1 })).toThrow()
})
