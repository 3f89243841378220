import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../test/support/fake-io.js'
import { LogBuilder, sampleLog, seedText } from '../../test/support/sample-run.js'
import { timeLeft } from '../core/view/time-left.js'
import { openDiskStore } from '../store/disk.js'
import { writeRunFiles } from '../store/run-files/write.js'
import type { Library } from './library.js'
import { main } from './main.js'
import { plainLines } from './output/plain.js'
import { renderFrame } from './output/progress.js'
import { endReport } from './output/run-report.js'

const colors = picocolors.createColors(false)
const reason = 'no failures left'
const ended = (because?: string) =>
  sampleLog().add('run.finished', {
    best: 1,
    last: 2,
    score: 0.75,
    because,
  })

/** The closing lines of every terminal output for a run that ended early. */
function said(log: LogBuilder): string[] {
  const view = log.view()
  const [last] = log.events.slice(-1)
  const report = { colors, directory: 'runs/a', seed: seedText, best: undefined, tokens: { seed: 9 } }
  return [
    renderFrame(view, { width: 100, now: view.lastAt, colors }),
    last === undefined ? '' : plainLines(view, last, colors).join('\n'),
    endReport(view, report),
  ]
}

describe('an early end', () => {
  it('is told with its reason', () => {
    const [live, plain, report] = said(ended(reason))
    expect(live).toContain(`finished early: ${reason}`)
    expect(plain).toContain(`training ended early: ${reason}\nfinished in`)
    expect(report).toContain(`finished early: ${reason} · 2 steps`)
  })

  it.each([undefined, 'all epochs'])('is not claimed of a run that ended with %s', because => {
    for (const text of said(ended(because))) expect(text).not.toMatch(/early|all epochs/)
  })

  it('leaves no steps in the time that is left', () => {
    const log = new LogBuilder().start({ epochs: 40, stepsPerEpoch: 10 })
    log.events.push(...sampleLog().events.slice(log.events.length))
    const before = log.view()
    const testing = log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 10 }).view()
    expect(timeLeft(before, before.lastAt)).toBeGreaterThan(100 * before.activeMs)
    expect(timeLeft(testing, testing.lastAt)).toBeLessThan(before.activeMs)
  })
})

describe('a run directory', () => {
  let cwd: string
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'skillopt-early-'))
    const log = ended(reason)
    const store = await openDiskStore(join(cwd, 'runs', 'a'))
    for (const text of log.blobs.values()) store.put(text)
    for (const event of log.events) await store.append(event)
    await store.flush()
    await store.close()
    await writeRunFiles(join(cwd, 'runs', 'a'), log.reader())
  })
  afterAll(() => rm(cwd, { recursive: true }))

  const run = async (...argv: string[]) => {
    const io = fakeIo<Library>({ cwd })
    await main(argv, io)
    return io.out()
  }
  const file = (name: string) => readFile(join(cwd, 'runs', 'a', name), 'utf8')

  it('has it in show, in the report and in summary.json', async () => {
    expect(await run('show', 'a')).toContain(`training ended early: ${reason}`)
    await run('report', 'a')
    expect(await file('report.md')).toContain(`Training ended early: ${reason}.`)
    expect(JSON.parse(await file('summary.json'))).toMatchObject({ outcome: 'finished', because: reason })
  })
})
