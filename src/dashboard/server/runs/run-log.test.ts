import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRun } from '../../../../test/support/dashboard.js'
import { finish, type LogBuilder, sampleLog } from '../../../../test/support/sample-run.js'
import type { RunEvent } from '../../../core/log/event.js'
import { forView } from '../../../core/log/view-event.js'
import { createView, foldEvent } from '../../../core/view/fold.js'
import { eventsFile } from '../../../store/disk.js'
import { viewRun } from '../../../store/read-run.js'
import { KeptIndexes } from './kept-index.js'
import { RunLog } from './run-log.js'

let root: string
let directory: string
let file: string
let log: LogBuilder
let indexes: KeptIndexes
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-run-log-'))
  directory = join(root, 'sums-001')
  file = join(directory, eventsFile)
  log = finish(sampleLog())
  indexes = new KeptIndexes(join(root, 'index'), 0)
  await writeRun(directory, log)
})
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

const opened = () => new RunLog(directory, indexes)
const lines = (events: readonly RunEvent[]) => events.map(event => `${JSON.stringify(event)}\n`).join('')

async function from(one: RunLog, seq: number): Promise<readonly RunEvent[]> {
  const { view } = await one.update()
  const all: RunEvent[] = []
  for await (const batch of one.eventsFrom(seq, view.events)) all.push(...batch)
  return all
}

describe('reading', () => {
  it('gives the view that every other reader has', async () => {
    const { view } = await opened().update()
    expect(view).toEqual(await viewRun(directory))
    expect(view.events).toBe(log.events.length)
  })

  it('goes on where it stopped, and leaves out a line that is not finished', async () => {
    await writeFile(file, lines(log.events.slice(0, 20)))
    const one = opened()
    expect((await one.update()).view).toEqual(log.view(20))
    const next = lines(log.events.slice(20, 22))
    await appendFile(file, next.slice(0, -5))
    expect((await one.update()).view).toEqual(log.view(21))
    await appendFile(file, next.slice(-5) + lines(log.events.slice(22)))
    expect((await one.update()).view).toEqual(log.view())
    expect(one.generation).toBe(0)
  })

  it('knows every attempt, with its place', async () => {
    const one = opened()
    const { attempts } = await one.update()
    const made = log.events.filter(({ type }) => type === 'attempt.finished' || type === 'attempt.failed')
    expect(made.length).toBeGreaterThan(8)
    expect(attempts.length).toBe(made.length)
    for (const [index, event] of made.entries()) {
      const row = attempts.row(index)
      expect(row).toMatchObject({ seq: event.seq, at: event.at })
      expect(await one.event(row.seq)).toEqual(event)
    }
  })

  it('finds any event, and all of a type', async () => {
    const one = opened()
    await one.update()
    for (const event of log.events) expect(await one.event(event.seq)).toEqual(event)
    await expect(one.event(log.events.length)).rejects.toThrow('has no event')
    const decided = log.events.filter(({ type }) => type === 'gate.decided')
    expect(decided.length).toBeGreaterThan(0)
    expect(await one.eventsOf('gate.decided')).toEqual(decided)
    expect(await one.eventsOf('mining.finished')).toEqual([])
  })

  it('hands out events as the fold wants them, from memory and from the disk alike', async () => {
    const wanted = log.events.map(forView)
    const fresh = opened()
    expect(await from(fresh, 0)).toEqual(wanted)
    await fresh.close()
    // Opened from the index: nothing was read, so no events are in memory.
    const again = opened()
    for (const seq of [0, 1, 7, wanted.length - 1, wanted.length])
      expect(await from(again, seq)).toEqual(wanted.slice(seq))
    expect((await from(again, 0)).reduce(foldEvent, createView())).toEqual(log.view())
  })

  it('says how far it is', async () => {
    const told: number[] = []
    const one = opened()
    await one.update(({ bytes, of }) => told.push(bytes / of))
    expect(told.at(-1)).toBe(1)
  })

  it('refuses a line in the middle that is none, and reads on once it is mended', async () => {
    const whole = lines(log.events)
    const [start, middle] = [lines(log.events.slice(0, 30)), lines(log.events.slice(30, 31))]
    await writeFile(file, start + middle.replace('{', '!') + whole.slice((start + middle).length))
    const one = opened()
    await expect(one.update()).rejects.toThrow('line 31 cannot be read')
    await expect(one.update()).rejects.toThrow('line 31 cannot be read')
    await writeFile(file, whole)
    const { view, attempts } = await one.update()
    expect(view).toEqual(log.view())
    expect(attempts.length).toBe(log.events.filter(({ type }) => type.startsWith('attempt.')).length)
  })

  it('does not follow a link out of the folder', async () => {
    await rename(file, join(root, 'elsewhere.jsonl'))
    await symlink(join(root, 'elsewhere.jsonl'), file)
    await expect(opened().update()).rejects.toThrow('is not a file')
  })

  it('says so when the run is gone', async () => {
    const one = opened()
    await one.update()
    await rm(directory, { recursive: true })
    await expect(one.update()).rejects.toThrow('There is no run in')
  })
})

