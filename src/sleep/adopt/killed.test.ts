import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runTypescript } from '../../../test/run-typescript.js'
import {
  type AdoptionWorld,
  makeAdoptionWorld,
  makeProposal,
  snapshot,
} from '../../../test/support/adoption.js'
import { adopt, recover, undo } from './index.js'

let world: AdoptionWorld
beforeEach(async () => {
  world = await makeAdoptionWorld()
})
afterEach(() => rm(world.root, { recursive: true }))

/** Starts a process that runs `work` on the project. */
function startProcess(work: string) {
  const program = `
    const { adopt, undo } = await load('src/sleep/adopt/index.ts')
    const [folder, place] = JSON.parse(process.argv[1])
    ${work}`
  return runTypescript(program, [JSON.stringify([world.proposalFolder, world.place])])
}

const forEver = `process.stdout.write('ready')
  for (;;) {
    await adopt(folder, place)
    await undo(place)
  }`
const onceOnly = `console.log(await adopt(folder, place).then(() => 'adopted', error => error.message))`

it('recovers from kill -9 at any moment, despite stale locks', async () => {
  await makeProposal(world)
  const before = await snapshot(world.project)
  await adopt(world.proposalFolder, world.place)
  const after = await snapshot(world.project)
  await undo(world.place)
  for (const milliseconds of [3, 11, 24, 41, 67]) {
    const child = startProcess(forEver)
    await once(child.stdout, 'data')
    await sleep(milliseconds)
    child.kill('SIGKILL')
    await once(child, 'close')
    await recover(world.place)
    const now = await snapshot(world.project)
    const adopted = now[world.files.skill] === after[world.files.skill]
    expect(now).toEqual(adopted ? after : before)
    if (adopted) await undo(world.place)
    expect(await snapshot(world.project)).toEqual(before)
  }
})

it('lets only one of two processes through', async () => {
  await makeProposal(world)
  const said = await Promise.all(
    [startProcess(onceOnly), startProcess(onceOnly)].map(child => text(child.stdout)),
  )
  expect(said.filter(line => line === 'adopted\n')).toHaveLength(1)
  expect(said.find(line => line !== 'adopted\n')).toMatch(
    /^This project cannot be changed now: .* is in use by process |was adopted already/,
  )
})
