import { rmdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../system/process-identity.js'

/** Location of the cgroups; tests use another one. */
export interface CgroupPlace {
  /** The mount point of the unified hierarchy. */
  readonly mount: string
  /** Our own group below it. */
  readonly own: string
}

export interface MemoryCgroup {
  /**
   * Moves processes into the group; processes that they start later are in it too. False if the kernel
   * refuses: permission to create a group does not imply permission to move processes into it.
   */
  add(pids: readonly number[]): Promise<boolean>
  /** Whether the kernel killed a process because the limit was reached. */
  wasExceeded(): Promise<boolean>
  /** Call after every process in it has ended. */
  remove(): Promise<void>
}

const removalAttempts = 20
let made = 0
/**
 * Our groups that the kernel had not released when they were removed. They are empty, and removed with the
 * next one.
 */
const leftBehind = new Set<string>()

/** The unified hierarchy of this machine, if there is one. */
export async function findCgroupPlace(): Promise<CgroupPlace | undefined> {
  try {
    const mounts = await readFile('/proc/self/mountinfo', 'utf8')
    const mount = mounts
      .split('\n')
      .find(line => line.includes(' - cgroup2 '))
      ?.split(' ')[4]
    const own = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))?.[1]
    return mount === undefined || own === undefined ? undefined : { mount, own }
  } catch {
    // There is no usual /proc; the limit is then enforced by measuring.
    return undefined
  }
}

/**
 * A group with one limit for all processes together; undefined if we may not create one, as in most
 * containers. A group with processes cannot limit groups below it, so the new one is a sibling of our own.
 */
export async function createMemoryCgroup(
  bytes: number,
  place: CgroupPlace | undefined,
): Promise<MemoryCgroup | undefined> {
  if (place === undefined) return undefined
  const parent = join(place.mount, place.own === '/' ? '/' : dirname(place.own))
  made += 1
  const folder = join(parent, `skillopt-${process.pid}-${made}`)
  try {
    const controllers = await readFile(join(parent, 'cgroup.subtree_control'), 'utf8')
    if (!controllers.split(/\s+/).includes('memory')) return undefined
    await removeStaleGroups(parent)
    await mkdir(folder)
  } catch {
    return undefined
  }
  try {
    await writeFile(join(folder, 'memory.max'), String(bytes))
    await writeFile(join(folder, 'memory.oom.group'), '1')
    // The file does not exist if the kernel does not account for swap.
    await writeFile(join(folder, 'memory.swap.max'), '0').catch(() => undefined)
  } catch {
    await removeGroup(folder)
    return undefined
  }
  return {
    async add(pids) {
      try {
        for (const pid of pids) await writeFile(join(folder, 'cgroup.procs'), String(pid))
        return true
      } catch {
        return false
      }
    },
    async wasExceeded() {
      const events = await readFile(join(folder, 'memory.events'), 'utf8')
      return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0
    },
    remove: () => removeGroup(folder),
  }
}

/**
 * The kernel releases a group a moment after its last process has ended. A group that it still holds then is
 * tried again with the next group and when our process exits.
 */
async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 0; attempt < removalAttempts; attempt += 1) {
    if (await isRemoved(folder)) return
    await sleep(10)
  }
  if (leftBehind.size === 0) process.once('exit', removeAtExit)
  leftBehind.add(folder)
  process.emitWarning(
    `The memory group of a sandbox could not be removed yet: ${folder}. It is tried again; if it is still there at the end, remove it with rmdir.`,
  )
}

function removeAtExit(): void {
  for (const folder of leftBehind) {
    try {
      rmdirSync(folder)
    } catch {
      // The warning said what to do, and the next skillopt tries again.
    }
  }
}

/**
 * Removes leftover groups, including those of an earlier skillopt that was killed. The kernel keeps any that
 * has processes.
 */
async function removeStaleGroups(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = /^skillopt-(\d+)-\d+$/.exec(name)?.[1]
    if (pid === undefined) continue
    const folder = join(parent, name)
    const isStale = leftBehind.has(folder) || !(await isAlive(Number(pid), undefined))
    if (isStale && (await isRemoved(folder)) && leftBehind.delete(folder) && leftBehind.size === 0)
      process.off('exit', removeAtExit)
  }
}

function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}
