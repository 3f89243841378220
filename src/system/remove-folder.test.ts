import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeFolder } from './remove-folder.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-remove-'))
  await mkdir(join(root, 'gone', 'deep', 'deeper'), { recursive: true })
  await mkdir(join(root, 'kept'))
  await writeFile(join(root, 'kept', 'file'), 'k')
  const names = Array.from({ length: 150 }, (_, number) => join('deep', `${number}`))
  for (const name of [...names, 'top', join('deep', 'deeper', 'file')])
    await writeFile(join(root, 'gone', name), name)
})
afterEach(() => rm(root, { recursive: true }))

it('removes everything inside, and nothing that a link leads to', async () => {
  await symlink(join(root, 'kept'), join(root, 'gone', 'deep', 'folder'))
  await symlink(join(root, 'kept', 'file'), join(root, 'gone', 'file'))
  await symlink('nowhere', join(root, 'gone', 'broken'))
  await removeFolder(join(root, 'gone'))
  expect(await readdir(root, { recursive: true })).toEqual(['kept', join('kept', 'file')])
})

it('removes what was locked', async () => {
  for (const path of ['gone/deep/deeper', 'gone/deep', 'gone']) await chmod(join(root, path), 0)
  await removeFolder(join(root, 'gone'))
  expect(await readdir(root)).toEqual(['kept'])
})

it('does nothing if there is no folder', async () => {
  await removeFolder(join(root, 'never'))
  await removeFolder(join(root, 'gone'))
  await removeFolder(join(root, 'gone'))
  expect(await readdir(root)).toEqual(['kept'])
})
