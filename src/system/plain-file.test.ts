import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPlainFile } from './plain-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-plain-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('reads a regular file, also through a link', async () => {
  await writeFile(join(folder, 'file'), 'text')
  await symlink('file', join(folder, 'link'))
  expect(String(await readPlainFile(join(folder, 'link')))).toBe('text')
})

it.runIf(process.platform !== 'win32')('refuses what never ends or never begins', async () => {
  await symlink('/dev/zero', join(folder, 'zeros'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  for (const name of ['zeros', 'pipe'])
    await expect(readPlainFile(join(folder, name))).rejects.toThrow('not a regular file')
  await expect(readPlainFile(folder)).rejects.toMatchObject({ code: 'EISDIR' })
})

it.runIf(process.platform === 'linux')(
  'refuses what the system generates, and reads an empty file',
  async () => {
    for (const name of ['self/pagemap', 'self/environ', 'self/status', 'kmsg', 'self/mem'])
      await expect(readPlainFile(`/proc/${name}`), name).rejects.toThrow(/not a regular file|EACCES|EPERM/)
    await writeFile(join(folder, 'empty'), '')
    expect(await readPlainFile(join(folder, 'empty'))).toHaveLength(0)
  },
)

it('refuses a file that is larger than allowed, and reports a missing one', async () => {
  await writeFile(join(folder, 'file'), 'four')
  await expect(readPlainFile(join(folder, 'file'), { mostBytes: 3 })).rejects.toThrow('more than 3 bytes')
  await expect(readPlainFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' })
})
