import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runTypescript } from '../../test/run-typescript.js'
import { InputError } from '../core/errors/errors.js'
import { startOf } from '../system/process-identity.js'
import { lockRunDirectory } from './lock.js'

let directory: string
let path: string
const children: ChildProcess[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(directory, 'lock.json')
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
  }
  await rm(directory, { recursive: true })
})

/** A process that waits for input, tries to take the lock, reports the result and then holds it or exits. */
function contender(then: 'hold' | 'exit' = 'hold') {
  const program = `
    const { lockRunDirectory } = await load('src/store/lock.ts')
    process.stdout.write('ready\\n')
    await new Promise(resolve => process.stdin.once('data', resolve))
    try {
      await lockRunDirectory(process.argv[1])
      process.stdout.write('locked\\n')
    } catch (error) {
      process.stdout.write(error.name + ': ' + error.message + '\\n')
    }
    if (process.argv[2] === 'exit') process.exit(0)
    setInterval(() => {}, 1000)`
  const child = runTypescript(program, [directory, then])
  children.push(child)
  const closed = once(child, 'close')
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  const line = async (number: number) => {
    await expect.poll(() => said.split('\n').length).toBeGreaterThan(number)
    return said.split('\n')[number - 1] ?? ''
  }
  return { child, closed, ready: () => line(1), go: () => child.stdin.write('go\n'), answer: () => line(2) }
}

async function deadLock(): Promise<void> {
  const dead = contender()
  await dead.ready()
  dead.go()
  expect(await dead.answer()).toBe('locked')
  dead.child.kill('SIGKILL')
  await dead.closed
}

function writeLock(owner: object): Promise<void> {
  return writeFile(
    path,
    JSON.stringify({ since: '2026-01-02T03:04:05.000Z', token: 'theirs', hostname: hostname(), ...owner }),
  )
}

describe('a free directory', () => {
  it('is locked, made if needed, and free again after release', async () => {
    directory = join(directory, 'deep', 'down')
    const lock = await lockRunDirectory(directory)
    const owner = JSON.parse(await readFile(join(directory, 'lock.json'), 'utf8'))
    expect(owner).toMatchObject({ pid: process.pid, hostname: hostname() })
    expect(await readdir(directory)).toEqual(['lock.json'])
    await lock.release()
    expect(await readdir(directory)).toEqual([])
    await (await lockRunDirectory(directory)).release()
    directory = join(directory, '..', '..')
  })

  it('is refused to a second taker in the same process', async () => {
    const lock = await lockRunDirectory(directory)
    await expect(lockRunDirectory(directory)).rejects.toThrow(`in use by process ${process.pid}`)
    await lock.release()
  })

  it('is refused to another process while the owner lives, and free when it exits', async () => {
    const other = contender('exit')
    await other.ready()
    const lock = await lockRunDirectory(directory)
    const second = contender()
    await second.ready()
    second.go()
    expect(await second.answer()).toMatch(new RegExp(`^InputError: .* process ${process.pid} since 20`))
    await lock.release()
    other.go()
    expect(await other.answer()).toBe('locked')
    await other.closed
    expect(await readdir(directory)).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'is refused to another process when the lock file was deleted under its owner',
    async () => {
      const lock = await lockRunDirectory(directory)
      await rm(path)
      const other = contender()
      await other.ready()
      other.go()
      expect(await other.answer()).toContain('in use by another process, although its lock.json was removed')
      expect(await readdir(directory)).toEqual([])
      await lock.release()
      await (await lockRunDirectory(directory)).release()
    },
  )

  it('is not released by a process that no longer holds it', async () => {
    const lock = await lockRunDirectory(directory)
    await writeLock({ pid: 1 })
    await lock.release()
    expect(await readFile(path, 'utf8')).toContain('theirs')
  })
})

describe('a lock that was left behind', () => {
  it('by kill -9 is taken over at once', async () => {
    await deadLock()
    const lock = await lockRunDirectory(directory)
    expect(JSON.parse(await readFile(path, 'utf8')).pid).toBe(process.pid)
    expect(await readdir(directory)).toEqual(['lock.json'])
    await lock.release()
  })

  it('is taken over by exactly one of many', async () => {
    await deadLock()
    const contenders = Array.from({ length: 4 }, () => contender())
    for (const one of contenders) await one.ready()
    for (const one of contenders) one.go()
    const answers = await Promise.all(contenders.map(one => one.answer()))
    expect(answers.filter(answer => answer === 'locked')).toHaveLength(1)
    expect(answers.filter(answer => answer.startsWith('InputError'))).toHaveLength(3)
  })

  it('is taken over by exactly one of many in one process, again and again', async () => {
    for (let round = 0; round < 30; round++) {
      await writeLock({ pid: 2 ** 22 + 1 })
      const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockRunDirectory(directory)))
      const taken = results.filter(result => result.status === 'fulfilled')
      expect(taken).toHaveLength(1)
      await taken[0]?.value.release()
      expect(await readdir(directory)).toEqual([])
    }
  })

  it('is taken over also when an earlier taker died over it', async () => {
    await writeLock({ pid: 2 ** 22 + 1 })
    const dead = { pid: 2 ** 22 + 1, hostname: hostname(), since: 'then', token: 'taker' }
    await writeFile(`${path}.takeover`, JSON.stringify(dead))
    await (await lockRunDirectory(directory)).release()
    expect(await readdir(directory)).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'is distinguished from a later process with the same pid',
    async () => {
      const start = await startOf(process.pid)
      await writeLock({ pid: process.pid, start })
      await expect(lockRunDirectory(directory)).rejects.toThrow('in use by process')
      await writeLock({ pid: process.pid, start: `${start}0` })
      await (await lockRunDirectory(directory)).release()
    },
  )

  it('on another machine is refused, with what to do', async () => {
    await writeLock({ pid: 2 ** 22 + 1, hostname: 'elsewhere' })
    const error = await lockRunDirectory(directory).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InputError)
    expect((error as InputError).message).toContain('on another machine (elsewhere) since 2026-01-02')
    expect((error as InputError).hint).toContain(`delete ${path}`)
  })

  it.runIf(process.platform !== 'win32')('that is a pipe is refused, and nothing waits for it', async () => {
    execFileSync('mkfifo', [path])
    await expect(lockRunDirectory(directory)).rejects.toThrow('is in the way')
  })

  it.runIf(process.platform === 'linux')('that the system generates without end is refused', async () => {
    await symlink('/proc/self/pagemap', path)
    await expect(lockRunDirectory(directory)).rejects.toThrow('is in the way')
  })

  it('that cannot be read is refused, with what to do', async () => {
    await writeFile(path, '{"pid":')
    await expect(lockRunDirectory(directory)).rejects.toThrow('does not say which process')
  })
})

it('takes one listener of the process, however many are held', async () => {
  const before = process.listenerCount('exit')
  const names = Array.from({ length: 12 }, (_, index) => join(directory, `${index}`))
  const locks = await Promise.all(names.map(lockRunDirectory))
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const lock of locks) await lock.release()
  expect(process.listenerCount('exit')).toBe(before)
})
