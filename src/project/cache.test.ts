import { join } from 'node:path'
import { expect, it } from 'vitest'
import { configSchema } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import { cacheFolder } from './cache.js'

const models = { target: 'simulated/target', optimizer: 'simulated/optimizer' }
const project = (cache?: boolean | string) => ({
  config: configSchema.parse({ environment: {}, models, cache }),
  baseDir: '/project',
  cwd: '/here',
})
const environment = { id: 'own' }

it('is off unless asked for', () => {
  expect(cacheFolder(project(), environment, false)).toBeUndefined()
  expect(cacheFolder(project(false), environment, true)).toBeUndefined()
})

it('is beside the runs, or where the config says', () => {
  expect(cacheFolder(project(true), environment, false)).toBe(join('/here', 'runs', '.cache'))
  expect(cacheFolder(project('../common'), environment, false)).toBe('/common')
  expect(cacheFolder(project('/else'), environment, false)).toBe('/else')
})

it('is refused for an environment whose code cannot be fingerprinted', () => {
  expect(() => cacheFolder(project(true), environment, true)).toThrow(InputError)
  expect(() => cacheFolder(project(true), environment, true)).toThrow(/"own" is a program/)
  expect(cacheFolder(project('/else'), { id: 'own', fingerprints: { version: '1' } }, true)).toBe('/else')
})

it('takes no empty name', () => {
  expect(() => project('')).toThrow()
})
