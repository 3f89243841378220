import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Library } from '../../src/cli/library.js'
import { main } from '../../src/cli/main.js'
import { fakeIo } from './fake-io.js'

/** A separate folder for each test, and `skillopt data …` in it. */
export function dataWorld() {
  let cwd = ''
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'skillopt-data-'))
  })
  afterEach(() => rm(cwd, { recursive: true }))
  return {
    at: (...names: string[]) => join(cwd, ...names),
    async run(...argv: string[]) {
      const io = fakeIo<Library>({ cwd })
      const code = await main(['data', ...argv], io)
      return { code, out: io.out(), err: io.err(), json: () => JSON.parse(io.out()) }
    },
    async put(name: string, content: unknown) {
      await mkdir(dirname(join(cwd, name)), { recursive: true })
      await writeFile(join(cwd, name), typeof content === 'string' ? content : JSON.stringify(content))
    },
    read: async (name: string) => JSON.parse(await readFile(join(cwd, name), 'utf8')) as { id: string }[],
  }
}
