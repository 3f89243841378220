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

it('accepts every session with scope all, even without a folder', () => {
  const isWanted = createScope({ kind: 'all' }, 'linux')
  expect([isWanted('/anywhere'), isWanted(undefined)]).toEqual([true, true])
})

it('accepts sessions in a folder and below it, but not beside or above it', () => {
  const isWanted = at(join(root, 'shop'))
  expect(isWanted(join(root, 'shop'))).toBe(true)
  expect(isWanted(join(root, 'shop', 'src'))).toBe(true)
  expect(isWanted(join(root, 'shop-old'))).toBe(false)
  expect(isWanted(root)).toBe(false)
  expect(isWanted(undefined)).toBe(false)
})

it('accepts any of several folders', () => {
  const isWanted = at(join(root, 'shop'), join(root, 'shop-old'))
  expect(isWanted(join(root, 'shop-old'))).toBe(true)
  expect(isWanted(join(root, 'other'))).toBe(false)
})

it('resolves links on either side', () => {
  expect(at(join(root, 'link'))(join(root, 'shop', 'src'))).toBe(true)
  expect(at(join(root, 'shop'))(join(root, 'link', 'src'))).toBe(true)
  expect(at(join(root, 'shop-old'))(join(root, 'link'))).toBe(false)
})

it('resolves a link that leads out of the folder and rejects it', async () => {
  await symlink(join(root, 'shop-old'), join(root, 'shop', 'out'))
  expect(at(join(root, 'shop'))(join(root, 'shop', 'out'))).toBe(false)
  expect(at(join(root, 'shop-old'))(join(root, 'shop', 'out'))).toBe(true)
})

it('compares deleted folders as written', () => {
  expect(at(join(root, 'shop'))(join(root, 'shop', 'gone'))).toBe(true)
  expect(at(join(root, 'link'))(join(root, 'link', 'gone'))).toBe(true)
  expect(at(join(root, 'link'))(join(root, 'shop', 'gone'))).toBe(true)
  expect(at('/gone/shop')('/gone/shop/src')).toBe(true)
  expect(at('/gone/shop')('/gone/shopping')).toBe(false)
  expect(at('/gone/shop')('/gone/Shop')).toBe(false)
})

it('handles the root folder', () => {
  expect(at('/')(join(root, 'shop'))).toBe(true)
  expect(at('/')('/gone')).toBe(true)
})

it('compares Windows paths case-insensitively on any system', () => {
  const isWanted = at('C:\\Users\\ada\\shop')
  expect(isWanted('c:\\users\\Ada\\Shop\\src')).toBe(true)
  expect(isWanted('C:\\Users\\ada\\shop-old')).toBe(false)
  expect(at('C:\\')('C:\\Users')).toBe(true)
  expect(at('\\\\server\\share')('\\\\server\\share\\shop')).toBe(true)
})

it('never resolves a path of another system relative to the current folder', () => {
  expect(at(process.cwd())('C:\\Users\\ada')).toBe(false)
})

it.each(['', '.', 'shop', '~/shop'])('refuses %j, which would mean the folder that we are in', folder => {
  expect(() => at(folder)).toThrow('is no full path')
})
