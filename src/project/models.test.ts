import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadProject } from './load.js'
import { providerFingerprints } from './models.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-models-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const load = () =>
  loadProject({
    config: {
      environment: {},
      models: {
        target: { model: 'mine/x', provider: './mine.ts' },
        optimizer: { model: 'gone/x', provider: './gone.ts' },
        judge: 'simulated/target',
      },
    },
    env: {},
    cwd: folder,
  })

describe('a provider of one’s own', () => {
  it('is part of the run fingerprint, by its text and for the roles in use', async () => {
    await writeFile(join(folder, 'mine.ts'), 'export default 1\n')
    const before = await providerFingerprints(['target', 'judge'], await load())
    expect(Object.keys(before)).toEqual(['provider of the target'])
    expect(await providerFingerprints(['target', 'judge'], await load())).toEqual(before)
    await writeFile(join(folder, 'mine.ts'), 'export default 2\n')
    expect(await providerFingerprints(['target', 'judge'], await load())).not.toEqual(before)
  })
})
