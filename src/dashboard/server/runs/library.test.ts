import { appendFile, cp, mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeRun } from '../../../../test/support/dashboard.js'
import { finish, LogBuilder, sampleLog, seedHash } from '../../../../test/support/sample-run.js'
import type { RunEvent } from '../../../core/log/event.js'
import { forView } from '../../../core/log/view-event.js'
import { eventsFile } from '../../../store/disk.js'
import { NotFoundError } from '../not-found.js'
import { createRunLibrary } from './library.js'
import type { RunLibrary } from './types.js'

let root: string
let library: RunLibrary
let end: AbortController
const place = (...parts: string[]) => join(root, ...parts)
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-library-')))
  await mkdir(place('runs'))
  end = new AbortController()
  library = libraryOf([place('runs')])
})
afterEach(async () => {
  end.abort()
  await library.close()
  await rm(root, { recursive: true, force: true, maxRetries: 5 })
})

function libraryOf(folders: readonly string[]): RunLibrary {
  const env = { SKILLOPT_HOME: place('home'), HOME: place('person') }
  return createRunLibrary({ cwd: root, folders, env, signal: end.signal })
}

const line = (event: RunEvent) => `${JSON.stringify(event)}\n`

/** The list, once no log is being read any more. */
async function listed() {
  for (;;) {
    const lines = await library.list()
    if (lines.every(({ reading }) => reading === undefined)) return lines
  }
}

describe('the list', () => {
  it('has a line for every run, the latest first', async () => {
    await writeRun(place('runs', 'sums-001'), finish(sampleLog()))
    const later = new LogBuilder()
    later.at += 1_000_000
    await writeRun(
      place('runs', 'group', 'other-001'),
      later.start({
        run: 'other-001',
        config: { environment: { use: 'tasks' }, models: { target: 'a/b', optimizer: { model: 'c/d' } } },
      }),
    )
    expect(await listed()).toMatchObject([
      {
        name: 'other-001',
        directory: join('runs', 'group', 'other-001'),
        state: 'killed',
        environment: 'tasks',
        models: { target: 'a/b', optimizer: 'c/d' },
      },
      {
        name: 'sample-run',
        directory: join('runs', 'sums-001'),
        state: 'finished',
        kind: 'train',
        initial: 0.25,
        best: 0.75,
        simulated: true,
      },
    ])
  })

  it('gives ids that are no paths, and opens nothing by any other name', async () => {
    await writeRun(place('runs', 'a run & more'), finish(sampleLog()))
    const [only] = await listed()
    expect(only?.id).toMatch(/^a_run_more-[0-9a-f]{8}$/)
    expect((await library.open(only?.id ?? '')).directory).toBe(place('runs', 'a run & more'))
    for (const name of ['', '..', 'a run & more', place('runs', 'a run & more'), '__proto__'])
      await expect(library.open(name)).rejects.toThrow(NotFoundError)
  })

  it('says what is wrong with a run that cannot be read, and shows the others', async () => {
    await writeRun(place('runs', 'good-001'), finish(sampleLog()))
    await mkdir(place('runs', 'bad-001'))
    await writeFile(place('runs', 'bad-001', eventsFile), 'no\nlog\n')
    const lines = await listed()
    expect(lines.map(({ state }) => state).toSorted()).toEqual(['finished', 'unreadable'])
    expect(lines.find(({ state }) => state === 'unreadable')).toMatchObject({
      name: 'bad-001',
      problem: expect.stringContaining('line 1 cannot be read'),
    })
  })

  it('does not look behind links, nor into other folders', async () => {
    await writeRun(place('elsewhere', 'sums-001'), finish(sampleLog()))
    await symlink(place('elsewhere'), place('runs', 'linked'))
    expect(await listed()).toEqual([])
  })

  it('takes a folder that is a run itself, and one that is not there yet', async () => {
    await writeRun(place('runs', 'sums-001'), finish(sampleLog()))
    await library.close()
    library = libraryOf([place('runs', 'sums-001'), place('to-come')])
    expect(await listed()).toHaveLength(1)
  })

  it('tells whoever watches of runs that come, grow and go', async () => {
    let told = 0
    let tell = () => {}
    const stop = library.watch(() => {
      told += 1
      tell()
    })
    const next = () =>
      new Promise<void>(resolve => {
        tell = resolve
      })
    await listed()
    const log = sampleLog()
    // The first poll always notifies, since it has nothing to compare with.
    await next()
    const came = next()
    await writeRun(place('runs', 'sums-001'), log)
    await came
    expect(await listed()).toMatchObject([{ state: 'killed', step: 2 }])
    const grew = next()
    const ending = finish(sampleLog()).events.slice(log.events.length)
    await appendFile(place('runs', 'sums-001', eventsFile), ending.map(line).join(''))
    await grew
    expect(await listed()).toMatchObject([{ state: 'finished' }])
    const went = next()
    await rm(place('runs', 'sums-001'), { recursive: true })
    await went
    expect(await listed()).toEqual([])
    stop()
    expect(told).toBeGreaterThanOrEqual(3)
  })

  it('keeps up with more runs than it keeps open', async () => {
    await writeRun(place('runs', 'sums-000'), finish(sampleLog()))
    for (let number = 1; number < 40; number += 1)
      await cp(place('runs', 'sums-000'), place('runs', `sums-${number}`), { recursive: true })
    const lines = await listed()
    expect(lines).toHaveLength(40)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(40)
    for (const { id } of lines) expect((await (await library.open(id)).view()).outcome).toBe('finished')
  })
})

