import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeWorld } from '../../../test/support/sleep/world.js'
import { startLoopbackServer } from '../../simulated/server.js'
import { sleepHarvest } from './harvest-tasks.js'

let root = ''
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-harvest-')))
  await mkdir(join(root, 'shop'))
  await writeWorld(join(root, 'home'), {
    project: join(root, 'shop'),
    forms: ['claude-code', 'codex', 'pi', 'qwen-code'],
  })
})
afterAll(() => rm(root, { recursive: true }))

const env = () => ({ HOME: join(root, 'home'), SKILLOPT_HOME: join(root, 'kept'), KEY: 'k' })

describe('sleepHarvest', () => {
  it('keeps the log of model calls private to the user', async () => {
    const task = { intent: 'Do it.', rubric: ['It is done.'], checks: [], skip: null }
    const server = await startLoopbackServer({ respond: () => ({ content: JSON.stringify(task) }) })
    try {
      const { outcome, directory, folder } = await sleepHarvest({
        cwd: join(root, 'shop'),
        env: env(),
        flags: {
          'sleep.days': 0,
          'models.optimizer.model': 'openai-compatible/writer',
          'models.optimizer.endpoint': `${server.url}/v1`,
          'models.optimizer.apiKeyEnv': 'KEY',
        },
      })
      expect(outcome).toBe('finished')
      expect(await readdir(directory ?? '')).toContain('events.jsonl')
      for (const path of [join(root, 'kept'), join(root, 'kept', 'sleep'), folder])
        expect((await stat(path)).mode & 0o777).toBe(0o700)
    } finally {
      await server.close()
    }
  })

  it('refuses paths for an unknown agent', async () => {
    const config = join(root, 'places.yaml')
    await writeFile(config, JSON.stringify({ sleep: { places: { claud: ['.'] } } }))
    const reading = sleepHarvest({ cwd: join(root, 'shop'), env: env(), config, dryRun: true, trust: true })
    await expect(reading).rejects.toThrow('Unknown transcript source: claud')
  })
})
