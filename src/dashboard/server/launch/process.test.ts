import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LaunchWorld, makeLaunchWorld } from '../../../../test/support/launch-world.js'
import { ownProgram } from '../../../system/own-program.js'
import type { LaunchStarted } from '../../contract/launch.js'
import { giveBack, reserveDirectory, startTraining } from './process.js'
import { createStops, untilLetGo } from './stop.js'
import { createTrainings } from './trainings.js'

/**
 * These tests run trainings as separate processes, from the form to the end, which is slow on a loaded
 * machine.
 */

let world: LaunchWorld
let free = ''
let paid = ''
beforeAll(async () => {
  world = await makeLaunchWorld()
  free = await world.idOf('free')
  paid = await world.idOf('paid')
})
afterAll(() => world.end())

const names = async (of: string) =>
  (await world.runs.list()).map(({ name }) => name).filter(name => name.startsWith(of))

/** Repeats the same request until the training has begun, as the page does. */
async function begun(ask: () => Promise<LaunchStarted>): Promise<LaunchStarted & { readonly run: string }> {
  for (;;) {
    const started = await ask()
    if (started.begun) return { ...started, run: started.run ?? 'not shown' }
  }
}

/**
 * Starts a paid training, with its calls held back, from a dashboard that is killed as soon as the training
 * has begun.
 */
async function startAndDie(): Promise<LaunchStarted> {
  world.hold.close()
  const wanted = { project: paid, changes: {} }
  const request = { ...wanted, key: 'paid', agreed: (await world.trainings.forecast(wanted)).id }
  const { file, execArgv } = ownProgram('../../../../test/support/launch-and-wait', import.meta.url)
  const args = [...execArgv, file, JSON.stringify({ cwd: world.cwd, request })]
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const dashboard = spawn(process.execPath, args, { env: world.env, stdio: [...stdio] })
  const said: string[] = []
  dashboard.stdout?.on('data', (chunk: Buffer) => {
    said.push(chunk.toString())
    dashboard.kill('SIGKILL')
  })
  expect(await once(dashboard, 'exit')).toEqual([null, 'SIGKILL'])
  return JSON.parse(said.join(''))
}

it.concurrent('starts one run for one wish, however often and however slowly, which goes to its end and can be forked', async () => {
  const impatient = createTrainings(world.context, 1)
  const request = { project: free, changes: { 'train.seed': '7' }, key: 'wish' }
  const answers = await Promise.all([impatient.start(request), impatient.start(request)])
  expect(answers).toEqual(Array(2).fill({ directory: 'runs/free-001', begun: false }))
  const { run, directory } = await begun(() => impatient.start(request))
  expect(directory).toBe('runs/free-001')
  expect(await world.endOf(run)).toMatchObject({ state: 'finished', name: 'free-001', simulated: true })
  expect(await names('free')).toEqual(['free-001'])
  const live = await world.runs.open(run)
  expect((await live.view()).config).toMatchObject({ train: { seed: 7, epochs: 1 } })

  await expect(world.trainings.resume(run, { key: 'again', limits: {}, agreed: true })).rejects.toThrow(
    /finished/,
  )
  const form = await world.trainings.forkForm(run)
  expect(form).toMatchObject({ project: free, name: 'free-001', changes: { 'train.seed': '7' } })
  expect(form.versions[0]).toMatchObject({ version: 0 })
  const wanted = { project: free, changes: { ...form.changes, 'train.seed': '8' } }
  const unknown = { ...wanted, fork: { run, version: 99 } }
  expect((await world.trainings.check(unknown)).problems).toEqual([
    { message: 'The run has no version 99.', hint: expect.any(String) },
  ])
  await expect(world.trainings.start({ ...unknown, key: 'v99' })).rejects.toThrow(/no version/)
  const fork = { run, version: form.versions.at(-1)?.version ?? 0 }
  expect((await world.trainings.check({ ...wanted, fork })).problems).toEqual([])
  const forked = await begun(() => world.trainings.start({ ...wanted, fork, key: 'fork' }))
  expect(await world.endOf(forked.run)).toMatchObject({
    state: 'finished',
    name: 'free-002',
    forkedFrom: `free-001@v${fork.version}`,
  })
})

it.concurrent('outlives the dashboard, stops as Ctrl-C does, refuses in the words of the command line, and goes on under other caps', async () => {
  const { run = 'none', directory, begun: hasBegun } = await startAndDie()
  expect({ hasBegun, directory }).toEqual({ hasBegun: true, directory: 'runs/paid-001' })
  const place = join(world.cwd, directory)
  const live = await world.runs.open(run)
  world.hold.letThrough(2)
  await expect.poll(async () => (await live.view()).spending.total.calls).toBe(2)
  await expect(world.trainings.resume(run, { key: 'early', limits: {}, agreed: true })).rejects.toThrow(
    /at work already/,
  )
  const stops = createStops()
  const asked = await Promise.all(['politely', 'politely'].map(how => stops.stop(place, how as 'politely')))
  expect(asked).toEqual(Array(2).fill({ state: 'ending' }))
  expect(await world.endOf(run)).toMatchObject({ state: 'interrupted' })
  world.hold.release()
  await untilLetGo(place)
  expect(await stops.stop(place, 'politely')).toEqual({ state: 'gone' })

  const tasks = join(world.cwd, 'deep', 'paid', 'tasks', 'train.jsonl')
  const before = await readFile(tasks, 'utf8')
  await writeFile(tasks, before.split('\n').slice(1).join('\n'))
  const resume = (key: string) =>
    world.trainings.resume(run, { key, limits: { maxCalls: 5000 }, agreed: true })
  await expect(begun(() => resume('changed'))).rejects.toMatchObject({
    message: expect.stringMatching(/train/),
    hint: expect.any(String),
  })
  await writeFile(tasks, before)
  expect(await begun(() => resume('changed'))).toMatchObject({ run, directory })
  expect(await world.endOf(run)).toMatchObject({ state: 'finished' })
  const view = await (await world.runs.open(run)).view()
  expect(view).toMatchObject({ sessions: 2, limits: { maxCalls: 5000 } })
  expect(await names('paid')).toEqual(['paid-001'])
})

it('gives a directory to one start only, and takes it back from one that is refused', async () => {
  const [first, second] = [
    await reserveDirectory('free', world.cwd),
    await reserveDirectory('free', world.cwd),
  ]
  expect([first, second].map(path => basename(path))).toEqual(['free-003', 'free-004'])
  const command = { args: ['--no-such-flag'], directory: first, hasBegun: async () => false }
  const { begun: refused } = await startTraining(command, world.context)
  await expect(refused).rejects.toThrow(/--no-such-flag/)
  await writeFile(join(second, 'kept'), 'by somebody')
  for (const directory of [first, second]) await giveBack(directory)
  expect(await readdir(join(world.cwd, 'runs'))).not.toContain('free-003')
  expect(await readdir(second)).toEqual(['kept'])
  await rm(second, { recursive: true })
})

it('removes the directory of a refused start, and keeps its output outside the runs', async () => {
  const folder = join(world.cwd, 'runs')
  expect((await readdir(folder)).toSorted()).toEqual(['.dashboard', 'free-001', 'free-002', 'paid-001'])
  expect((await stat(join(folder, '.dashboard'))).mode & 0o077).toBe(0)
})