describe('following', () => {
  async function open(log: LogBuilder) {
    await writeRun(place('runs', 'sums-001'), log)
    const [only] = await listed()
    return library.open(only?.id ?? '')
  }

  it('misses nothing of what is written while it looks', async () => {
    const whole = finish(sampleLog())
    const begun = new LogBuilder()
    begun.events.push(...whole.events.slice(0, 10))
    const run = await open(begun)
    const heard: RunEvent[] = []
    const following = (async () => {
      for await (const batch of run.follow(4, end.signal)) {
        heard.push(...batch)
        if (heard.length === whole.events.length - 4) return
      }
    })()
    const file = place('runs', 'sums-001', eventsFile)
    for (const event of whole.events.slice(10)) {
      const text = line(event)
      await appendFile(file, text.slice(0, 7))
      await appendFile(file, text.slice(7))
    }
    await following
    expect(heard).toEqual(whole.events.slice(4).map(forView))
  })

  it('ends when the log is another one', async () => {
    const run = await open(finish(sampleLog()))
    const { events } = await run.view()
    const following = run.follow(events, end.signal)[Symbol.asyncIterator]()
    const next = following.next()
    const file = place('runs', 'sums-001', eventsFile)
    const other = new LogBuilder()
    other.at = 1
    other.start()
    await writeFile(file, other.events.map(line).join(''))
    await utimes(file, 1, 1)
    expect(await next).toEqual({ done: true, value: undefined })
    expect((await run.view()).events).toBe(2)
  })

  it('ends with the signal', async () => {
    const run = await open(finish(sampleLog()))
    const { events } = await run.view()
    const following = run.follow(events, end.signal)[Symbol.asyncIterator]().next()
    setTimeout(() => end.abort(), 20)
    expect(await following).toEqual({ done: true, value: undefined })
  })
})

describe('search', () => {
  async function hits(words: string): Promise<readonly string[]> {
    const log = new LogBuilder().start()
    const long = log.put('The customer wrote: “where is my ÜBER parcel?”\nnothing else')
    log.attempt('rollout', 1, 1, 'plain', 1)
    log.add('attempt.finished', {
      stage: 'rollout',
      epoch: 1,
      step: 1,
      skill: seedHash,
      task: 'in-a-text',
      type: 'mail',
      sample: 0,
      messages: [
        { role: 'user', blob: long },
        { role: 'assistant', toolCalls: [{ id: '1', name: 'look_up', arguments: '{"query":"depot"}' }] },
      ],
      outcome: {
        status: 'scored',
        score: { hard: 0, soft: 0, feedback: 'No "quotes" please.' },
        stop: 'answered',
      },
    })
    log.add('attempt.failed', {
      stage: 'rollout',
      epoch: 1,
      step: 1,
      skill: seedHash,
      task: 'lost',
      sample: 0,
      kind: 'quota',
      message: 'Out of quota for today.',
    })
    await writeRun(place('runs', 'sums-001'), log)
    const [only] = await listed()
    const table = await (await library.open(only?.id ?? '')).attempts()
    const { found, isWhole } = await table.search(words, 10, end.signal)
    expect(isWhole).toBe(true)
    return found.map(index => table.row(index).task)
  }

  it.each([
    ['answer of', ['plain']],
    ['über PARCEL', ['in-a-text']],
    ['parcel depot', ['in-a-text']],
    ['"quotes"', ['in-a-text']],
    ['quota today', ['lost']],
    ['parcel quota', []],
    // Field names and other JSON syntax of the log are not searched.
    ['assistant', []],
    ['messages', []],
    ['nnothing', []],
  ])('%s', async (words, tasks) => {
    expect(await hits(words)).toEqual(tasks)
  })

  it('ends in a sentence when the dashboard is closed', async () => {
    await writeRun(place('runs', 'sums-001'), finish(sampleLog()))
    const [only] = await listed()
    const table = await (await library.open(only?.id ?? '')).attempts()
    await expect(table.search('answer', 10, AbortSignal.abort())).rejects.toThrow(
      'was closed while it searched',
    )
  })
})
