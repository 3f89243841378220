import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runTypescript } from '../../test/run-typescript.js'
import { processSpace, startOf } from '../system/process-identity.js'
import { holderOf, lockRunDirectory } from './lock.js'

/**
 * Simulates containers that share a run directory and a host name: real processes in their own PID
 * namespace.
 */

const unshare = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL']
const asUser = ['unshare', '--user', '--map-root-user', ...unshare.slice(1)]
const inNamespace = [unshare, asUser].find(([command = '', ...rest]) => {
  return spawnSync(command, [...rest, 'true']).status === 0
})
if (inNamespace === undefined) {
  console.error(
    'NOT TESTED: locks between PID namespaces. This machine lets nobody make one (`unshare --pid`): run as root.',
  )
}

let directory: string
let path: string
const children: ChildProcess[] = []
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lock-'))
  path = join(directory, 'lock.json')
})
afterEach(async () => {
  for (const child of children.splice(0)) await end(child)
  await rm(directory, { recursive: true })
})

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

const program = `
  const { lockRunDirectory, holderOf } = await load('src/store/lock.ts')
  process.stdout.write(process.pid + ' ')
  try {
    await lockRunDirectory(process.argv[1])
    process.stdout.write('locked\\n')
  } catch (error) {
    const holder = await holderOf(process.argv[1])
    process.stdout.write(error.message + ' ' + error.hint + ' held: ' + JSON.stringify(holder) + '\\n')
  }
  setInterval(() => {}, 1000)`

/** A process that takes the lock, reports the result, and stays alive. */
async function taker(wrapper: readonly string[] = []) {
  const child = runTypescript(program, [directory], wrapper)
  children.push(child)
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  await expect.poll(() => said).toContain('\n')
  return { child, said }
}

const owner = async () => JSON.parse(await readFile(path, 'utf8'))

describe.runIf(inNamespace !== undefined)('between PID namespaces with one host name', () => {
  it('refuses a directory that a process in another namespace works on', async () => {
    expect((await taker(inNamespace)).said).toMatch(/^\d+ locked/)
    expect(await owner()).toMatchObject({ hostname: hostname(), isOsLocked: true })
    expect((await owner()).pidNamespace).not.toBe(processSpace().pidNamespace)
    await expect(lockRunDirectory(directory)).rejects.toThrow('in another container of this machine')
    expect(await holderOf(directory)).toMatchObject({ isHere: false })
    expect((await taker(inNamespace)).said).toMatch(/in another container.*Wait for it.*"isHere":false/)
  })

  it('refuses it in the other direction too', async () => {
    const lock = await lockRunDirectory(directory)
    expect((await taker(inNamespace)).said).toMatch(/in another container.*Wait for it.*"isHere":false/)
    expect(await owner()).toMatchObject({ pid: process.pid })
    await lock.release()
    expect((await taker(inNamespace)).said).toMatch(/^\d+ locked/)
  })

  it('is not misled by the same pid in both', async () => {
    const first = await taker(inNamespace)
    const second = await taker(inNamespace)
    const pid = (said: string) => said.split(' ')[0]
    expect(pid(second.said)).toBe(pid(first.said))
    expect(second.said).not.toContain('locked')
  })

  it('takes over the lock of a process that was killed in another namespace', async () => {
    await end((await taker(inNamespace)).child)
    expect(await readdir(directory)).toEqual(['lock.json'])
    expect(await holderOf(directory)).toBeUndefined()
    const lock = await lockRunDirectory(directory)
    expect(await owner()).toMatchObject({ pid: process.pid })
    await lock.release()
    expect(await readdir(directory)).toEqual([])
  })

  it('takes it over in the other direction too, and between two containers', async () => {
    await end((await taker()).child)
    const second = await taker(inNamespace)
    expect(second.said).toMatch(/^\d+ locked/)
    await end(second.child)
    expect((await taker(inNamespace)).said).toMatch(/^\d+ locked/)
  })

  it('lets exactly one of many take over what was left', async () => {
    for (let round = 0; round < 3; round++) {
      await end((await taker(inNamespace)).child)
      const takers = await Promise.all([
        taker(inNamespace),
        taker(inNamespace),
        taker(inNamespace),
        taker(),
        taker(),
      ])
      expect(takers.filter(({ said }) => said.includes('locked'))).toHaveLength(1)
      for (const { child } of takers) await end(child)
    }
  })
})

describe('a lock from where nobody can look', () => {
  const written = (fields: object) =>
    writeFile(
      path,
      JSON.stringify({ pid: 2 ** 22 + 1, hostname: hostname(), since: 'then', token: 'theirs', ...fields }),
    )

  it.runIf(process.platform === 'linux')('is respected, with what to do', async () => {
    await written({ ...processSpace(), pidNamespace: 'pid:[1]' })
    await expect(lockRunDirectory(directory)).rejects.toMatchObject({
      message: expect.stringContaining('in another container'),
      hint: expect.stringContaining(`delete ${path}`),
    })
    expect(await holderOf(directory)).toMatchObject({ isHere: false })
  })

  it.runIf(process.platform === 'linux')('of another machine with the same name is respected', async () => {
    const start = await startOf(process.pid)
    await written({ ...processSpace(), boot: 'another', machine: 'another', pid: process.pid, start })
    await expect(lockRunDirectory(directory)).rejects.toThrow('on another machine')
    await written({ boot: 'another', pidNamespace: 'pid:[1]' })
    await expect(lockRunDirectory(directory)).rejects.toThrow('on another machine')
  })

  it.runIf(processSpace().machine !== undefined)(
    'of this machine before it was started anew is taken over',
    async () => {
      await written({
        ...processSpace(),
        boot: 'earlier',
        pid: process.pid,
        start: await startOf(process.pid),
      })
      await (await lockRunDirectory(directory)).release()
    },
  )
})
