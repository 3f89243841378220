import { rmdirSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../system/process-identity.js'

/** Where the cgroups of this machine are. */
export interface CgroupPlace {
  /** Mount point of the unified hierarchy (cgroup v2). */
  readonly mount: string
  /** The cgroup of this process, relative to the mount point. */
  readonly own: string
}

export interface MemoryCgroup {
  /**
   * Moves processes into the group; processes that they start are in it too. Returns false if the kernel
   * refuses, because permission to create a group does not include permission to move processes.
   */
  add(pids: readonly number[]): Promise<boolean>
  /** Whether the kernel killed a process because the limit was reached. */
  wasExceeded(): Promise<boolean>
  /** Removes the group; call it after all its processes have ended. */
  remove(): Promise<void>
}

const removalAttempts = 20
let made = 0
/**
 * Groups of ours that the kernel did not release in time. They are empty and are removed together with the
 * next group.
 */
const leftBehind = new Set<string>()

/** Finds the unified hierarchy (cgroup v2) of this machine, if there is one. */
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
    // There is no usual /proc. Memory is then limited by measuring it.
    return undefined
  }
}

/**
 * Creates a group with one memory limit for all its processes; undefined if we may not, as in most
 * containers. The group is a sibling of our own, because a group with processes cannot limit groups below it.
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
    // If the kernel does not account for swap, this file does not exist.
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
 * Removes a group. The kernel releases it a moment after its last process has ended. If that takes too long,
 * it is removed with the next group or when this process exits.
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
      // The user was warned, and the next start of skillopt tries again.
    }
  }
}

/**
 * Removes groups that an earlier skillopt left behind, also one that was killed. The kernel keeps groups that
 * have processes.
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
