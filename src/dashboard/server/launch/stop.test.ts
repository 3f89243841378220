import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockFile } from '../../../store/lock.js'
import { createStops, untilLetGo } from './stop.js'

let directory: string
let worker: ChildProcess | undefined
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skillopt-stop-'))
})
afterEach(async () => {
  worker?.kill('SIGKILL')
  worker = undefined
  await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

/** A process that prints each SIGINT it receives, and exits on the given one or never. */
async function workOn(stopsAt: number, more: object = {}) {
  const script = `let asked = 0
    process.on('SIGINT', () => { asked += 1; console.log('asked ' + asked); if (asked === ${stopsAt}) process.exit() })
    console.log('ready'); setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  worker = child
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await once(child.stdout, 'data')
  const owner = {
    pid: child.pid,
    hostname: hostname(),
    since: '2026-01-01T00:00:00Z',
    token: 'mine',
    ...more,
  }
  await writeFile(join(directory, lockFile), JSON.stringify(owner))
  return { said: () => said, ended: once(child, 'exit') }
}

it('reports `gone` if no process is working', async () => {
  expect(await createStops().stop(directory, 'politely')).toEqual({ state: 'gone' })
  await untilLetGo(directory)
})

it.skipIf(process.platform === 'win32')('signals once, however often it is called', async () => {
  const { said, ended } = await workOn(2)
  const stops = createStops()
  for (const _time of [1, 2, 3]) expect(await stops.stop(directory, 'politely')).toEqual({ state: 'ending' })
  await expect.poll(said).toContain('asked 1')
  expect(await stops.stop(directory, 'at once')).toEqual({ state: 'gone' })
  await ended
  expect(said()).toContain('asked 2')
  expect(await stops.stop(directory, 'politely')).toEqual({ state: 'gone' })
})

it('kills a process that ignores the signal', async () => {
  const { ended } = await workOn(0)
  expect(await createStops().stop(directory, 'at once')).toEqual({ state: 'gone' })
  expect(await ended).toEqual(process.platform === 'win32' ? expect.anything() : [null, 'SIGKILL'])
})

it('spares a process on another machine, or with another start time than the lock', async () => {
  await workOn(1, { hostname: 'elsewhere' })
  await expect(createStops().stop(directory, 'at once')).rejects.toThrow(/another machine/)
  expect(worker?.exitCode).toBeNull()
  worker?.kill('SIGKILL')
  await workOn(1, { start: 'of somebody else' })
  if (process.platform === 'linux')
    expect(await createStops().stop(directory, 'at once')).toEqual({ state: 'gone' })
  expect(worker?.exitCode).toBeNull()
})

it('says on Windows what can be done instead', async () => {
  await workOn(1)
  await expect(createStops('win32').stop(directory, 'politely')).rejects.toMatchObject({
    message: expect.stringMatching(/Windows/),
    hint: expect.stringMatching(/at once/),
  })
  expect(await createStops('win32').stop(directory, 'at once')).toEqual({ state: 'gone' })
})
