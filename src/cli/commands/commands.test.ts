import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../test/support/fake-io.js'
import { finish, LogBuilder, sampleLog } from '../../../test/support/sample-run.js'
import { exitCodes } from '../../core/errors/errors.js'
import { openDiskStore } from '../../store/disk.js'
import { lockRunDirectory } from '../../store/lock.js'
import type { Library } from '../library.js'
import { main } from '../main.js'
import { withoutPassword } from './project/doctor.js'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-commands-'))
  await writeLog('done', finish(sampleLog()))
  await writeLog('grouped/killed', sampleLog())
  await writeLog(
    'stopped',
    sampleLog().add('run.stopped', { reason: 'cap', message: 'The cap of 9 calls is reached.' }),
  )
  await mkdir(join(cwd, 'runs', 'not-a-run'))
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

async function run(...argv: string[]): Promise<{ code: number; io: ReturnType<typeof fakeIo<Library>> }> {
  const io = fakeIo<Library>({ cwd })
  return { code: await main(argv, io), io }
}

describe('runs', () => {
  it('lists every run with its state, verdict and cost', async () => {
    const { code, io } = await run('runs')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toMatch(/runs\/done +finished +2\/2 +Cannot tell +simulated/)
    expect(io.out()).toMatch(/runs\/grouped\/killed +killed +2\/2/)
    expect(io.out()).toMatch(/runs\/stopped +cap reached/)
    expect(io.out()).not.toContain('not-a-run')
  })

  it('lists a damaged run by its error and still lists the others', async () => {
    const folder = join(cwd, 'damaged', 'bad')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'events.jsonl'), 'no json\nat all\n')
    const { code, io } = await run('runs', '--dir', 'damaged', '--dir', 'runs')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toContain('runs/done')
    expect(io.err()).toContain('unreadable')
  })

  it('explains how to start a run when there is none', async () => {
    expect((await run('runs', '--dir', 'empty')).io.out()).toContain('skillopt quickstart')
  })

  it('prints JSON with --json', async () => {
    const listed = JSON.parse((await run('runs', '--json')).io.out()) as {
      run: string
      verdict?: { answer: string; sentence: string }
    }[]
    expect(listed).toHaveLength(3)
    const judged = listed.filter(({ verdict }) => verdict !== undefined)
    expect(judged.map(({ verdict }) => verdict?.answer)).toEqual(['cannot-tell'])
    expect(judged[0]?.verdict?.sentence).toMatch(/^Cannot tell: \+50 points on the test split/)
  })
})

describe('runs rm', () => {
  it('deletes only the given runs, by name or directory', async () => {
    await writeLog('old-1', finish(sampleLog()))
    await writeLog('old-2', sampleLog())
    const { code, io } = await run('runs', 'rm', 'old-1', join('runs', 'old-2'), '--yes')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toMatch(/removed runs\/old-1 \([\d.]+ kB\)\nremoved runs\/old-2/)
    expect((await readdir(join(cwd, 'runs'))).sort()).toEqual(['done', 'grouped', 'not-a-run', 'stopped'])
  })

  it('asks first, and refuses in a non-interactive terminal', async () => {
    const { code, io } = await run('runs', 'rm', 'done')
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toContain('--yes')
    expect(await readdir(join(cwd, 'runs'))).toContain('done')
  })

  it('refuses folders that are not runs, that hold other files, or that are being written', async () => {
    expect((await run('runs', 'rm', 'not-a-run', '--yes')).code).toBe(exitCodes.badInput)
    await writeLog('mine', sampleLog())
    await writeFile(join(cwd, 'runs', 'mine', 'thesis.docx'), 'three years of work')
    const foreign = await run('runs', 'rm', 'done', 'mine', '--yes')
    expect(foreign.code).toBe(exitCodes.badInput)
    expect(foreign.io.err()).toContain('thesis.docx')
    await rm(join(cwd, 'runs', 'mine', 'thesis.docx'))
    const lock = await lockRunDirectory(join(cwd, 'runs', 'mine'))
    expect((await run('runs', 'rm', 'mine', '--yes')).code).toBe(exitCodes.badInput)
    await lock.release()
    expect(await readdir(join(cwd, 'runs'))).toEqual(expect.arrayContaining(['done', 'mine', 'not-a-run']))
    expect((await run('runs', 'rm', 'mine', '--yes')).code).toBe(exitCodes.ok)
  })
})

