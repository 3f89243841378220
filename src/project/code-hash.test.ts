import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { contentHash } from '../core/text/hash.js'
import { codeHash } from './code-hash.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-code-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function hashOf(files: Record<string, string>, where = folder): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(where, name)), { recursive: true })
    await writeFile(join(where, name), text)
  }
  return codeHash(join(where, 'a.ts'))
}

it('is the hash of the text without relative imports', async () => {
  const text = "import { readFile } from 'node:fs/promises'\nimport x from 'zod'\n// from './gone.js'\n"
  expect(await hashOf({ 'a.ts': text })).toBe(contentHash(text))
})

it.each([
  ['a static import', "import { b } from './b.js'", 'b.ts'],
  ['an import without an ending', "import { b } from './b'", 'b.ts'],
  ['a folder', 'export * from "./b"', 'b/index.ts'],
  ['a dynamic import', "await import('./b.mjs')", 'b.mjs'],
  ['require', "const b = require('./b.cjs')", 'b.cjs'],
  ['data', "import data from './b.json' with { type: 'json' }", 'b.json'],
  ['a file above', "import '../c/b.ts'", '../c/b.ts'],
])('changes with what is imported: %s', async (_name, line, imported) => {
  const where = join(folder, 'project')
  const first = await hashOf({ 'a.ts': line, [imported]: '1' }, where)
  expect(await hashOf({ [imported]: '1' }, where)).toBe(first)
  expect(await hashOf({ [imported]: '2' }, where)).not.toBe(first)
})

it('follows transitive and circular imports, independent of the project location', async () => {
  const files = { 'a.ts': "import './b.ts'", 'b.ts': "import './c.ts'", 'c.ts': "import './a.ts'" }
  const first = await hashOf(files)
  expect(await hashOf(files, join(folder, 'moved'))).toBe(first)
  expect(await hashOf({ 'c.ts': "import './a.ts' // changed" })).not.toBe(first)
})
