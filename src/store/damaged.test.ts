import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callFinished } from '../../test/conformance/store.js'
import { InputError } from '../core/errors/errors.js'
import type { RunEvent } from '../core/log/event.js'
import { openDiskStore } from './disk.js'
import { viewRun } from './read-run.js'

let directory: string
let events: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'damaged-run-'))
  events = join(directory, 'events.jsonl')
})
afterEach(() => rm(directory, { recursive: true }))

async function write(): Promise<void> {
  const store = await openDiskStore(directory)
  const attempt: RunEvent = {
    seq: 2,
    at: 1002,
    type: 'attempt.finished',
    key: 'attempt',
    body: {
      stage: 'rollout',
      epoch: 1,
      step: 1,
      skill: 'skill',
      task: 't1',
      type: '',
      sample: 0,
      messages: [],
      outcome: { status: 'scored', score: { hard: 1, soft: 1, feedback: '' }, stop: 'answered' },
    },
  }
  for (const event of [
    callFinished(0, 'a', 'reply', store.put('one')),
    callFinished(1, 'b', 'reply', store.put('two')),
    attempt,
  ])
    await store.append(event)
  await store.close()
}

async function change(from: string, to: string): Promise<void> {
  const text = await readFile(events, 'utf8')
  expect(text).toContain(from)
  await writeFile(events, text.replace(from, to))
}

const refusal = async () => {
  const error: unknown = await openDiskStore(directory).then(
    async store => {
      await store.close()
      return undefined
    },
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return error as InputError
}

it.each([
  ['empty', () => writeFile(events, '')],
  ['gone', () => rm(events)],
])('refuses a run whose event log is %s while its texts are there', async (_what, damage) => {
  await write()
  await damage()
  const before = await readFile(join(directory, 'blobs.jsonl'), 'utf8')
  const { message, hint } = await refusal()
  expect(message).toBe(
    `${directory} is damaged: events.jsonl is empty, although blobs.jsonl holds 2 texts of an earlier session.`,
  )
  expect(hint).toBe('Restore events.jsonl from a copy, or start a new run in another directory.')
  expect(await readFile(join(directory, 'blobs.jsonl'), 'utf8')).toBe(before)
})

it('opens a run that ended before its first event, with the seed skill alone', async () => {
  const store = await openDiskStore(directory)
  store.put('the seed')
  await store.close()
  await (await openDiskStore(directory)).close()
})

it.each([
  ['"hard":1', '"hard":7', 'body.outcome'],
  ['"hard":1', '"hard":-1', 'body.outcome'],
  ['"hard":1', '"hard":"1"', 'body.outcome'],
  ['"epoch":1,"step":1,"skill"', '"epoch":"x","step":1,"skill"', 'body.epoch'],
  ['"usage":{"input":3', '"usage":{"input":"3"', 'body.usage.input'],
])('refuses to go on with an event whose %s became %s', async (from, to, where) => {
  await write()
  await change(from, to)
  const { message, hint } = await refusal()
  expect(message).toMatch(/events\.jsonl is damaged: event \d \((attempt|call)\.finished\) has no valid /)
  expect(message).toContain(where)
  expect(hint).toContain('Restore')
})

it.each(['attempt.invented', 'constructor', '__proto__'])(
  'names an event of the unknown type %s, when going on and when reading',
  async type => {
    await write()
    await change('"type":"attempt.finished"', `"type":"${type}"`)
    const expected = `events.jsonl has an event of the unknown type "${type}".`
    expect((await refusal()).message).toContain(expected)
    await expect(viewRun(directory)).rejects.toThrow(expected)
    expect((await refusal()).hint).toContain('Update skillopt')
  },
)
