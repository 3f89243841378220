import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasByteNames, leaveHostileNames } from '../../test/support/hostile-names.js'
import { removeFolder } from './remove-folder.js'
import { emptyTree, endless, keepPlainFiles, listTree, type OpenFolder, openFolder } from './tree.js'
import { copyFileBelow, copyTree } from './tree-copy.js'

let root: string
let from: OpenFolder
let to: OpenFolder
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-tree-'))
  for (const name of ['from', 'to', 'outside']) await mkdir(join(root, name))
  await writeFile(join(root, 'outside', 'secret'), 'secret')
  from = await openFolder(join(root, 'from'))
  to = await openFolder(join(root, 'to'))
})
afterEach(async () => {
  await from.close()
  await to.close()
  await removeFolder(root)
})

const modeOf = async (...path: string[]) => (await stat(join(root, ...path))).mode & 0o7777

describe.runIf(hasByteNames)('names that are not text, too long or too deep', () => {
  beforeEach(() => leaveHostileNames(join(root, 'from')))

  it('are left out of a copy, and named', async () => {
    const leftOut = await copyTree(from, to)
    expect((await readdir(join(root, 'to'))).sort()).toEqual(['d', 'n'.repeat(250), 'ok'])
    expect(await readFile(join(root, 'to', 'ok'), 'utf8')).toBe('fine')
    expect(leftOut).toContain('not-\\xff-text')
    expect(leftOut).toContain('folder-\\xfe')
    expect(leftOut.every(name => name.length <= 101)).toBe(true)
    // The copy is within the limits, so it can be copied again.
    expect(await listTree(to, endless)).toBeDefined()
  })

  it('are left out of a list', async () => {
    const paths = (await listTree(from, endless))?.map(({ path }) => path) ?? []
    expect(paths).toContain('ok')
    expect(paths.filter(path => path.includes('\ufffd') || path.length > 1000)).toEqual([])
    expect(await listTree(from, { bytes: 1000, entries: 3 })).toBeUndefined()
    expect(await listTree(from, { bytes: 3, entries: 1000 })).toBeUndefined()
  })

  it('are removed', async () => {
    const removed = await keepPlainFiles(from)
    expect(removed).toContain('not-\\xff-text')
    expect((await readdir(join(root, 'from'))).sort()).toEqual(['d', 'n'.repeat(250), 'ok'])
    await emptyTree(from)
    expect(await readdir(join(root, 'from'))).toEqual([])
  })

  it('do not keep a folder from being removed', async () => {
    await removeFolder(join(root, 'from'))
    expect((await readdir(root)).sort()).toEqual(['outside', 'to'])
  })
})

it('follows no link, neither as a file nor on the way to one', async () => {
  await symlink(join(root, 'outside', 'secret'), join(root, 'from', 'link'))
  await symlink(join(root, 'outside'), join(root, 'from', 'folder'))
  const target = join(root, 'to', 'copy')
  for (const path of ['link', 'folder/secret', 'missing', 'link/x'])
    expect(await copyFileBelow(from, path, target), path).toBe(false)
  await copyTree(from, to)
  expect(await readdir(join(root, 'to'))).toEqual([])
  await expect(openFolder(join(root, 'from', 'folder'))).rejects.toThrow(/ENOTDIR|ELOOP|Not a folder/)
  await keepPlainFiles(from)
  expect(await readdir(join(root, 'from'))).toEqual([])
  expect(await readdir(join(root, 'outside'))).toEqual(['secret'])
})

it('masks modes: no set-id bits, nothing that others may write', async () => {
  await writeFile(join(root, 'from', 'program'), 'x')
  await chmod(join(root, 'from', 'program'), 0o6777)
  await writeFile(join(root, 'from', 'locked'), 'x')
  await chmod(join(root, 'from', 'locked'), 0)
  await copyTree(from, to, { unlock: true })
  expect([await modeOf('to', 'program'), await modeOf('to', 'locked')]).toEqual([0o755, 0o600])
  await chmod(join(root, 'from', 'program'), 0o6777)
  await keepPlainFiles(from)
  expect([await modeOf('from', 'program'), await modeOf('from', 'locked')]).toEqual([0o700, 0o600])
})
