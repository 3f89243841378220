import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TaskBook } from '../../src/sleep/model/sleep-task.js'
import type { ChatRequest, LoopbackServer } from '../../src/testing/index.js'
import { sleepHere } from '../support/sleep/house.js'
import { writeWorld } from '../support/sleep/world.js'
import {
  begin,
  bookOf,
  harvestArguments,
  type Machine,
  makeMachine,
  shownTo,
  treeOf,
  writesTasks,
} from './sleep-support.js'
import { filesOf, key, parcelServer } from './support.js'

/** A harvest is paid for once, and leaves consistent data even if it is interrupted. */

/** With three agents, requests that are asked four times recur. */
const some = ['claude-code', 'codex', 'opencode']
const intents = 4

let server: LoopbackServer
/** Requests to the model, in order of arrival. */
let asked: string[] = []
/** True if this request is answered now; the others are left waiting. */
let isAnswered: (number: number) => boolean
let waiting: (() => void)[] = []

async function respond(request: ChatRequest) {
  asked.push(shownTo(request))
  if (!isAnswered(asked.length)) await new Promise<void>(resolve => waiting.push(resolve))
  return writesTasks(request)
}

beforeAll(async () => {
  server = await parcelServer({ respond })
})
beforeEach(() => {
  for (const answer of waiting) answer()
  asked = []
  waiting = []
  isAnswered = () => true
  server.setApiKey(key.E2E_KEY)
})

/** Runs in this process; only two tests need processes of their own. */
async function run(machine: Machine, args: readonly string[]) {
  const { code, out, err } = await sleepHere(machine, args.slice(1))
  return { code, stdout: out, stderr: err }
}
const harvest = (machine: Machine, ...more: string[]) => run(machine, harvestArguments(server.url, ...more))
const tasksOf = async (machine: Machine) => (await bookOf(machine)).tasks

/** A task without its split. */
const wordsOf = (tasks: TaskBook['tasks']) => tasks.map(({ split: _, ...task }) => task)

describe('a harvest with a model', () => {
  let straight: TaskBook['tasks']

  beforeAll(async () => {
    const machine = await makeMachine({ forms: some })
    isAnswered = () => true
    expect(await harvest(machine)).toMatchObject({ code: 0, stderr: '' })
    straight = await tasksOf(machine)
    expect(straight).toHaveLength(intents)
  })

  it('that was killed between two calls repays none of them, and ends with the same result', async () => {
    const machine = await makeMachine({ forms: some })
    isAnswered = number => number <= 2
    const first = begin(machine, harvestArguments(server.url))
    await until(async () => {
      const texts = Object.entries(await filesOf(machine.kept).catch(() => ({})))
      const log = texts.find(([name]) => name.endsWith('events.jsonl'))?.[1] ?? ''
      return log.split('"type":"task.mined"').length - 1 === 2 && waiting.length > 0
    })
    first.child.kill('SIGKILL')
    await first.finished
    const paid = asked.slice(0, 2)
    const before = asked.length
    isAnswered = () => true
    const second = await harvest(machine)
    expect(second).toMatchObject({ code: 0 })
    expect(asked.slice(before)).toHaveLength(intents - 2)
    expect(asked.slice(before).filter(text => paid.includes(text))).toEqual([])
    expect(await tasksOf(machine)).toEqual(straight)
  })

  it('stops at a cap or a refused key, and the next one resumes', async () => {
    const machine = await makeMachine({ forms: some })
    const stopped = await harvest(machine, '--max-calls', '2')
    expect(stopped).toMatchObject({ code: 4 })
    expect(stopped.stderr).toMatch(/cap of 2 calls .*Raise --max-calls and rerun the same command to resume/s)
    expect(asked).toHaveLength(2)
    // Paid results are kept.
    expect(await tasksOf(machine)).toHaveLength(2)

    server.setApiKey('another')
    const paused = await harvest(machine, '--json')
    expect(paused).toMatchObject({ code: 3 })
    expect(JSON.parse(paused.stdout)).toMatchObject({ outcome: 'paused', tasks: { length: 2 } })
    expect(asked).toHaveLength(2)

    server.setApiKey(key.E2E_KEY)
    expect(await harvest(machine)).toMatchObject({ code: 0 })
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked).toHaveLength(intents)
    // Tasks added one by one may be in other splits than tasks added at once.
    expect(wordsOf(await tasksOf(machine))).toEqual(wordsOf(straight))
  })

  it('makes no calls the second time, and changes only its timestamp', async () => {
    const machine = await makeMachine({ forms: some })
    const transcripts = await treeOf(machine.home)
    await harvest(machine)
    const book = await bookOf(machine)
    asked = []
    expect(await harvest(machine)).toMatchObject({ code: 0 })
    expect(asked).toEqual([])
    const again = await bookOf(machine)
    expect({ ...again, harvestedAt: book.harvestedAt }).toEqual(book)
    expect(Date.parse(again.harvestedAt ?? '')).toBeGreaterThan(Date.parse(book.harvestedAt ?? ''))
    // Transcripts are unchanged, including their modification times.
    expect(await treeOf(machine.home)).toEqual(transcripts)

    // A dropped task stays dropped, and all others keep their splits when more are harvested.
    const [gone, ...others] = book.tasks
    expect(await run(machine, ['sleep', 'tasks', 'drop', gone?.id ?? ''])).toMatchObject({ code: 0 })
    await writeWorld(machine.home, { project: machine.project, forms: ['pi', 'gemini', 'devin'] })
    expect(await harvest(machine)).toMatchObject({ code: 0 })
    expect(asked).toEqual([])
    const later = await bookOf(machine)
    expect(later.dropped.map(({ id }) => id)).toEqual([gone?.id])
    const placeOf = ({ id, split, family, intent }: TaskBook['tasks'][number]) => ({
      id,
      split,
      family,
      intent,
    })
    expect(later.tasks.map(placeOf)).toEqual(others.map(placeOf))
    for (const [index, { evidence }] of later.tasks.entries()) {
      const before = others[index]?.evidence
      expect(evidence.occasions).toBe((before?.occasions ?? 0) + 3)
    }
  })

  it('lets a concurrent harvest neither pay twice nor corrupt the first', async () => {
    const machine = await makeMachine({ forms: some })
    isAnswered = () => false
    const first = begin(machine, harvestArguments(server.url))
    await until(async () => waiting.length > 0)
    const second = await harvest(machine)
    expect(second).toMatchObject({ code: 2, stderr: expect.stringMatching(/is in use by process \d+ since/) })
    isAnswered = () => true
    for (const answer of waiting) answer()
    expect(await first.finished).toMatchObject({ code: 0 })
    expect(asked).toHaveLength(intents)
    expect(await tasksOf(machine)).toEqual(straight)
  })
})

