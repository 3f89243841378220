import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { chooseFolders } from './folders.js'

let cwd: string
const place = (...parts: string[]) => join(cwd, ...parts)
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-folders-')))
  for (const name of ['one', 'two']) await mkdir(place(name))
  await writeFile(place('file'), '')
})
afterEach(() => rm(cwd, { recursive: true }))

it('without a name it is the usual one, also before the first training makes it', async () => {
  const usual = { shown: ['runs'], real: [place('runs')] }
  expect(await chooseFolders([], cwd)).toEqual(usual)
  await mkdir(place('runs'))
  expect(await chooseFolders([], cwd)).toEqual(usual)
})

it('links are followed once and for all', async () => {
  await symlink(place('one'), place('runs'))
  await symlink(place('two'), place('link'))
  expect((await chooseFolders([], cwd)).real).toEqual([place('one')])
  expect(await chooseFolders(['link'], cwd)).toEqual({ shown: ['link'], real: [place('two')] })
  await symlink(cwd, place('here'))
  expect((await chooseFolders([], place('here', 'two'))).real).toEqual([place('two', 'runs')])
})

it('named ones are shown as they were written', async () => {
  expect(await chooseFolders(['./one', place('two')], cwd)).toEqual({
    shown: ['./one', place('two')],
    real: [place('one'), place('two')],
  })
  expect((await chooseFolders(['../two'], place('one'))).real).toEqual([place('two')])
})

it('one that is named twice is there once, under its first name', async () => {
  await symlink(place('one'), place('link'))
  expect(await chooseFolders(['link', 'one', 'two', './one/'], cwd)).toEqual({
    shown: ['link', 'two'],
    real: [place('one'), place('two')],
  })
})

it.each([
  ['none', 'The folder none does not exist.'],
  ['file', 'file is not a folder.'],
  ['file/inside', 'The folder file/inside cannot be opened'],
])('%s is refused', async (name, message) => {
  const chosen = chooseFolders(['one', name], cwd)
  await expect(chosen).rejects.toThrow(InputError)
  await expect(chosen).rejects.toThrow(message)
  await expect(chosen).rejects.toMatchObject({ hint: expect.stringContaining('Name folders that hold runs') })
})

it('the usual one is refused too if it is no folder', async () => {
  await writeFile(place('runs'), '')
  await expect(chooseFolders([], cwd)).rejects.toThrow('runs is not a folder.')
})
