import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { makeOwnFolder, ownerOf } from './own-folder.js'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'own-folder-'))
})
afterEach(() => rm(root, { recursive: true }))

it('names a folder after this process, and reads the name again', async () => {
  const [one, other] = [await makeOwnFolder(root), await makeOwnFolder(root)]
  expect(one).not.toBe(other)
  expect(dirname(one)).toBe(await realpath(root))
  expect(ownerOf(basename(one))?.pid).toBe(process.pid)
})

it('knows no owner for the folders of other machines, and for names of others', async () => {
  const name = basename(await makeOwnFolder(root))
  expect(ownerOf(name.replace(/-[0-9a-f]{8}-/, '-00000000-'))).toBeUndefined()
  expect(ownerOf('skillopt-agent')).toBeUndefined()
  expect(ownerOf(`${name}/..`)).toBeUndefined()
  expect(ownerOf(name.replace(/-(\d+)-(\d+|unknown)-/, '-7-unknown-'))).toEqual({ pid: 7, start: undefined })
})