describe('what is there', () => {
  it('without a model, tasks are in the words of requests, and say so', async () => {
    const machine = await makeMachine({ forms: some })
    const { code, stdout } = await run(machine, ['sleep', 'harvest', '--days', '0'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/without a model: 4 tasks are in the words/)])
    const before = await bookOf(machine)
    expect(before.tasks.map(({ writtenBy }) => writtenBy)).toEqual(Array(intents).fill('heuristics'))
    // A model configured later rewrites the tasks; ids and splits stay.
    expect(await harvest(machine)).toMatchObject({ code: 0 })
    const after = await bookOf(machine)
    expect(after.tasks.map(({ id, split }) => [id, split])).toEqual(
      before.tasks.map(({ id, split }) => [id, split]),
    )
    expect(new Set(after.tasks.map(({ writtenBy }) => writtenBy))).toEqual(
      new Set(['openai-compatible/writer']),
    )
  })

  it('nothing recurs: it says so, and there is nothing to ask a model', async () => {
    const machine = await makeMachine({ forms: ['claude-code'] })
    const { code, stdout } = await harvest(machine)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/5 requests, 5 of them different: nothing recurring\./),
    ])
    expect(asked).toEqual([])
  })

  it('no transcripts at all: it says where to look', async () => {
    const machine = await makeMachine({ forms: [] })
    const { code, stdout, stderr } = await harvest(machine)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /Nothing to learn from yet\. No transcripts found; set other folders with `sleep\.places`/,
    )
  })

  it('all of it long ago, or elsewhere: it says how to get at it', async () => {
    const machine = await makeMachine({ forms: ['codex'] })
    const old = await run(machine, ['sleep', 'harvest'])
    expect([old.code, old.stdout]).toEqual([
      0,
      expect.stringMatching(/sessions from before +4[\s\S]*--days 0/),
    ])
    const elsewhere = await run(machine, ['sleep', 'harvest', '--days', '0', '--project', '..', '--dry-run'])
    expect(elsewhere.stdout).toMatch(/^4 sessions at /)
    const other = join(machine.root, 'elsewhere')
    await mkdir(other)
    const none = await run(machine, ['sleep', 'harvest', '--days', '0', '--project', other])
    expect(none.stdout).toMatch(/sessions of other projects +4[\s\S]*--all-projects/)
  })
})

it('asks nobody and pays nothing without a terminal, and --dry-run only reads', async () => {
  const machine = await makeMachine({ forms: some })
  const before = await treeOf(machine.root)
  const args = harvestArguments(server.url).filter(argument => argument !== '--yes')
  const refused = await run(machine, args)
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toMatch(/needs your consent, but there is no terminal to ask.*Pass --yes/s)
  const { code, stdout } = await harvest(machine, '--dry-run')
  expect([code, stdout]).toEqual([0, expect.stringMatching(/Nothing was written and no model was called\./)])
  expect(asked).toEqual([])
  expect(await treeOf(machine.root)).toEqual(before)
})

it('redacts additional secrets that the person names, everywhere', async () => {
  const machine = await makeMachine({
    forms: some,
    add: (_, place) => (place === 'request' ? 'It is for Nightingale.' : ''),
  })
  const config = `sleep:\n  days: 0\n  redact:\n    - { name: project, pattern: '[Nn]ightingale' }\n`
  await mkdir(join(machine.kept, 'sleep'), { recursive: true })
  await writeFile(join(machine.kept, 'sleep', 'sleep.yaml'), config)
  const { code, stdout } = await run(machine, ['sleep', 'harvest', '--audit', '--output', 'tasks.yaml'])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^project +1 +~\//m)])
  const written = await readFile(join(machine.project, 'tasks.yaml'), 'utf8')
  expect(written).toContain('[redacted: project]')
  expect(written + stdout + JSON.stringify(await bookOf(machine))).not.toMatch(/nightingale/i)
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (await isSo()) return
    await sleep(50)
  }
  throw new Error('It never happened.')
}
