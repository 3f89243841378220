import { existsSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { openCalls, paymentOf, readEvents } from '../../bench/crash-runs.js'
import { hashSeed } from '../../src/core/statistics/random.js'
import type { ChatRequest, LoopbackServer } from '../../src/testing/index.js'
import { answersInHouse, customs, saidBy } from '../support/sleep/house.js'
import {
  anew,
  folderOf,
  makeNightMachine,
  nightsOf,
  oneEpoch,
  proposedBy,
  writeSettings,
  writeWeek,
} from '../support/sleep/night-machine.js'
import { timeLimit } from '../support/time-limit.js'
import { begin, type Machine, run } from './sleep-support.js'
import { parcelServer } from './support.js'

/** `kill -9` at every kind of moment in a night, resumed by the same command. */

const useless = '- Take a deep breath before answering.'

/** The first idea is useless, the second is better. */
const house = answersInHouse({
  analyse: shown => [{ op: 'append', content: shown.includes(useless) ? customs.ticket.rule : useless }],
  instead: request => {
    const system = saidBy(request, 'system')
    if (!system.includes('"skip": null')) return undefined
    const intent = `Write the piece of work that ${hashSeed(saidBy(request, 'user'))} stands for.`
    const rubric = ['It is written as the house does.']
    return { content: JSON.stringify({ intent, rubric, checks: [], skip: null }) }
  },
})

let server: LoopbackServer
let onRequest: (() => void) | undefined
let straight: Machine
let requests: number
let undisturbed: Awaited<ReturnType<typeof comingTo>>

const command = ['sleep', 'run', '--yes', '--quiet']

beforeAll(async () => {
  server = await parcelServer({
    keepLog: true,
    respond: async (request: ChatRequest) => {
      onRequest?.()
      // Long enough for calls to be in flight when the process dies.
      await sleep(4)
      return house(request)
    },
  })
  straight = await makeNightMachine()
  await writeWeek(straight, 1)
  await settle(straight)
  const said = await run(straight, command)
  expect(said).toMatchObject({ code: 0 })
  requests = server.counters.requests
  undisturbed = await comingTo(straight)
})

const settle = (machine: Machine) =>
  writeSettings(machine, server.url, {
    sleep: { examples: 3 },
    more: { ...oneEpoch, train: { epochs: 1, batchSize: 8 } },
  })

/** Result of a night, without times and paths. */
async function comingTo(machine: Machine) {
  const nights = await nightsOf(machine)
  const { manifest, texts } = await proposedBy(nights[0])
  const { madeAt: _at, run: _run, ...said } = manifest
  const { reason, targets } = nights[0]?.outcome ?? {}
  return { nights: nights.length, said, texts, reason, targets }
}

/**
 * Moment of a kill: after this many requests, or when a file with a matching name appears in the night's
 * folder.
 */
type Moment = number | RegExp

const lanes: readonly (readonly Moment[])[] = [
  // During reading, mining, planning and the start of training.
  [/^begun\.json$/, 1, 7, /^plan\.json/, 2, 25],
  [...someOf('a', 2), /^\.proposal/],
  [...someOf('b', 1), /^outcome\.json\.\d+\.partial$/],
]

/** Arbitrary but deterministic moments. */
function someOf(name: string, times: number): number[] {
  return Array.from({ length: times }, (_, index) => 1 + (hashSeed(`kill ${name} ${index}`) % 65))
}

let kills = 0

it.each(lanes.map((moments, lane) => ({ lane, moments })))(
  'a night that is killed at $moments comes to the same, and pays for nothing twice',
  { timeout: timeLimit(240_000) },
  async ({ lane, moments }) => {
    const machine = anew(straight, `killed-${lane}`)
    await settle(machine)
    const from = server.log.length
    const inFlight: number[] = []
    let isOver = false
    for (const moment of moments) {
      isOver = !(await isKilledAt(machine, moment))
      // A short-lived file may be missed. Running again would start another night.
      if (isOver) break
      kills += 1
      inFlight.push(...(await openIn(machine)))
    }
    if (!isOver) expect(await run(machine, command)).toMatchObject({ code: 0 })

    expect(await comingTo(machine)).toEqual(undisturbed)
    const payment = paymentOf(server.log.slice(from), inFlight)
    expect(payment.paidTwice).toBe(0)
    expect(payment.identities).toEqual(paymentOf(server.log.slice(0, requests)).identities)
    expect(payment.calls).toBeLessThanOrEqual(requests + inFlight.length)
    const left = await readdir(await folderOf(machine), { recursive: true })
    expect(left.filter(name => /partial|lock|\.proposal/.test(name))).toEqual([])
  },
)

it('kills often enough, and with calls in flight', () => {
  expect(kills).toBeGreaterThanOrEqual(9)
})

/** Returns false if the process finished first. */
async function isKilledAt(machine: Machine, moment: Moment): Promise<boolean> {
  const { child, finished } = begin(machine, command)
  const kill = () => child.kill('SIGKILL')
  let asked = 0
  onRequest = () => {
    asked += 1
    if (asked === moment) kill()
  }
  const watch = setInterval(() => {
    if (moment instanceof RegExp && isInNight(machine, moment)) kill()
  }, 1)
  const { code, stderr } = await finished
  clearInterval(watch)
  onRequest = undefined
  if (code !== null && code !== 0) throw new Error(`It ended with ${code}: ${stderr}`)
  return code === null
}

function isInNight({ kept }: Machine, name: RegExp): boolean {
  const projects = join(kept, 'sleep', 'projects')
  if (!existsSync(projects)) return false
  return readdirSync(projects).some(project => {
    const night = join(projects, project, 'nights', '001')
    return existsSync(night) && readdirSync(night).some(file => name.test(file))
  })
}

/** Seeds of the calls in flight, over all runs of the night. */
async function openIn(machine: Machine): Promise<number[]> {
  const runs = join(await folderOf(machine), 'nights', '001', 'runs')
  if (!existsSync(runs)) return []
  const logs = (await readdir(runs)).map(name => join(runs, name))
  const open = await Promise.all(
    logs
      .filter(log => existsSync(join(log, 'events.jsonl')))
      .map(async log => openCalls(await readEvents(log))),
  )
  return open.flat().map(hashSeed)
}
