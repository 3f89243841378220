import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createScope } from './scope.js'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'scope-')))
  await mkdir(join(root, 'shop', 'src'), { recursive: true })
  await mkdir(join(root, 'shop-old'))
  await symlink(join(root, 'shop'), join(root, 'link'))
})
afterEach(() => rm(root, { recursive: true }))

const at = (...folders: readonly string[]) => createScope({ kind: 'folders', folders }, process.platform)

it('wants everything, be it at no folder, if all is asked for', () => {
  const isWanted = createScope({ kind: 'all' }, 'linux')
  expect([isWanted('/anywhere'), isWanted(undefined)]).toEqual([true, true])
})

it('wants sessions at a folder and below it, and none beside it or above it', () => {
  const isWanted = at(join(root, 'shop'))
  expect(isWanted(join(root, 'shop'))).toBe(true)
  expect(isWanted(join(root, 'shop', 'src'))).toBe(true)
  expect(isWanted(join(root, 'shop-old'))).toBe(false)
  expect(isWanted(root)).toBe(false)
  expect(isWanted(undefined)).toBe(false)
})

it('takes any of several folders', () => {
  const isWanted = at(join(root, 'shop'), join(root, 'shop-old'))
  expect(isWanted(join(root, 'shop-old'))).toBe(true)
  expect(isWanted(join(root, 'other'))).toBe(false)
})

it('knows a folder by its links, on either side', () => {
  expect(at(join(root, 'link'))(join(root, 'shop', 'src'))).toBe(true)
  expect(at(join(root, 'shop'))(join(root, 'link', 'src'))).toBe(true)
  expect(at(join(root, 'shop-old'))(join(root, 'link'))).toBe(false)
})

it('follows a link out of the folder, which then is not below it', async () => {
  await symlink(join(root, 'shop-old'), join(root, 'shop', 'out'))
  expect(at(join(root, 'shop'))(join(root, 'shop', 'out'))).toBe(false)
  expect(at(join(root, 'shop-old'))(join(root, 'shop', 'out'))).toBe(true)
})

it('compares folders that are gone as they were written', () => {
  expect(at(join(root, 'shop'))(join(root, 'shop', 'gone'))).toBe(true)
  expect(at(join(root, 'link'))(join(root, 'link', 'gone'))).toBe(true)
  expect(at(join(root, 'link'))(join(root, 'shop', 'gone'))).toBe(true)
  expect(at('/gone/shop')('/gone/shop/src')).toBe(true)
  expect(at('/gone/shop')('/gone/shopping')).toBe(false)
  expect(at('/gone/shop')('/gone/Shop')).toBe(false)
})

it('takes the root for what it is', () => {
  expect(at('/')(join(root, 'shop'))).toBe(true)
  expect(at('/')('/gone')).toBe(true)
})

it('compares paths of Windows without their case, on any system', () => {
  const isWanted = at('C:\\Users\\ada\\shop')
  expect(isWanted('c:\\users\\Ada\\Shop\\src')).toBe(true)
  expect(isWanted('C:\\Users\\ada\\shop-old')).toBe(false)
  expect(at('C:\\')('C:\\Users')).toBe(true)
  expect(at('\\\\server\\share')('\\\\server\\share\\shop')).toBe(true)
})

it('never takes a path of another system for one below the folder that we are in', () => {
  expect(at(process.cwd())('C:\\Users\\ada')).toBe(false)
})

it.each(['', '.', 'shop', '~/shop'])('refuses %j, which would mean the folder that we are in', folder => {
  expect(() => at(folder)).toThrow('is no full path')
})
