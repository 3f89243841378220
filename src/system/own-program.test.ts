import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownProgram } from './own-program.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-own-program-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(folder, { recursive: true }))

async function saidByProgram(): Promise<string> {
  const { file, execArgv } = ownProgram('program', pathToFileURL(join(folder, 'asking.ts')).href)
  const { stdout } = await promisify(execFile)(process.execPath, [...execArgv, file])
  return stdout.trim()
}

it('runs from the sources as they are now, with what they import by the names of the build', async () => {
  const write = (name: string, text: string) => writeFile(join(folder, name), text)
  await write('words.ts', `export const words: string = 'first'\n`)
  await write('program.ts', `import { words } from './words.js'\nconsole.log(words satisfies string)\n`)
  expect(await saidByProgram()).toBe('first')
  expect(await saidByProgram()).toBe('first')
  await write('words.ts', `export const words: string = 'second'\n`)
  expect(await saidByProgram()).toBe('second')
})

it('fails if the file does not exist', async () => {
  await rm(join(folder, 'program.ts'))
  await expect(saidByProgram()).rejects.toThrow(/program\.ts/)
})
