import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSettings } from './settings.js'

let cwd = ''
let home = ''
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-settings-')))
  home = join(cwd, 'home')
  await mkdir(join(home, 'sessions'), { recursive: true })
  await mkdir(join(cwd, 'mine'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function sleepOf(sleep: object) {
  await writeFile(join(cwd, 'sleep.yaml'), JSON.stringify({ sleep }))
  const config = join(cwd, 'sleep.yaml')
  return (await loadSettings({ config, cfgOptions: [], flags: {}, env: { HOME: home }, cwd, trust: true }))
    .sleep
}

describe('settings of Sleep', () => {
  it("resolves paths from the user's home, the file's folder, or absolute", async () => {
    const places = { codex: ['~/sessions', 'mine', join(cwd, 'mine')], pi: ['~'] }
    expect((await sleepOf({ places })).places).toEqual({
      codex: [join(home, 'sessions'), join(cwd, 'mine'), join(cwd, 'mine')],
      pi: [home],
    })
  })

  it('fail if unreadable instead of counting as missing, since they may hold patterns and caps', async () => {
    const own = join(cwd, 'own')
    await mkdir(join(own, 'sleep'), { recursive: true })
    const load = () => loadSettings({ flags: {}, env: { HOME: home, SKILLOPT_HOME: own }, cwd })
    expect((await load()).hasOptimizer).toBe(false)
    await symlink(join(cwd, 'gone.yaml'), join(own, 'sleep', 'sleep.yaml'))
    await expect(load()).rejects.toThrow(/sleep\.yaml cannot be read/)
  })

  it('trains nights by steps with the guarded gate, unless the settings name another gate', async () => {
    const load = (flags: object) =>
      loadSettings({ flags: { ...flags }, env: { HOME: home, SKILLOPT_HOME: join(cwd, 'none') }, cwd })
    const { train, evaluation } = (await load({})).loaded.config
    expect([train.loop, train.epochs, evaluation.gate]).toEqual(['steps', 2, 'guarded'])
    const other = await load({ 'evaluation.gate': 'paired' })
    expect(other.loaded.config.evaluation.gate).toBe('paired')
    await expect(load({ 'train.loop': 'trials' })).rejects.toThrow(/Nights train with train\.loop: steps/)
  })

  it('has no paths by default', async () => {
    expect((await sleepOf({})).places).toBeUndefined()
  })

  it.each([
    [
      { places: { codex: ['~/session'] } },
      /sleep\.places names ~\/session, but there is no .*home.session\./,
    ],
    [{ sources: [] }, /sleep\.sources/],
    [{ val: 0.6, test: 0.4 }, /sleep: val and test together must be below 1/],
  ])('refuses %j', async (sleep, message) => {
    await expect(sleepOf(sleep)).rejects.toThrow(message)
  })
})
