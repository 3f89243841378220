import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { openProject, sleepHome } from './places.js'

let cwd = ''
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-places-')))
  await mkdir(join(cwd, 'shop'))
  await mkdir(join(cwd, 'other', 'shop'), { recursive: true })
  await symlink(join(cwd, 'shop'), join(cwd, 'link'))
  await writeFile(join(cwd, 'file'), '')
})
afterAll(() => rm(cwd, { recursive: true }))

it("is in the user's home, or in the folder that a variable names", () => {
  expect(sleepHome({ env: { HOME: '/home/me' }, cwd })).toBe(join('/home/me', '.skillopt', 'sleep'))
  expect(sleepHome({ env: { HOME: '/home/me', SKILLOPT_HOME: '' }, cwd })).toContain('.skillopt')
  expect(sleepHome({ env: { HOME: '/home/me', SKILLOPT_HOME: '/data' }, cwd })).toBe(join('/data', 'sleep'))
  expect(sleepHome({ env: { SKILLOPT_HOME: 'kept' }, cwd })).toBe(join(cwd, 'kept', 'sleep'))
})

it('has one folder per project, whatever path leads to it', async () => {
  const env = { HOME: join(cwd, 'home') }
  const shop = await openProject('shop', { env, cwd })
  expect(shop.root).toBe(join(cwd, 'shop'))
  expect(shop.folder).toMatch(/[\\/]home[\\/]\.skillopt[\\/]sleep[\\/]projects[\\/]shop-[0-9a-f]{8}$/)
  expect(await openProject('link', { env, cwd })).toEqual(shop)
  expect(await openProject('.', { env, cwd: join(cwd, 'shop') })).toEqual(shop)
  expect((await openProject('other/shop', { env, cwd })).folder).not.toBe(shop.folder)
})

it('accepts the root folder and very long names', async () => {
  const env = { HOME: cwd }
  expect((await openProject('/', { env, cwd })).folder).toMatch(/root-[0-9a-f]{8}$/)
  const long = join(cwd, 'ä'.repeat(120))
  await mkdir(long)
  const { folder } = await openProject(long, { env, cwd })
  await mkdir(folder, { recursive: true })
})

it.each([
  ['nowhere', 'The project nowhere does not exist.'],
  ['file', 'The project file is a file, not a folder.'],
  ['file/inside', 'The project file/inside cannot be opened.'],
])('refuses %s', async (path, message) => {
  const opened = openProject(path, { env: {}, cwd })
  await expect(opened).rejects.toThrow(InputError)
  await expect(opened).rejects.toThrow(message)
})
