import { statfs } from 'node:fs/promises'
import type { SandboxJob, SandboxLimits, SandboxResult } from '../core/ports/sandbox.js'
import {
  emptyTree,
  isMore,
  measureTree,
  type OpenFolder,
  openFolder,
  TooDeepError,
  unlockTree,
} from '../system/tree.js'
import { copyTree, TooLargeError } from '../system/tree-copy.js'
import {
  contentsOf,
  cutWhen,
  diskBytes,
  mostEntries,
  refused,
  sanitizeFolder,
  tooMuch,
  watchFolder,
  withNote,
} from './folder.js'

/** Path of the workspace inside the sandbox. */
export const inside = '/workspace'
/** Mount point of the initial files, for a workspace in memory. */
const given = '/given'
/**
 * Folder in which the C library keeps shared memory and semaphores. Python's `multiprocessing` needs it for
 * every lock.
 */
const sharedMemory = '/dev/shm'

/** How to mount a workspace into the sandbox, and how to copy its files out. */
export interface Folder {
  readonly mounts: readonly string[]
  /** Shell commands, ending in `&&`, that copy files into the workspace before the program runs. */
  readonly fill: string
  /** Bytes of memory that the workspace itself can take. */
  readonly memoryBytes: number
  /**
   * Starts watching the workspace's size; called before the program starts. `init` is the pid of the
   * sandbox's first process. Returns a function that stops watching.
   */
  watch(init: number, cut: (reason: string) => void): Promise<() => void>
  /** Copies the files out; called after every process in the sandbox has ended. */
  bringOut(result: SandboxResult): Promise<SandboxResult>
  close(): Promise<void>
}

/**
 * Mounts the workspace's folder itself. Its size is only measured from time to time, so a fast program can
 * exceed the limit slightly.
 */
export async function sharedFolder({ workspace, limits }: SandboxJob): Promise<Folder> {
  const given = await contentsOf(workspace)
  const watchGrowth = watchFolder(workspace, limits, given)
  return {
    // Shared memory is a part of the workspace, so that its size is measured too.
    mounts: ['--bind', workspace, inside, '--bind', workspace, sharedMemory],
    fill: '',
    memoryBytes: 0,
    watch: async (_init, cut) => watchGrowth(cut),
    bringOut: result => sanitizeFolder(workspace, result, { given, limits }),
    close: async () => {},
  }
}

/**
 * Mounts an in-memory file system with a copy of the workspace. Its size limits what can be written, even
 * into deleted files. It exists as long as we hold it open, whatever happens to the program.
 */
export async function folderInMemory({ workspace, limits }: SandboxJob): Promise<Folder> {
  const before = await contentsOf(workspace)
  const most = { bytes: before.bytes + diskBytes(limits), entries: mostEntries }
  // Each file takes up whole pages of memory.
  const size = most.bytes + before.entries * 4096
  const shared = sharedMemoryBytes(limits)
  let held: OpenFolder | undefined
  let heldShared: OpenFolder | undefined
  return {
    mounts: [
      '--ro-bind',
      workspace,
      given,
      '--perms',
      '0700',
      '--size',
      String(size),
      '--tmpfs',
      inside,
      '--perms',
      '0700',
      '--size',
      String(shared),
      '--tmpfs',
      sharedMemory,
    ],
    fill: `cp -RPp ${given}/. . &&`,
    memoryBytes: size + shared,
    async watch(init, cut) {
      held = await openFolder(`/proc/${init}/root${inside}`)
      heldShared = await openFolder(`/proc/${init}/root${sharedMemory}`)
      const paths = [held.path, heldShared.path]
      // The file system limits its size, but not its number of files.
      const isTooMany = async () => {
        const used = await Promise.all(paths.map(async path => usedEntries(await statfs(path))))
        return used.some(entries => entries > mostEntries)
      }
      return cutWhen(isTooMany, cut, limits)
    },
    async bringOut(result) {
      if (held === undefined) throw new Error('The workspace was never opened.')
      const target = await openFolder(workspace)
      try {
        await emptyTree(target)
        await unlockTree(held)
        // A sparse file, or one with many hard links, takes little space inside and much more as a copy.
        if (isMore(await measureTree(held, most), most)) return refused(result, tooMuch(limits))
        return withNote(result, await copyTree(held, target, { most, unlock: true }))
      } catch (error) {
        if (!(error instanceof TooDeepError) && !(error instanceof TooLargeError)) throw error
        await emptyTree(target)
        return refused(result, tooMuch(limits))
      } finally {
        await target.close()
      }
    },
    async close() {
      await held?.close()
      await heldShared?.close()
    },
  }
}

/**
 * Size of the shared memory. Its pages may belong to no process, so it is added to the memory limit.
 * Containers usually have 64 MB too.
 */
function sharedMemoryBytes({ memoryMegabytes }: SandboxLimits): number {
  return Math.round(Math.min(64, memoryMegabytes) * 1024 * 1024)
}

function usedEntries({ files, ffree }: Awaited<ReturnType<typeof statfs>>): number {
  return Number(files) - Number(ffree)
}
