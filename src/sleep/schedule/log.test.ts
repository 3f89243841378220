import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lenient, openLog } from './log.js'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-log-'))
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

test("appends to the last night's log, readable by the user only", async () => {
  const file = join(root, 'folder', 'nights.log')
  openLog(file).add('one\n')
  openLog(file).add(Buffer.from('two\n'))
  expect(await readFile(file, 'utf8')).toBe('one\ntwo\n')
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('keeps two files of limited size', async () => {
  const file = join(root, 'nights.log')
  const log = openLog(file, 10)
  for (const chunk of ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee']) log.add(chunk)
  expect(await readFile(`${file}.1`, 'utf8')).toBe('ccccdddd')
  expect(await readFile(file, 'utf8')).toBe('eeee')
  log.add('x'.repeat(30))
  expect(await readFile(file, 'utf8')).toBe('x'.repeat(10))
  expect((await readdir(root)).sort()).toEqual(['nights.log', 'nights.log.1'])
})

test('reports an unwritable log once', () => {
  const complaints: unknown[] = []
  const full = new Error('disk full')
  const log = lenient(
    {
      add() {
        throw full
      },
    },
    error => complaints.push(error),
  )
  log.add('one')
  log.add('two')
  expect(complaints).toEqual([full])
})
