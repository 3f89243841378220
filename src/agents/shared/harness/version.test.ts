import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeAgent } from '../../../../test/support/fake-agent.js'
import type { AgentVersion } from './definition.js'
import { readVersion } from './version.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-version-'))
})
afterEach(async () => {
  expect(await readdir(root)).toEqual([])
  await rm(root, { recursive: true })
})

const ask = (changed: Partial<AgentVersion>, program = process.execPath) => {
  const agent = fakeAgent('answers')
  const version = { ...agent.version, ...changed }
  const signal = new AbortController().signal
  return readVersion({ ...agent, version }, program, { env: process.env, signal, root })
}

it('asks the program itself', async () => {
  expect(await ask({})).toEqual({ version: process.versions.node, standing: 'tested' })
  const tested = { from: '98.0.0', below: '99.0.0' }
  expect(await ask({ tested })).toEqual({ version: process.versions.node, standing: 'older' })
})

it('reads it from stderr too', async () => {
  const version = { arguments: ['-e', 'console.error("v21.0.0")'] }
  expect(await ask(version)).toEqual({ version: '21.0.0', standing: 'tested' })
})

it('is unknown if the program prints something else, or nothing', async () => {
  expect(await ask({ arguments: ['-p', '"hello"'] })).toEqual({ version: undefined, standing: 'unknown' })
  expect(await ask({ arguments: ['--no-such-option'] })).toEqual({ version: undefined, standing: 'unknown' })
})

it('fails if there is no program', async () => {
  await expect(ask({}, join(root, 'nothing'))).rejects.toThrow('Fake agent could not be started')
})
