import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runTypescript } from '../../../../test/run-typescript.js'
import { processesWith, scriptOf } from '../../../../test/support/fake-agent.js'
import { clearStalePlaces, closePlace, openPlace } from './place.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-place-'))
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

describe('the folders of an attempt', () => {
  it('are there, for us alone, and none is in another', async () => {
    const place = await openPlace(root)
    const folders = [place.home, place.config, place.temporary, place.workspace]
    for (const folder of folders) {
      expect(await readdir(folder)).toEqual([])
      expect(dirname(folder)).toBe(place.folder)
    }
    expect(new Set(folders).size).toBe(4)
    expect((await stat(place.folder)).mode & 0o777).toBe(0o700)
    expect(basename(place.folder)).toBe(place.mark)
    await closePlace(place)
    expect(await readdir(root)).toEqual([])
  })

  it('are others for each attempt', async () => {
    const places = await Promise.all(Array.from({ length: 10 }, () => openPlace(root)))
    expect(new Set(places.map(({ mark }) => mark)).size).toBe(10)
    await Promise.all(places.map(closePlace))
  })

  it('are known by their real path', async () => {
    await mkdir(join(root, 'real'))
    await symlink(join(root, 'real'), join(root, 'link'))
    const place = await openPlace(join(root, 'link'))
    expect(place.workspace.startsWith(join(root, 'real'))).toBe(true)
    await closePlace(place)
  })
})

describe('what was left behind', () => {
  it('is not cleared while its process lives, nor if it is something else', async () => {
    const mine = await openPlace(root)
    const [, , pid, start, machine] = mine.mark.split('-')
    const kept = [
      mine.mark,
      // From another machine, or from a container that shares the folder.
      `skillopt-agent-${pid}-1-00000000-abcdef`,
      'skillopt-agent-something',
      'skillopt-agents',
      'else',
    ]
    const link = `skillopt-agent-${pid}-1-${machine}-linked`
    await mkdir(join(root, 'else'))
    await writeFile(join(root, 'else', 'file'), '')
    await symlink(join(root, 'else'), join(root, link))
    for (const name of kept.slice(1)) await mkdir(join(root, name), { recursive: true })
    // An earlier process with the same pid.
    const earlier = `skillopt-agent-${pid}-${Number(start) - 1}-${machine}-abcdef`
    await mkdir(join(root, earlier, 'home'), { recursive: true })
    expect(await clearStalePlaces(root)).toBe(1)
    expect((await readdir(root)).sort()).toEqual([...kept, link].sort())
    expect(existsSync(join(root, 'else', 'file'))).toBe(true)
    await closePlace(mine)
  })

  const program = `
    const { openPlace } = await load('src/agents/shared/harness/place.ts')
    const { runAgent, environmentOf, defaultLimits } = await load('src/agents/shared/harness/process.ts')
    const [root, script, ending] = process.argv.slice(1)
    const place = await openPlace(root)
    const command = {
      title: 'Fake', program: process.execPath, arguments: [script, place.mark],
      environment: environmentOf(place, process.env, { named: [], set: {} }),
    }
    const ready = () => ending === 'exits' ? process.exit(0) : process.stdout.write('ready\\n')
    await runAgent(command, {
      place, limits: { ...defaultLimits, seconds: 60 }, onLine: ready, signal: new AbortController().signal,
    })
  `

  it('by a process of ours that was killed is cleared at the next start, with the agents that still run', async () => {
    const child = runTypescript(program, [root, scriptOf('forks'), 'is killed'])
    await new Promise(resolve => createInterface(child.stdout).once('line', resolve))
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('exit', resolve))
    const [mark = ''] = await readdir(root)
    expect(await processesWith(mark)).toBeGreaterThan(1)
    expect(await clearStalePlaces(root)).toBe(1)
    expect([await processesWith(mark), await readdir(root)]).toEqual([0, []])
  })

  it('is nothing where our process ends in the middle of it', async () => {
    const child = runTypescript(program, [root, scriptOf('forks'), 'exits'])
    child.stdout.resume()
    expect(await new Promise(resolve => child.once('exit', resolve))).toBe(0)
    expect(await readdir(root)).toEqual([])
    await expect.poll(() => processesWith(root)).toBe(0)
  })
})
