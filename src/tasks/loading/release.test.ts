import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesBelow, readReleaseFiles } from './release.js'

it('skips folders, even those with the name of a data file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'release-'))
  await mkdir(join(folder, 'old.json'))
  await writeFile(join(folder, 'old.json', 'b.txt'), '')
  await writeFile(join(folder, 'a.json'), '[{"question": "1 + 1?"}]')
  expect(await filesBelow(folder)).toEqual(['a.json', 'old.json/b.txt'])
  const items = await readReleaseFiles(folder, { matches: /^[^/]+$/, expected: 'data file', hint: '' })
  expect(items.map(item => item.fallbackId)).toEqual(['a-1'])
})
