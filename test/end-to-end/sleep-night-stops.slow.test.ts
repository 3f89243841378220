import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashSeed } from '../../src/core/statistics/random.js'
import type { ChatRequest, LoopbackServer } from '../../src/testing/index.js'
import {
  answersInHouse,
  customs,
  houseTasks,
  saidBy,
  sleepHere,
  textAt,
  writeTasks,
} from '../support/sleep/house.js'
import {
  folderOf,
  makeNightMachine,
  nightsOf,
  oneEpoch,
  proposedBy,
  writeSettings,
  writeWeek,
} from '../support/sleep/night-machine.js'
import { bookOf } from './sleep-support.js'
import { parcelServer } from './support.js'

/** Events that end a night early: a cap, or prompts that await an answer. */

/** Teaches one custom at a time, so that there is progress to lose. */
const analyse = (shown: string) => {
  const lacking = Object.values(customs).find(({ rule }) => !shown.includes(rule))
  return lacking === undefined ? [] : [{ op: 'append', content: lacking.rule }]
}

const mined = (request: ChatRequest) => {
  if (!saidBy(request, 'system').includes('"skip": null')) return undefined
  const intent = `Write the piece of work that ${hashSeed(saidBy(request, 'user'))} stands for.`
  return {
    content: JSON.stringify({ intent, rubric: ['It is as the house has it.'], checks: [], skip: null }),
  }
}

const house = answersInHouse({ analyse, instead: mined })

let server: LoopbackServer
beforeAll(async () => {
  server = await parcelServer({ keepLog: true, respond: house })
})

describe('a cap on the calls of a night', () => {
  const more = { ...oneEpoch, train: { epochs: 1, batchSize: 4 } }
  const counts = { train: 3, val: 8, test: 2 }
  const tasks = (['ticket', 'greeting', 'colour'] as const).flatMap(custom => houseTasks(custom, { counts }))

  it('is never exceeded; accepted edits are proposed, and the next night gets the full cap again', async () => {
    const outcomes: (string | undefined)[] = []
    for (const cap of [1, 40, 80]) {
      const machine = await makeNightMachine()
      await writeSettings(machine, server.url, { more })
      const file = await writeTasks(machine, tasks)
      const asked = server.counters.requests
      const args = ['run', '--yes', '--quiet', '--tasks-file', file]
      const capped = await sleepHere(machine, [...args, '--max-calls', String(cap)])
      expect(server.counters.requests - asked).toBeLessThanOrEqual(cap)
      expect({ cap, code: capped.code }).toEqual({ cap, code: 4 })
      expect(capped.err).toMatch(
        /cap reached: .*the whole night.*\n.*The next night has the whole cap again/s,
      )
      const [first] = await nightsOf(machine)
      outcomes.push(first?.outcome?.outcome)
      if (first?.proposal !== undefined) {
        expect((await proposedBy(first)).manifest.verdict.accepted).toBe(true)
        expect(first.outcome?.targets[0]?.test).toMatchObject({ tasks: 6 })
        expect(await sleepHere(machine, ['adopt', '--yes'])).toMatchObject({ code: 0 })
      }
      const next = server.counters.requests
      expect(await sleepHere(machine, [...args, '--max-calls', '1000'])).toMatchObject({ code: 0 })
      expect(server.counters.requests).toBeGreaterThan(next)
      expect((await nightsOf(machine)).map(({ number }) => number)).toEqual([1, 2])
    }
    expect(outcomes).toEqual(['nothing-learned', 'nothing-learned', 'proposed'])
  })

  it('that was too low is not spent again on the same tasks', async () => {
    const machine = await makeNightMachine()
    await writeSettings(machine, server.url, { more })
    const args = [
      'run',
      '--yes',
      '--quiet',
      '--tasks-file',
      await writeTasks(machine, tasks),
      '--max-calls',
      '9',
    ]
    expect(await sleepHere(machine, args)).toMatchObject({ code: 4 })
    const asked = server.counters.requests
    const again = await sleepHere(machine, args)
    expect(again).toMatchObject({ code: 0, err: '' })
    expect(again.out).toMatch(/^nothing new: .*night 1/m)
    expect(server.counters.requests).toBe(asked)
  })

  it('holds for reading too, which keeps what it has paid for', async () => {
    const machine = await makeNightMachine()
    await writeWeek(machine, 1)
    await writeSettings(machine, server.url, { more })
    const before = server.log.length
    for (const kept of [5, 10]) {
      const asked = server.counters.requests
      const said = await sleepHere(machine, ['run', '--yes', '--quiet', '--max-calls', '5'])
      expect(said.code).toBe(4)
      expect(server.counters.requests - asked).toBe(5)
      expect((await bookOf(machine)).tasks).toHaveLength(kept)
    }
    const questions = server.log
      .slice(before)
      .flatMap(({ body }) => (body === null ? [] : [saidBy(body, 'user')]))
    expect(new Set(questions).size).toBe(questions.length)
  })
})

describe('a night without a key', () => {
  const models = { target: 'handoff/target', optimizer: 'handoff/optimizer' }

  it('writes its prompts, resumes with the answers, and leaves none behind', async () => {
    const machine = await makeNightMachine()
    await writeSettings(machine, server.url, { more: { ...oneEpoch, models } })
    const args = ['run', '--yes', '--quiet', '--tasks-file', await writeTasks(machine, houseTasks('ticket'))]
    const asked = server.counters.requests
    let rounds = 0
    for (;;) {
      const { code, err } = await sleepHere(machine, args)
      if (code === 0) break
      rounds += 1
      expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/handoff/) })
      const handoff = join(await folderOf(machine), 'nights', '001', 'handoff')
      // The first time nobody has answered: the same command asks the same prompts, and nothing is scored.
      const waiting = await textAt(handoff, 'pending.json')
      if (rounds === 1) {
        expect((await sleepHere(machine, args)).code).toBe(3)
        expect(await textAt(handoff, 'pending.json')).toBe(waiting)
      }
      await answerAll(handoff)
    }
    expect(rounds).toBeGreaterThan(2)
    expect(server.counters.requests).toBe(asked)
    const nights = await nightsOf(machine)
    expect(nights.map(({ outcome }) => outcome?.outcome)).toEqual(['proposed'])
    expect((await proposedBy(nights[0])).texts['skill:skillopt-sleep-learned']).toContain(customs.ticket.rule)
    expect(existsSync(join(nights[0]?.folder ?? '', 'handoff'))).toBe(false)
  })
})

interface Pending {
  readonly model: string
  readonly file: string
  readonly answer: string
}

/** Answers from the files alone, as a person would have to. */
async function answerAll(handoff: string): Promise<void> {
  const { pending } = JSON.parse(await textAt(handoff, 'pending.json')) as { pending: Pending[] }
  for (const { model, file, answer } of pending) {
    const text = await readFile(join(handoff, file), 'utf8')
    const found = text.matchAll(/^## \d+\. (System|User|Assistant)\n\n(`{3,})text\n([\s\S]*?)\n\2$/gm)
    const messages = [...found].map(([, role = '', , content = '']) => ({
      role: role.toLowerCase(),
      content,
    }))
    const reply = house({ model: model.replace('handoff/', ''), messages })
    await writeFile(join(handoff, answer), reply.content ?? '')
  }
}
