import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeEnvironment, packages } from './environment.js'

const cache = await mkdtemp(join(tmpdir(), 'skillopt-peers-cache-'))
afterAll(() => rm(cache, { recursive: true, force: true, maxRetries: 5 }))

/** A PATH without any programs. */
const env = { PATH: cache }

it('says that there is no Python, and leaves nothing behind', async () => {
  const { gepa } = await makeEnvironment({ names: ['gepa'], cache, env })
  expect(gepa?.problem).toMatch(/^gepa \d.* is not installed: there is no python/)
  expect(await readdir(cache)).toEqual([])
})

it('uses what was installed before, and nothing that was left half done', async () => {
  await mkdir(join(cache, `gepa-${packages.gepa}`))
  await writeFile(join(cache, `gepa-${packages.gepa}`, 'installed'), '')
  await mkdir(join(cache, `skillopt-${packages.skillopt}`))
  const { gepa, skillopt } = await makeEnvironment({ cache, env })
  expect(gepa?.python).toContain(join(cache, `gepa-${packages.gepa}`))
  expect(skillopt?.problem).toContain('is not installed')
})
