import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMemoryCgroup } from './cgroup.js'

/** Uses a plain folder instead of the kernel's, because CI machines do not allow creating groups. */

let mount: string
beforeEach(async () => {
  mount = await mkdtemp(join(tmpdir(), 'skillopt-cgroup-'))
  await mkdir(join(mount, 'user.slice/session.scope'), { recursive: true })
})
afterEach(() => rm(mount, { recursive: true, force: true }))

const place = () => ({ mount, own: '/user.slice/session.scope' })
const parent = () => join(mount, 'user.slice')

it('limits a group beside our own, and takes it away again', async () => {
  await writeFile(join(parent(), 'cgroup.subtree_control'), 'cpu memory pids\n')
  const group = await createMemoryCgroup(1000, place())
  const made = join(parent(), `skillopt-${process.pid}-1`)
  expect(await readFile(join(made, 'memory.max'), 'utf8')).toBe('1000')
  expect(await readFile(join(made, 'memory.oom.group'), 'utf8')).toBe('1')
  expect(await group?.add([17])).toBe(true)
  expect(await readFile(join(made, 'cgroup.procs'), 'utf8')).toBe('17')
  await writeFile(join(made, 'memory.events'), 'low 0\noom 1\noom_kill 3\n')
  expect(await group?.wasExceeded()).toBe(true)
  await writeFile(join(made, 'memory.events'), 'low 0\noom 1\noom_kill 0\n')
  expect(await group?.wasExceeded()).toBe(false)
  // The kernel's files vanish with their folder.
  for (const name of ['memory.max', 'memory.oom.group', 'memory.swap.max', 'memory.events', 'cgroup.procs'])
    await unlink(join(made, name))
  await group?.remove()
  await expect(stat(made)).rejects.toThrow('ENOENT')
})

it('creates none if memory is not delegated or there is no hierarchy', async () => {
  await writeFile(join(parent(), 'cgroup.subtree_control'), 'cpu pids\n')
  expect(await createMemoryCgroup(1000, place())).toBeUndefined()
  expect(await createMemoryCgroup(1000, undefined)).toBeUndefined()
  expect(await createMemoryCgroup(1000, { mount, own: '/not/there' })).toBeUndefined()
})

it('says so where processes may not be moved into the group', async () => {
  await writeFile(join(parent(), 'cgroup.subtree_control'), 'memory\n')
  const group = await createMemoryCgroup(1000, place())
  const made = (await readdir(parent())).find(name => name.startsWith('skillopt-')) ?? ''
  // A folder in place of the kernel's file cannot be written to, not even by root.
  await mkdir(join(parent(), made, 'cgroup.procs'))
  expect(await group?.add([17])).toBe(false)
})

it('removes groups later that the kernel held on to, and those of processes that were killed', async () => {
  await writeFile(join(parent(), 'cgroup.subtree_control'), 'memory\n')
  const names = async () => (await readdir(parent())).filter(name => name.startsWith('skillopt-')).sort()
  const exitListeners = process.listenerCount('exit')
  const group = await createMemoryCgroup(1000, place())
  const [held = ''] = await names()
  const ended = spawnSync('true').pid
  const others = [`skillopt-${ended}-1`, `skillopt-${process.ppid}-1`]
  for (const name of others) await mkdir(join(parent(), name))
  // A folder that is not empty cannot be removed, like a group whose last process is still ending.
  const warning = once(process, 'warning')
  await group?.remove()
  expect(String((await warning)[0])).toContain(join(parent(), held))
  expect(process.listenerCount('exit')).toBe(exitListeners + 1)
  expect(await names()).toEqual([held, ...others].sort())
  for (const name of await readdir(join(parent(), held))) await unlink(join(parent(), held, name))

  await createMemoryCgroup(1000, place())
  const left = await names()
  expect(left).toHaveLength(2)
  expect(left).toContain(`skillopt-${process.ppid}-1`)
  expect(left).not.toContain(held)
  expect(process.listenerCount('exit')).toBe(exitListeners)
})