describe('another log in its place', () => {
  it('is read from the beginning', async () => {
    const one = opened()
    await one.update()
    const other = finish(sampleLog())
    other.events[0] = { ...log.events[0], at: 5 } as RunEvent
    for (const event of other.events) Object.assign(event, { at: event.at + 7 })
    await rm(directory, { recursive: true })
    await mkdir(directory)
    await writeRun(directory, other)
    expect((await one.update()).view).toEqual(other.view())
    expect(one.generation).toBe(1)
  })

  it('also where it was cut, and has grown again', async () => {
    const one = opened()
    await one.update()
    const kept = lines(log.events.slice(0, 12))
    await truncate(file, Buffer.byteLength(kept))
    expect((await one.update()).view).toEqual(log.view(12))
    const others = log.events.slice(12).map(event => ({ ...event, at: event.at + 1 }))
    await truncate(file, Buffer.byteLength(kept) - 10)
    await writeFile(file, kept + lines(others))
    expect((await one.update()).view.lastAt).toBe((log.events.at(-1)?.at ?? 0) + 1)
    expect(one.generation).toBeGreaterThan(0)
  })
})

describe('the index', () => {
  const indexFile = async () => join(root, 'index', (await readdir(join(root, 'index')))[0] ?? '')

  async function kept(): Promise<void> {
    const one = opened()
    await one.update()
    await one.close()
  }

  it('is used: what it says is believed without reading the log again', async () => {
    await kept()
    const path = await indexFile()
    const text = await readFile(path, 'latin1')
    await writeFile(path, text.replace('"run":"sample-run"', '"run":"sample-RUN"'), 'latin1')
    expect((await opened().update()).view.run).toBe('sample-RUN')
  })

  it('and the log behind it is read on', async () => {
    await writeFile(file, lines(log.events.slice(0, 40)))
    await kept()
    await writeFile(file, lines(log.events))
    const { view, attempts } = await opened().update()
    expect(view).toEqual(log.view())
    expect(attempts.length).toBe(log.events.filter(({ type }) => type.startsWith('attempt.')).length)
  })

  it.each([
    ['cut short', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
    ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(8)])],
    ['empty', () => Buffer.alloc(0)],
    ['no JSON', (bytes: Buffer) => Buffer.concat([Buffer.from('x'), bytes])],
    [
      'of another version',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"format":2', '"format":0'), 'latin1'),
    ],
    [
      'of another program',
      (bytes: Buffer) => Buffer.from(bytes.toString('latin1').replace('"skillopt ', '"skillopt-'), 'latin1'),
    ],
  ])('is thrown away if it is %s', async (_name, change) => {
    await kept()
    const path = await indexFile()
    const text = (await readFile(path, 'latin1')).replace('"run":"sample-run"', '"run":"sample-RUN"')
    await writeFile(path, change(Buffer.from(text, 'latin1')))
    expect((await opened().update()).view).toEqual(log.view())
  })

  it('is thrown away if the log is another one', async () => {
    await kept()
    const other = log.events.map(event => ({ ...event, at: event.at + 1 }))
    await writeFile(file, lines(other))
    expect((await opened().update()).view.startedAt).toBe(other[0]?.at)
  })

  it('is no matter if it cannot be written', async () => {
    await writeFile(join(root, 'index'), 'in the way')
    const one = opened()
    expect((await one.update()).view).toEqual(log.view())
    await one.close()
  })

  it('is for the user alone, and not in the run directory', async () => {
    const before = await readdir(directory)
    await kept()
    expect(await readdir(directory)).toEqual(before)
    const { stat } = await import('node:fs/promises')
    if (process.platform !== 'win32') expect((await stat(await indexFile())).mode & 0o077).toBe(0)
  })
})