describe('show', () => {
  it('shows what was tried, why, and the result', async () => {
    const { code, io } = await run('show', 'done')
    expect(code).toBe(exitCodes.ok)
    for (const part of [
      'train.epochs  2',
      'tokens (o200k); the seed skill has about',
      'step 1 (epoch 1) accepted',
      'step 2 (epoch 2) rejected',
      'why: two answers had too many digits',
      'support 3, from failures · tasks t1, t2',
      'the target was not found',
      'meta skill: Small edits help.',
      'v1 best',
    ]) {
      expect(io.out()).toContain(part)
    }
    expect(io.out()).not.toContain('train.batchSize')
  })

  it('lists every setting with its source when asked', async () => {
    const { io } = await run('show', 'runs/done', '--sources')
    expect(io.out()).toMatch(/train\.epochs +2 +flag/)
    expect(io.out()).toMatch(/train\.batchSize +4 +default/)
  })

  it('traces each line of the best skill', async () => {
    const { io } = await run('show', join(cwd, 'runs', 'done'), '--lines')
    expect(io.out()).toMatch(/^seed {2}Answer the question\.$/m)
    expect(io.out()).toMatch(/^1\.0 {3}Round to two decimals\.$/m)
    expect(io.out()).toMatch(/^1\.0 {3}two answers had too many digits \(support 3; tasks t1, t2\)$/m)
  })

  it('prints the whole view with --json', async () => {
    expect(JSON.parse((await run('show', 'done', '--json')).io.out())).toMatchObject({
      outcome: 'finished',
      best: { version: 1 },
    })
  })

  it('rejects a folder that is not a run', async () => {
    const { code, io } = await run('show', 'nothing')
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toContain('nothing')
  })
})

describe('show --diff', () => {
  it('compares versions by number and by name', async () => {
    for (const [from, to] of [
      ['v0', 'v1'],
      ['seed', 'best'],
      ['0', 'last'],
    ] as const) {
      const { code, io } = await run('show', 'done', '--diff', from, to)
      expect(code).toBe(exitCodes.ok)
      expect(io.out()).toContain('+Round to two decimals.')
    }
  })

  it('reports when there is nothing to compare', async () => {
    expect((await run('show', 'done', '--diff', 'v1', 'v2')).io.out()).toContain('same text')
  })

  it('lists the available versions', async () => {
    const { code, io } = await run('show', 'done', '--diff', 'v0', 'v9')
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toContain('Versions: v0, v1, v2')
  })

  it('compares seed and best without versions', async () => {
    const { code, io } = await run('show', 'done', '--diff')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toContain('+Round to two decimals.')
  })

  it.each([
    [['done', '--diff', 'v1'], /--diff compares two versions; 1 was given\.\nPut the run first/],
    [['--diff', 'v1', 'v2', 'done'], /--diff compares two versions; 3 were given\./],
    [['done', '--diff', '--json'], /'--diff \[versions\.\.\.\]' cannot be used with option '--json'/],
    [['done', '--task', 't1', '--lines'], /'--task <id>' cannot be used with option '--lines'/],
  ])('refuses %j', async (argv, message) => {
    const { code, io } = await run('show', ...argv)
    expect(code).toBe(exitCodes.badInput)
    expect(io.err()).toMatch(message)
  })
})

describe('the newest run', () => {
  const touch = (name: string, second: number) =>
    utimes(join(cwd, 'runs', name, 'events.jsonl'), second, second)

  it('is shown when none is named, and stderr says which', async () => {
    await writeLog('desk-eval-0a1b2c3d', new LogBuilder().start({ kind: 'eval' }))
    await touch('done', 1_000)
    await touch('stopped', 2_000)
    await touch('grouped/killed', 3_000)
    const { code, io } = await run('show')
    expect(code).toBe(exitCodes.ok)
    expect(io.out()).toContain('runs/grouped/killed')
    expect(io.err()).toBe('Newest training run: runs/grouped/killed\n')
    await touch('done', 4_000)
    expect((await run('show', '--diff')).io.err()).toBe('Newest training run: runs/done\n')
    expect(JSON.parse((await run('show', '--json')).io.out())).toMatchObject({ directory: 'runs/done' })
  })

  it('reports an error when there is no run', async () => {
    const empty = fakeIo<Library>({ cwd: join(cwd, 'damaged') })
    expect(await main(['show'], empty)).toBe(exitCodes.badInput)
    expect(empty.err()).toMatch(/^error: No training run in runs\/\.\nPass a run directory, or start a run/)
  })
})

describe('doctor', () => {
  it('reports what is missing and fails', async () => {
    const { code, io } = await run('doctor', 'no-such-project')
    expect(code).toBe(exitCodes.badInput)
    expect(io.out()).toMatch(/^ok {4}node/m)
    expect(io.out()).toMatch(/^fail {2}config: .*no-such-project/m)
  })

  it('shows a proxy without its password', () => {
    expect(withoutPassword('http://me:secret@proxy.local:8080')).toBe('http://***@proxy.local:8080')
    expect(withoutPassword('proxy.local:8080')).toBe('proxy.local:8080')
    expect(withoutPassword('me:p@ss@proxy')).toBe('***@proxy')
  })
})
