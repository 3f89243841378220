import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { finish, LogBuilder, sampleLog } from '../../../../test/support/sample-run.js'
import { configSchema } from '../../../core/config/config.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { EventBody } from '../../../core/log/event.js'
import { openDiskStore } from '../../../store/disk.js'
import { lockRunDirectory } from '../../../store/lock.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'
import { openingCommand } from '../../terminal/open-file.js'
import { report } from './report.js'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-report-'))
  await writeLog('done', finish(sampleLog()))
  await writeLog('killed', sampleLog())
  await writeLog('scored', evaluationLog())
})
afterAll(() => rm(cwd, { recursive: true }))

async function writeLog(name: string, log: LogBuilder): Promise<void> {
  await mkdir(join(cwd, 'runs', name), { recursive: true })
  const store = await openDiskStore(join(cwd, 'runs', name))
  for (const text of log.blobs.values()) store.put(text)
  for (const event of log.events) await store.append(event)
  await store.flush()
  await store.close()
}

/** Scores one half on four test tasks, by the soft score. */
function evaluationLog(): LogBuilder {
  const config = configSchema.parse({
    environment: {},
    models: { target: 'simulated/target', optimizer: 'simulated/optimizer' },
    evaluation: { metric: 'soft' },
  })
  const recorded = JSON.parse(JSON.stringify(config)) as EventBody<'run.started'>['config']
  const log = new LogBuilder().start({ kind: 'eval', config: recorded, sources: {}, epochs: 0 })
  const rows = [0, 0.5, 0.5, 1].map((soft, index) => ({
    task: `t${index}`,
    type: '',
    sample: 0,
    hard: 0,
    soft,
  }))
  log.add('stage.started', { stage: 'test', epoch: 0, step: 0, total: 4 })
  for (const { task } of rows) log.attempt('test', 0, 0, task, 0)
  return log.add('evaluation.finished', {
    stage: 'test',
    epoch: 0,
    step: 0,
    skill: 'a'.repeat(16),
    split: 'test',
    hard: 0,
    soft: 0.5,
    scored: 4,
    failed: 0,
    score: 0.5,
    rows: log.put(rows.map(row => JSON.stringify(row)).join('\n')),
  })
}

it('is of the newest training run when none is named', async () => {
  const { code, io } = await run('report', '--out', 'newest.md')
  expect(code).toBe(exitCodes.ok)
  expect(io.err()).toBe('Newest training run: runs/killed\n')
  expect(await readFile(join(cwd, 'newest.md'), 'utf8')).toContain('killed')
})

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd })
  return { code: await main(argv, io), io }
}

const read = (...path: string[]) => readFile(join(cwd, ...path), 'utf8')

describe('report', () => {
  it('writes both files into the run directory, and says where', async () => {
    const { code, io } = await run('report', 'done')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toMatch(
      /^wrote runs\/done\/report\.md \([\d.]+ kB\)\nwrote runs\/done\/report\.html \([\d.]+ kB\)\n$/,
    )
    expect(await read('runs', 'done', 'report.md')).toContain('+50 points on the test split')
    expect(await read('runs', 'done', 'report.html')).toMatch(/^<!doctype html>/)
  })

  it('writes the same again, and removes with the run', async () => {
    await writeLog('again', finish(sampleLog()))
    await run('report', 'again')
    const first = await read('runs', 'again', 'report.html')
    await run('report', 'again')
    expect(await read('runs', 'again', 'report.html')).toBe(first)
    expect((await run('runs', 'rm', 'again', '--yes')).code).toBe(exitCodes.ok)
  })

  it('writes to a folder that it makes, or to one file', async () => {
    await run('report', 'done', '--out', 'deep/folder')
    expect(await readdir(join(cwd, 'deep', 'folder'))).toEqual(['report.html', 'report.md'])
    const { io } = await run('report', 'done', '--out', 'mine.html')
    expect(io.out()).toContain('wrote mine.html')
    expect(await read('mine.html')).toContain('<h1>sample-run</h1>')
  })

  it('reads a run while it is being written', async () => {
    const lock = await lockRunDirectory(join(cwd, 'runs', 'killed'))
    const { code } = await run('report', 'killed', '--out', 'live.md')
    await lock.release()
    expect(code).toBe(exitCodes.ok)
    expect(await read('live.md')).toContain('was killed')
  })

  it('scores an evaluation by its own metric, and takes it for finished', async () => {
    expect((await run('report', 'scored', '--out', 'scored.md')).code).toBe(exitCodes.ok)
    const text = await read('scored.md')
    expect(text).toContain('**finished**')
    expect(text).toContain('50.0% on 4 test tasks')
  })

  it('opens the page where it can, and says so where it cannot', async () => {
    const opened: string[] = []
    const io = fakeIo<Library>({ cwd })
    const openWith = async (file: string) => opened.push(file) > 1
    expect(await report(io, 'done', { out: 'a.html', open: true, openWith })).toBe(exitCodes.ok)
    expect(opened).toEqual([join(cwd, 'a.html')])
    expect(io.err()).toContain('No program found to open it')
    await report(io, 'done', { out: 'a.html', open: true, openWith })
    expect(io.err().split('No program')).toHaveLength(2)
  })

  it.each([
    [['report', 'nothing'], /no run "nothing"/],
    [['report', 'done', '--out', 'a.md', '--open'], /--open shows the HTML/],
    [['report', 'done', '--out', 'notes.txt'], /notes\.txt is a file/],
    [['report', 'done', '--out', 'notes.txt/inner'], /Cannot write the report/],
  ] as const)('refuses %j', async (argv, message) => {
    await writeFile(join(cwd, 'notes.txt'), 'mine')
    const { code, io } = await run(...argv)
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toMatch(message)
    expect(await read('notes.txt')).toBe('mine')
  })
})

it('opens a file as each system does', () => {
  expect(openingCommand('darwin', 'a b.html')).toEqual(['open', 'a b.html'])
  expect(openingCommand('win32', 'a b.html')).toEqual(['cmd', '/c', 'start', '', 'a b.html'])
  expect(openingCommand('linux', 'a b.html')).toEqual(['xdg-open', 'a b.html'])
})
